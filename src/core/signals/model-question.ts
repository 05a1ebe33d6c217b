// Owns what the kinds that bring their own messages share: those messages' schema, one question
// about each candidate, and its value as the mean over the samples.
import * as z from "zod";
import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { FillRoom } from "../asking/fill-room.ts";
import type { Question } from "../asking/questions.ts";
import type { Judge, Plan } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema } from "../contract/spec.ts";
import { someOf, wholeFrom } from "../faults/bounded.ts";
import { LIMITS } from "../faults/limits.ts";
import { GIVEN_ROLES, type GivenMessage } from "../judges/prompt-job.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { mean } from "../math/stats.ts";
import { BARE_TEXT, lonePlan, verdictsOn } from "./lone-plan.ts";
import {
  type FilledChars,
  fill,
  fillingOf,
  ITEM_FIELDS,
  isOfGroup,
  isOfGroupButText,
  itemFact,
  itemFault,
  noChars,
  TemplateSchema,
  templateOf,
  type Unfilled,
} from "./sample-template.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

export const MessagesSchema = someOf(
  z.strictObject({ role: z.enum(GIVEN_ROLES), content: TemplateSchema }),
  "judge_messages_max",
);
type Messages = z.output<typeof MessagesSchema>;

/** How the verifier is asked; its words are the signal's messages. */
export const OwnJudgeSchema = JudgeSchema.pick({
  model: true,
  temperature: true,
  top_p: true,
  max_tokens: true,
  strict_model: true,
  images: true,
  reask: true,
})
  .extend({
    samples: wholeFrom(1, "samples_max").default(1),
  })
  .prefault({});
type OwnJudge = z.output<typeof OwnJudgeSchema>;

/** Such a judge with all that a verifier is asked by. */
const wholeJudge = (kind: string, judge: OwnJudge): Judge =>
  canonicalJudge({ ...JudgeSchema.parse({}), ...judge, prompt: kind });

const contentsOf = (input: Messages) => input.map(({ content }) => content);

/** What every kind that brings its own messages says of itself. */
export const inOwnMessages = (kind: string) => ({
  fields: ITEM_FIELDS,
  relative: false,
  judge: ({ judge }: { judge: OwnJudge }) => wholeJudge(kind, judge),
  facts: ({ input }: { input: Messages }) => itemFact(contentsOf(input)),
  groupFault: ({ input }: { input: Messages }, group: object) => itemFault(contentsOf(input), group),
});

interface ModelQuestion extends UnreadableRule {
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
export function modelPlan(prepared: PreparedGroup, question: ModelQuestion, room = new FillRoom()): Plan {
  const { kind, input, samples, scale, lowest, read } = question;
  const { texts, classes } = prepared;
  const asked = slotsFor(prepared, texts, input, scale, room);
  const questions = asked.flatMap((slots, classIndex): Question[] =>
    typeof slots === "string" ? [] : [{ to: "chat", preset: kind, slots, shown: [classIndex], samples }],
  );
  const meanOn = (text: number, seen: readonly AskedQuestion[]): Valued => {
    const values = verdictsOn(seen, text).flatMap((verdict) => read(verdict) ?? []);
    return values.length === 0 ? without(commonFault(seen, text) ?? "unparsed") : valued(mean(values));
  };
  const bare = (question: Question): Question | null => {
    const [slots] = slotsFor(prepared, [BARE_TEXT], input, scale, room);
    return typeof slots === "object" ? { ...question, slots, bare: BARE_TEXT } : null;
  };
  return lonePlan({
    ...{ questions, of: classes.classOf, lowest, unreadable: question.unreadable, bare },
    read: (seen) => (text) => {
      const unfilled = text === null ? null : asked[text];
      if (typeof unfilled === "string") return unread(question, unfilled, lowest);
      return { value: text === null ? valued(lowest) : meanOn(text, seen), detail: null };
    },
  });
}

/** What stands between two parts weighs as much as so many chars. */
const PART_CHARS = 32;

type QuestionSlots = NonNullable<Question["slots"]>;

/**
 * The slots of the question about each text, or why it fills none: those of all are the same
 * where no template looks into the sample.
 */
function slotsFor(
  { group, index }: PreparedGroup,
  texts: readonly string[],
  input: Messages,
  rubric: string,
  room: FillRoom,
): (QuestionSlots | Unfilled)[] {
  const templates = input.map(({ role, content }) => ({ role, template: templateOf(content) }));
  const filled = (text: string, chars: FilledChars): QuestionSlots | Unfilled => {
    const filling = fillingOf(group, index, text);
    const messages: GivenMessage[] = [];
    for (const { role, template } of templates) {
      const all = fill(template, filling, chars);
      if (typeof all === "string") return all;
      messages.push({ role, parts: all.filter((part) => part !== "") });
    }
    const row = chars.row + PART_CHARS * messages.reduce((sum, { parts }) => sum + parts.length, 0);
    room.take(row, index);
    room.held += row + chars.json;
    return { rubric, messages };
  };
  if (texts.length === 0 || !templates.every(({ template }) => isOfGroupButText(template)))
    return texts.map((text) => filled(text, noChars()));
  const chars = noChars();
  const slots = filled("", chars);
  const places = templates.flatMap(({ template }) => template).filter((part) => !isOfGroup([part])).length;
  return texts.map((text) => (chars.row + places * text.length > LIMITS.filled_chars ? "sample_too_long" : slots));
}
