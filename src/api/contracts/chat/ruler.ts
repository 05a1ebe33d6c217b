// Owns POST /ruler/v1/chat/completions: the judge that ART's RULER asks, all trajectories of a
// group at once. The prompt's shape: ruler-prompt.ts.
import * as z from "zod";
import type { GroupResult } from "../../../core/contract/replies.ts";
import { ITEM_ERRORS } from "../../../core/faults/errors.ts";
import { counted, theLimit } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type AnySpec, compileSpec } from "../../../core/signals/compiled-spec.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { contractBody } from "../body.ts";
import { shownBody, unsupported } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { openai } from "../dialects.ts";
import { CORRECT, QUESTION, WRONG } from "../example-texts.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import { SharedOptionsSchema, urlOptions } from "../options.ts";
import { documented } from "../page.ts";
import { specWithPrinciple } from "../principle.ts";
import { noChoice, refused } from "../refusal.ts";
import { usageOf } from "../rerank/ranked-documents.ts";
import { relevance } from "../rerank/relevance.ts";
import { chooseTextSpec } from "../rerank/text-spec.ts";
import { requireChoice, unjudged } from "../rerank/unjudged.ts";
import { contains, fields, has, size } from "../schema-rule.ts";
import { ChatRequestSchema } from "./chat-completions.ts";
import { ChatReplySchema, completion } from "./chat-replies.ts";
import { rulerPrompt } from "./ruler-prompt.ts";

const RulerRequestSchema = ChatRequestSchema.omit({ stream: true, stream_options: true }).extend({
  stream: z.literal(false, "the judge's answer comes whole").nullish(),
});

/**
 * A score in 0..1 a trajectory, and in its explanation how it came about. One that is missing fails
 * the request: RULER would take another's for it.
 */
function answerOf(scored: ScoredRequest, spec: AnySpec, ids: readonly string[]): string {
  requireChoice(scored);
  const group = scored.reply.groups[0] as GroupResult;
  const scores = group.rollouts.map((rollout, i) => {
    const score = relevance(rollout, spec, group.rollouts.length, false);
    if (score === null) throw unjudged(scored);
    const { wins, losses, ties, undecided, error } = rollout;
    const asked = wins + losses + ties + undecided;
    const told = `won ${wins}, lost ${losses} and tied ${ties} of ${asked} comparisons`;
    return { trajectory_id: ids[i] as string, explanation: error === null ? told : ITEM_ERRORS[error], score };
  });
  return JSON.stringify({ scores });
}

/** A rubric that no judge of the spec is told may be of any length. */
function informed(chosen: AnySpec, rubric: string): AnySpec {
  const spec = specWithPrinciple(chosen, rubric);
  if (spec === null || rubric.length <= LIMITS.slot_chars) return spec ?? chosen;
  const message = `${counted(rubric.length, "character")} of grading standards; ${theLimit("slot_chars")}`;
  throw invalidRequest([{ path: "messages", message }]);
}

/** Another extraction would take the answer alone out of a trajectory, and the rest of it is gone. */
function requireWhole({ candidate: { extract } }: AnySpec, trajectory: number): void {
  if (extract === "whole") return;
  const message = `several turns, of which the spec's candidate.extract "${extract}" leaves one: the judge is not shown the others; name a spec with "whole"`;
  throw unsupported([{ path: `trajectories[${trajectory}]`, message }]);
}

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const options = urlOptions(c);
    const body = shownBody(c, ruler, await readJson(c.req.raw));
    const { messages, model } = contractBody(RulerRequestSchema, body, { messages: "messages_max" });
    const { group, ids, rubric, several } = rulerPrompt(messages);
    // Of several turns a program is a part: without a spec such trajectories are judged whole.
    const texts = several === null ? group.rollouts.map(({ text }) => text) : [];
    const chosen = await chooseTextSpec(deps, c.get("scope"), options, model ?? null, texts);
    if (several !== null) requireWhole(chosen, several);
    const spec = rubric === null ? chosen : informed(chosen, rubric);
    refuseUnmet(compileSpec(spec), "messages");
    const { run_id, step } = options;
    const deadline_ms = contractDeadline(ruler, options.deadline_ms);
    const { scored } = beginJudging(c, deps, { groups: [group], spec, run_id, step, deadline_ms });
    const created = Math.floor(deps.clock.date().getTime() / 1000);
    const head = { id: `chatcmpl-${c.get("scope").id}`, created, model: model ?? "default" };
    const telling = scored.then((done) => {
      const text = answerOf(done, spec, ids);
      return { value: completion(head, { text, usage: usageOf(done.reply.groups) }) };
    });
    return answerJson(c, deps, telling, ChatReplySchema);
  };
}

export const ruler: Contract = {
  name: "ruler",
  scope: "score",
  dialect: openai,
  // litellm's own.
  wait_ms: 600_000,
  settable: true,
  content: [{ at: "messages", carrier: "prompt" }],
  routes: [{ method: "POST", path: "/ruler/v1/chat/completions", handler: route }],
};

const trajectory = (answer: string, i: number) =>
  `<trajectory id="${i + 1}">\n${JSON.stringify([{ role: "assistant", content: answer }])}\n</trajectory>`;

export const EXAMPLE = {
  model: "default",
  messages: [
    { role: "system", content: "Score each trajectory from 0 to 1.\n\nGrading standards:\nWhat works is better." },
    {
      role: "user",
      content: /* @__PURE__ */ [
        `<context>\n${JSON.stringify([{ role: "user", content: QUESTION }])}\n</context>`,
        "Trajectories:",
        ...[WRONG, CORRECT].map(trajectory),
      ].join("\n\n"),
    },
  ],
};

export const page = /* @__PURE__ */ documented(ruler, () => ({
  operations: {
    "POST /ruler/v1/chat/completions": {
      operationId: "rulerJudge",
      summary: "The judge of ART's RULER: a score for each trajectory of a group",
      description:
        "The last user message holds RULER's `<context>` and `<trajectory>` blocks; the answer is its JSON, with one score in 0..1 for each. The model is a spec's name. A trajectory without a score fails the request.",
      query: SharedOptionsSchema,
      request: RulerRequestSchema,
      reply: ChatReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("trajectories in a text", "messages"),
        refused("trajectories in a text", "messages\\..+"),
        { why: "nobody to compare with", status: 400, code: "group_too_small" },
        noChoice(),
      ],
    },
  },
  components: { RulerRequest: RulerRequestSchema },
  rules: {
    RulerRequest: fields({
      messages: {
        ...size(LIMITS.messages_max),
        ...contains(
          has({
            role: { const: "user" },
            content: { anyOf: [{ type: "array" }, { type: "string", pattern: '<trajectory id="' }] },
          }),
        ),
      },
    }),
  },
}));
