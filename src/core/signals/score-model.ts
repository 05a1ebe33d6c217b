// Owns the kind `score_model`: a verifier asked in the spec's own messages for a number on the
// spec's own scale, as OpenAI's grader of that name.

import * as z from "zod";
import { said } from "#said";
import type { Signal } from "../asking/signal.ts";
import { bound } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { inOwnMessages, MessagesSchema, modelPlan, OwnJudgeSchema } from "./model-question.ts";
import { UnreadableSchema } from "./unreadable.ts";

const end = z
  .number()
  .min(-LIMITS.score_max)
  .max(...bound("score_max"));

const SCHEMA = z.strictObject({
  input: MessagesSchema,
  range: z
    .tuple([end, end])
    .default([0, 1])
    .meta(said("the lowest and the highest score; the value stays on this scale")),
  judge: OwnJudgeSchema,
  unreadable: UnreadableSchema,
});
type ScoreModelSettings = z.output<typeof SCHEMA>;

const KIND = "score_model";

export const scoreModel: Signal<ScoreModelSettings> = {
  kind: KIND,
  schema: SCHEMA,
  ...inOwnMessages(KIND),
  fault: ({ range: [low, high] }) =>
    low < high
      ? null
      : { path: ["range"], message: `the lowest must be below the highest; ${low} is not below ${high}` },
  range: ({ range }) => range,
  open(group, { input, range: [low, high], judge, unreadable }, { room }) {
    const scale = `${low} to ${high}`;
    return modelPlan(
      group,
      {
        ...{ kind: KIND, input, samples: judge.samples, scale, lowest: low, unreadable },
        read: (verdict) =>
          verdict.kind === "grade" && verdict.grade >= low && verdict.grade <= high ? verdict.grade : null,
      },
      room,
    );
  },
};
