// A contract of another tool that a test adds: the better of two texts, by their letters.
import * as z from "zod";
import { contractBody } from "../../src/api/contracts/body.ts";
import { shownBody } from "../../src/api/contracts/content/shown-body.ts";
import type { Contract } from "../../src/api/contracts/contract.ts";
import { contractDeadline } from "../../src/api/contracts/deadlines.ts";
import { beginJudging } from "../../src/api/contracts/judged-request.ts";
import { SharedOptionsSchema, urlOptions } from "../../src/api/contracts/options.ts";
import { documented } from "../../src/api/contracts/page.ts";
import { refused } from "../../src/api/contracts/refusal.ts";
import { contains, fields, has } from "../../src/api/contracts/schema-rule.ts";
import { readJson } from "../../src/api/http/body.ts";
import type { RouteDeps } from "../../src/api/http/deps.ts";
import type { AppContext } from "../../src/api/http/scope.ts";
import { answerJson } from "../../src/api/http/slow-json.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";

const RequestSchema = z.object({ question: z.string(), pair: z.array(z.string()).length(2) });
const ReplySchema = z.object({ better: z.enum(["A", "B"]).nullable() });

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { question: prompt, pair } = contractBody(
      RequestSchema,
      shownBody(c, toyContract, await readJson(c.req.raw)),
      {},
    );
    const spec = { ...DEFAULT_SPEC, candidate: { ...DEFAULT_SPEC.candidate, extract: "whole" as const } };
    const groups = [{ prompt, rollouts: pair.map((text) => ({ text })) }];
    const deadline_ms = contractDeadline(toyContract, urlOptions(c).deadline_ms);
    const { scored } = beginJudging(c, deps, { groups, spec, run_id: undefined, step: undefined, deadline_ms });
    const told = scored.then(({ reply }) => reply.groups[0]?.selected ?? null);
    return answerJson(
      c,
      deps,
      told.then((at) => ({ value: { better: at === null ? null : "AB"[at] } })),
      ReplySchema,
    );
  };
}

export const toyContract: Contract = {
  name: "toy",
  scope: "score",
  dialect: ({ status, code }) => ({ status, members: { toy_error: code } }),
  wait_ms: 20_000,
  content: [
    { at: "question", carrier: "text" },
    { at: "pair", carrier: "text", of: "answer" },
  ],
  routes: [
    { method: "POST", path: "/toy/better", handler: route },
    { method: "GET", path: "/toy/alive", access: "public", handler: () => (c) => c.json({ alive: true }) },
  ],
};

export const page = documented(toyContract, () => ({
  operations: {
    "POST /toy/better": {
      operationId: "toyBetter",
      summary: "The toy's better of two",
      description: "Says which of two texts is better.",
      query: SharedOptionsSchema,
      request: RequestSchema,
      reply: ReplySchema,
      example: { question: "q", pair: ["one", "three"] },
      refusals: [refused("a toy's own rule", "pair", "two of them")],
    },
    "GET /toy/alive": { operationId: "toyAlive", summary: "The toy lives", reply: z.object({ alive: z.boolean() }) },
  },
  components: { ToyRequest: RequestSchema },
  rules: { ToyRequest: fields({ pair: contains(has({ a: true })) }) },
}));
