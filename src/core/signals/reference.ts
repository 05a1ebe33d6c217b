// Owns the kind `reference`: whether a rollout's final answer is the reference's, by rules and by a
// judge of what they leave open.

import * as z from "zod";
import { said } from "#said";
import { factOf, inSteps, type Judge, type Signal } from "../asking/signal.ts";
import { hasContent, isEmptySet, plainAnswer } from "../candidate/answers/answer-text.ts";
import {
  ANSWER_TYPES,
  type AnswerType,
  compareRead,
  type Equivalence,
  type ReadAnswer,
  readAnswer,
} from "../candidate/answers/compare-answers.ts";
import { ANSWER_PLACES, type AnswerPlace, finalAnswer, statedAnswer } from "../candidate/answers/final-answer.ts";
import { isOpener } from "../candidate/openers.ts";
import { answersOf, type PreparedGroup } from "../candidate/prepare.ts";
import { someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { promptTitle } from "../judges/presets/own.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { InvalidSchema, leanInvalid } from "./invalid-answer.ts";
import { canonicalLoneJudge, LoneJudgeSchema, voteFault } from "./lone-judge.ts";
import { appealed, byJudge, byRules, type ReferenceMatch } from "./reference-tiers.ts";
import { type UnreadableRule, UnreadableSchema, unread } from "./unreadable.ts";

const ReferenceText = someText("answer_chars");
const FIELDS = {
  reference: z
    .union([ReferenceText, someOf(ReferenceText, "references_max")])
    .meta(said("the right answer, or several of which one must be met")),
  answer_type: z.enum(ANSWER_TYPES).meta(said("what the reference is; the spec's answer_type otherwise")),
};

const TIERS = ["rules", "judge"] as const;

export const ToleranceSchema = z
  .number()
  .min(0)
  .max(...bound("tolerance_max"))
  .meta(said("numbers are equal within this share of the larger; 0: exactly"));
/** A tolerance as the rules take it. */
export const millionthsOf = (tolerance: number): bigint => BigInt(Math.round(tolerance * 1e6));

const SCHEMA = z.strictObject({
  answer: z.enum(ANSWER_PLACES).default("boxed").meta(said("where the final answer stands in a rollout")),
  answer_type: z.enum(ANSWER_TYPES).default("auto"),
  tolerance: ToleranceSchema.default(0),
  tiers: someOf(z.enum(TIERS), "reference_tiers_max")
    .optional()
    .meta(said("who decides, in order: what rules leave open goes to the judge. Default rules alone")),
  appeal: z
    .boolean()
    .optional()
    .meta(said("what rules find different goes to the judge too, which measures how often they are wrong")),
  unreadable: UnreadableSchema,
  invalid: InvalidSchema,
  judge: LoneJudgeSchema.omit({ rubric: true }).optional().meta(said("of the tier judge")),
});

interface ReferenceSettings extends UnreadableRule {
  answer: AnswerPlace;
  answer_type: AnswerType;
  tolerance: number;
  tiers?: readonly (typeof TIERS)[number][];
  appeal?: true;
  invalid?: number;
  judge?: Judge;
}

const PRESET = "compassverifier";
const RULES = ["rules"];
/** Of fewer rollouts it may be chance. */
const UNANSWERED_LEAST = 4;
/** Of reading an answer and comparing it with the references, for each of their chars. */
const STEPS_CHAR = 5;

/** Equal to one of the references; different from all; else unknown. */
function compareWithAny(references: readonly ReadAnswer[], answer: ReadAnswer, tolerance: number): Equivalence {
  const found = references.map((reference) => compareRead(reference, answer, millionthsOf(tolerance)));
  if (found.includes("equal")) return "equal";
  return found.includes("unknown") ? "unknown" : "different";
}

/** Whether there is something in a text, and not more than rules may read. */
function isReadable(text: string): boolean {
  const plain = plainAnswer(text);
  return plain !== null && hasContent(plain);
}

export const reference: Signal<ReferenceSettings> = {
  kind: "reference",
  schema: SCHEMA,
  fields: { group: FIELDS },
  relative: false,
  verified: true,
  ownTexts: true,
  canonical(settings) {
    const { tiers = RULES, appeal, judge, ...given } = settings as unknown as z.output<typeof SCHEMA>;
    const rest = leanInvalid(given);
    const asks = tiers.includes("judge") || judge !== undefined;
    return {
      ...rest,
      ...(tiers.join() !== RULES.join() && { tiers }),
      ...(appeal === true && { appeal }),
      ...(asks && { judge: canonicalLoneJudge(judge ?? LoneJudgeSchema.parse({}), PRESET) }),
    } as unknown as ReferenceSettings;
  },
  fault({ tiers = RULES, appeal, judge }) {
    if (![...TIERS, TIERS.join()].includes(tiers.join())) {
      return { path: ["tiers"], message: "must be rules, judge, or rules and then judge" };
    }
    if (appeal === true && tiers.length < TIERS.length) {
      return { path: ["appeal"], message: "needs both tiers: the judge looks at what the rules find different" };
    }
    if (judge === undefined) return null;
    if (!tiers.includes("judge")) return { path: ["judge"], message: 'asked nothing without the tier "judge"' };
    // A deployment's own template is known once the spec is resolved.
    const fits = !isPromptName(judge.prompt) || presetNamed(judge.prompt)?.shape === "reference";
    return fits
      ? voteFault(judge)
      : { path: ["judge", "preset"], message: `${promptTitle(judge.prompt)} holds nothing against a reference` };
  },
  judge: ({ judge = null }) => judge,
  facts: () => ["group.reference"],
  range: ({ invalid = 0 }) => [invalid, 1],
  measures: ({ appeal }, rows) => (appeal === true ? appealed(rows) : null),
  /** Nobody answers where it looks: most often it looks in the wrong place. */
  warning({ answer: place }, groups) {
    const rollouts = groups.reduce((sum, { group }) => sum + group.rollouts.length, 0);
    const isAnswered = (prepared: PreparedGroup) => {
      const candidates = answersOf(prepared);
      return prepared.group.rollouts.some(({ text }, r) => finalAnswer(text, candidates[r] ?? null, place) !== null);
    };
    if (rollouts < UNANSWERED_LEAST || groups.some(isAnswered)) return null;
    return `no_answers: of ${rollouts} rollouts none has an answer where \`"answer": "${place}"\` looks for it, so that all are wrong`;
  },
  ...inSteps<ReferenceSettings>(function* (prepared, settings) {
    const { answer: place, answer_type, tolerance, tiers = RULES, appeal = false, judge = null } = settings;
    const { unreadable, invalid = 0 } = settings;
    const { group } = prepared;
    const candidates = answersOf(prepared);
    const references = [factOf<string | string[]>(group, "reference") ?? []].flat();
    const type = factOf<AnswerType>(group, "answer_type") ?? answer_type;
    const stated = references.map(statedAnswer);
    const valid = stated.some((reference) => plainAnswer(reference) !== "");
    const read = stated.map((reference) => readAnswer(reference, type));
    const isEmpty = stated.some(isEmptySet);
    const comparable = stated.every(isReadable);
    const answers = group.rollouts.map(({ text }, r) => finalAnswer(text, candidates[r] ?? null, place));
    const foundOf = (answer: string | null): ReferenceMatch => {
      if (!valid) return { answer: null, rules: null };
      // Who gives no answer has not given the right one.
      const none: ReferenceMatch = {
        answer,
        rules: "different",
        invalid: true,
        ...(unreadable === "null" && { lost: unread(settings, "no_answer") }),
      };
      if (answer === null) return none;
      const rules = compareWithAny(read, readAnswer(answer, type), tolerance);
      // Marks alone, and still what the reference may be.
      if (isEmpty && isEmptySet(answer)) return { answer, rules: tiers.includes("rules") ? rules : null };
      // Nor does an opener, for which judges pay, where it is not the very answer.
      if ((plainAnswer(answer) === "" || isOpener(answer)) && rules !== "equal") return { ...none, answer: null };
      const isOpen = rules === "unknown" && (judge === null || plainAnswer(answer) !== null);
      const lost = isOpen && comparable && !isReadable(answer);
      const ruled = tiers.includes("rules") ? rules : null;
      return { answer, rules: ruled, ...(lost && { lost: unread(settings, "rules_undecided", invalid) }) };
    };
    const found: ReferenceMatch[] = [];
    for (const answer of answers) {
      found.push(foundOf(answer));
      yield STEPS_CHAR * ((answer?.length ?? 0) + references.reduce((sum, { length }) => sum + length, 0));
    }
    return judge === null
      ? byRules(found, invalid)
      : byJudge(prepared, references, found, { judge, appeal, unreadable, invalid });
  }),
};
