// Owns what the kinds that bring their own messages share: those messages' schema, one question
// about each candidate, and its value as the mean over the samples.
import * as z from "zod";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema } from "../contract/spec.ts";
import { bound } from "../faults/limit-advice.ts";
import { GIVEN_ROLES, type GivenMessage } from "../judges/prompt-job.ts";
import type { Question } from "../judges/questions.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { mean } from "../math/stats.ts";
import { type AskedQuestion, commonFault } from "../tournament/asked-questions.ts";
import { fill, TemplateSchema, templateOf } from "./sample-template.ts";
import { factOf, type Judge, type Plan } from "./signal.ts";
import { type Valued, valued, without } from "./signal-value.ts";

export const MessagesSchema = z
  .array(z.strictObject({ role: z.enum(GIVEN_ROLES), content: TemplateSchema }))
  .min(1)
  .max(...bound("judge_messages_max"));
type Messages = z.output<typeof MessagesSchema>;

/** How the verifier is asked; its words are the signal's messages. */
export const OwnJudgeSchema = JudgeSchema.pick({
  model: true,
  temperature: true,
  top_p: true,
  max_tokens: true,
  strict_model: true,
  reask: true,
})
  .extend({
    samples: z
      .int()
      .min(1)
      .max(...bound("samples_max"))
      .default(1),
  })
  .prefault({});
type OwnJudge = z.output<typeof OwnJudgeSchema>;

/** Such a judge with all that a verifier is asked by. */
export const wholeJudge = (kind: string, judge: OwnJudge): Judge =>
  canonicalJudge({ ...JudgeSchema.parse({}), ...judge, prompt: kind });

export interface ModelQuestion {
  kind: string;
  input: Messages;
  samples: number;
  /** What stands in the kind's words: its scale, or its labels. */
  scale: string;
  /** The value of a rollout that has no candidate to look at. */
  lowest: number;
  /** A verdict's value; null where it says nothing. */
  read(verdict: Verdict): number | null;
}

/** Asks once about each candidate; equal candidates share the answer. */
export function modelPlan(prepared: PreparedGroup, { kind, input, samples, scale, lowest, read }: ModelQuestion): Plan {
  const { texts, classes } = prepared;
  const asked = texts.map((_, own) => messagesFor(prepared, input, own));
  const questions = asked.flatMap((messages, own): Question[] =>
    messages === null ? [] : [{ to: "chat", preset: kind, slots: { rubric: scale, messages }, shown: [own], samples }],
  );
  const scoreOf = (own: number | null, seen: readonly AskedQuestion[]): Valued => {
    if (own === null) return valued(lowest);
    if (asked[own] === null) return without("sample_not_json");
    const readings = seen.filter(({ question }) => question.shown[0] === own).flatMap((entry) => entry.readings);
    const values = readings.flatMap(({ verdict }) => (verdict === null ? [] : (read(verdict) ?? [])));
    return values.length === 0 ? without(commonFault(seen, own) ?? "unparsed") : valued(mean(values));
  };
  return {
    next: (seen) => (seen.length > 0 ? [] : questions),
    result: (seen) => ({ scores: classes.classOf.map((own) => scoreOf(own, seen)) }),
  };
}

/** The messages about one candidate; null where it is no JSON and they need it. */
function messagesFor({ group, index, texts }: PreparedGroup, input: Messages, own: number): GivenMessage[] | null {
  const item = factOf<Record<string, unknown>>(group, "item");
  const messages: GivenMessage[] = [];
  for (const { role, content } of input) {
    const parts = fill(templateOf(content), { item, index, text: texts[own] as string });
    if (parts === null) return null;
    messages.push({ role, parts: parts.filter((part) => part !== "") });
  }
  return messages;
}
