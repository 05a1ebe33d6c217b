// A contract of another tool that a test adds: the better of two texts, by their letters.

import * as z from "zod";
import { type Contract, contractBody } from "../../src/api/tools/shared/contract.ts";
import { groupRoute } from "../../src/api/tools/shared/group-route.ts";
import { SharedOptionsSchema } from "../../src/api/tools/shared/options.ts";
import { contains, documented, fields, has, refused } from "../../src/api/tools/shared/page.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { ofFlat } from "../../src/core/reward/spec-forms.ts";

const RequestSchema = z.object({ question: z.string(), pair: z.array(z.string()).length(2) });
const ReplySchema = z.object({ better: z.enum(["A", "B"]).nullable() });

const route = groupRoute((body) => {
  const { question: prompt, pair } = contractBody(RequestSchema, body);
  return {
    groups: [{ prompt, rollouts: pair.map((text) => ({ text })) }],
    spec: ofFlat({ ...DEFAULT_SPEC, candidate: { ...DEFAULT_SPEC.candidate, extract: "whole" } }),
    reply: ReplySchema,
    toReply({ reply }) {
      const at = reply.groups[0]?.selected ?? null;
      return { better: at === null ? null : "AB"[at] };
    },
  };
});

export const toyContract: Contract = {
  name: "toy",
  scope: "score",
  dialect: ({ status, code }) => ({ status, members: { toy_error: code } }),
  wait_ms: 20_000,
  content: [
    { at: "question", carrier: "text" },
    { at: "pair", carrier: "text", side: "answer" },
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
