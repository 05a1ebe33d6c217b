// POST /ruler/v1/chat/completions: the judge API for ART's RULER, which asks for scores of all trajectories
// of a group at once. The prompt is parsed in ruler-prompt.ts.
import * as z from "zod";
import { ITEM_ERRORS } from "../../core/faults/errors.ts";
import { ChatRequestSchema } from "./chat-completions.ts";
import { ChatReplySchema, completion } from "./shared/chat-replies.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { openai } from "./shared/dialects.ts";
import { groupRoute } from "./shared/group-route.ts";
import { usageOf } from "./shared/judging.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, contains, documented, fields, has, noChoice, QUESTION, refused, size, WRONG } from "./shared/page.ts";
import { relevances } from "./shared/relevance.ts";
import { rulerPrompt, specOfQuestion } from "./shared/ruler-prompt.ts";

const RulerRequestSchema = ChatRequestSchema.omit({ stream: true, stream_options: true }).extend({
  stream: z.literal(false, "streaming is not supported").nullish(),
});

const route = groupRoute(async (body, { id, created, textSpec }) => {
  const { messages, model } = contractBody(RulerRequestSchema, body, { messages: "messages_max" });
  const question = rulerPrompt(messages);
  const { group, ids, several } = question;
  // A code block is only a part of a trajectory with several turns, so the default spec judges all of it.
  const texts = several === null ? group.rollouts.map(({ text }) => text) : [];
  const spec = specOfQuestion(question, await textSpec(model ?? null, texts));
  return {
    ...{ groups: [group], spec, field: "messages", reply: ChatReplySchema },
    /**
     * Builds a score in 0..1 for each trajectory, explained by its win counts. The request fails if a score
     * is missing, because RULER would assign the score of another trajectory.
     */
    toReply(scored) {
      const relevance = relevances(scored, spec, false);
      const scores = scored.reply.groups.flatMap(({ rollouts }) =>
        rollouts.map(({ wins, losses, ties, undecided, error }, i) => {
          const asked = wins + losses + ties + undecided;
          const tally = `won ${wins}, lost ${losses} and tied ${ties} of ${asked} comparisons`;
          const explanation = error === null ? tally : ITEM_ERRORS[error];
          return { trajectory_id: ids[i] as string, explanation, score: relevance[i] };
        }),
      );
      const head = { id: `chatcmpl-${id}`, created, model: model ?? "default" };
      return completion(head, { text: JSON.stringify({ scores }), usage: usageOf(scored.reply.groups) });
    },
  };
});

export const ruler: Contract = {
  name: "ruler",
  scope: "score",
  dialect: openai,
  // Default timeout of LiteLLM.
  wait_ms: 600_000,
  settable: true,
  content: [{ at: "messages", carrier: "question" }],
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
      summary: "Verifier for ART's RULER: one score per trajectory of a group",
      description:
        "The last user message contains RULER's `<context>` and `<trajectory>` blocks; the answer is RULER's JSON, with a score in 0..1 per trajectory. `model` is the name of a spec. A trajectory without a score fails the request.",
      query: SharedOptionsSchema,
      request: RulerRequestSchema,
      reply: ChatReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("invalid trajectories", "messages"),
        refused("invalid trajectories", "messages\\..+"),
        { why: "nothing to compare with", status: 400, code: "group_too_small" },
        noChoice(),
      ],
    },
  },
  components: { RulerRequest: RulerRequestSchema },
  rules: {
    RulerRequest: fields({
      messages: {
        ...size("messages_max"),
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
