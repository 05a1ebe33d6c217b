// The kind `reference`: whether a rollout's final answer is the reference's, by rules and by a judge of what
// they leave open.

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
  readAnswerTo,
} from "../candidate/answers/compare-answers.ts";
import {
  ANSWER_PLACES,
  type AnswerPlace,
  DEFAULT_PLACES,
  type FoundAnswer,
  finalAnswer,
  statedAnswer,
} from "../candidate/answers/final-answer.ts";
import { isOpener } from "../candidate/openers.ts";
import { answersOf, type PreparedGroup } from "../candidate/prepare.ts";
import { wordsBehindThoughts } from "../candidate/prompted-thoughts.ts";
import { anyText, someOf } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { promptTitle } from "../judges/presets/own.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { InvalidSchema, leanInvalid } from "./invalid-answer.ts";
import { canonicalLoneJudge, LoneJudgeSchema, voteFault } from "./lone-judge.ts";
import { appealed, byJudge, byRules, type ReferenceMatch } from "./reference-tiers.ts";
import { type UnreadableRule, UnreadableSchema, unread } from "./unreadable.ts";

// A blank one is a missing fact of its group, which the others do not answer for.
const ReferenceText = anyText("reference_chars");
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

const PlaceSchema = z.enum(ANSWER_PLACES);
const PlacesSchema = z.union([PlaceSchema, someOf(PlaceSchema, "answer_places_max")]);
type PlacesSetting = z.output<typeof PlacesSchema>;

/** A spec's word alone, as specs before lists had it: `boxed` is the default list. */
const placesOf = (answer: PlacesSetting): readonly AnswerPlace[] =>
  answer === "boxed" ? DEFAULT_PLACES : typeof answer === "string" ? [answer] : answer;

/** The shortest form that means the same. */
function canonicalPlaces(answer: PlacesSetting): PlacesSetting {
  const places = placesOf(answer);
  if (places.join() === DEFAULT_PLACES.join()) return "boxed";
  const [first] = places;
  return places.length === 1 && first !== undefined && first !== "boxed" ? first : [...places];
}

const SCHEMA = z.strictObject({
  answer: PlacesSchema.default("boxed").meta(
    said(
      `where a rollout's final answer stands: places in order, of which the first that is used decides with its last occurrence; \`boxed\` alone is the default list ${DEFAULT_PLACES.join(", ")}`,
    ),
  ),
  answer_type: z.enum(ANSWER_TYPES).default("auto"),
  tolerance: ToleranceSchema.default(0),
  tiers: someOf(z.enum(TIERS), "reference_tiers_max")
    .optional()
    .meta(said("who decides, in order: what rules leave open goes to the judge. Default rules alone")),
  appeal: z
    .boolean()
    .optional()
    .meta(said("what rules find different goes to the judge too, which measures how often they are wrong")),
  undecided: z
    .enum(["lose", "null"])
    .optional()
    .meta(
      said(
        "what an answer is worth that the rules can neither find equal nor different: lose, 0, as if it were wrong, where they can read the reference (default); null, no value. A reference that they cannot read gives null either way",
      ),
    ),
  unreadable: UnreadableSchema,
  invalid: InvalidSchema,
  judge: LoneJudgeSchema.omit({ rubric: true }).optional().meta(said("of the tier judge")),
});

interface ReferenceSettings extends UnreadableRule {
  answer: PlacesSetting;
  answer_type: AnswerType;
  tolerance: number;
  tiers?: readonly (typeof TIERS)[number][];
  appeal?: true;
  undecided?: "null";
  invalid?: number;
  judge?: Judge;
}

const PRESET = "compassverifier";
const RULES = ["rules"];
/** With fewer rollouts it may be chance. */
const UNANSWERED_LEAST = 4;
/** Steps of reading an answer and comparing it with the references, for each of their chars. */
const STEPS_CHAR = 5;

/** Equal to one of the references; different from all; else unknown. */
function compareWithAny(
  references: readonly ReadAnswer[],
  answer: string,
  { type, tolerance }: { type: AnswerType; tolerance: number },
): Equivalence {
  const read = readAnswer(answer, type);
  const found = references.map((reference) =>
    compareRead(reference, type === "auto" ? readAnswerTo(reference, answer, read) : read, millionthsOf(tolerance)),
  );
  if (found.includes("equal")) return "equal";
  return found.includes("unknown") ? "unknown" : "different";
}

/** Reads the final answer of a rollout. */
function answerReader(prepared: PreparedGroup, answer: PlacesSetting): (r: number) => FoundAnswer | null {
  const candidates = answersOf(prepared);
  const places = placesOf(answer);
  const words = wordsBehindThoughts(prepared.group);
  return (r) => finalAnswer(words(r), candidates[r] ?? null, places);
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
    const {
      tiers = RULES,
      appeal,
      undecided,
      judge,
      answer,
      ...given
    } = settings as unknown as z.output<typeof SCHEMA>;
    const rest = { ...leanInvalid(given), answer: canonicalPlaces(answer) };
    const asks = tiers.includes("judge") || judge !== undefined;
    return {
      ...rest,
      ...(tiers.join() !== RULES.join() && { tiers }),
      ...(appeal === true && { appeal }),
      ...(undecided === "null" && { undecided }),
      ...(asks && { judge: canonicalLoneJudge(judge ?? LoneJudgeSchema.parse({}), PRESET) }),
    } as unknown as ReferenceSettings;
  },
  fault({ tiers = RULES, appeal, undecided, judge }) {
    if (![...TIERS, TIERS.join()].includes(tiers.join())) {
      return { path: ["tiers"], message: "must be rules, judge, or rules and then judge" };
    }
    if (appeal === true && tiers.length < TIERS.length) {
      return { path: ["appeal"], message: "needs both tiers: the judge looks at what the rules find different" };
    }
    if (undecided !== undefined && tiers.includes("judge")) {
      return {
        path: ["undecided"],
        message: "has no effect with the tier judge, which decides what the rules leave open",
      };
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
  placesAnswers: true,
  /** If it finds no answer at all, it usually looks in the wrong place. */
  warning({ answer }, unanswered) {
    if (unanswered < UNANSWERED_LEAST) return null;
    return `no_answers: the last ${unanswered} rollouts have no answer in the places ${placesOf(answer).join(", ")}, so that all are wrong`;
  },
  ...inSteps<ReferenceSettings>(function* (prepared, settings) {
    const { answer: place, answer_type, tolerance, tiers = RULES, appeal = false, judge = null } = settings;
    const { undecided, unreadable, invalid = 0 } = settings;
    const { group } = prepared;
    const references = [factOf<string | string[]>(group, "reference") ?? []]
      .flat()
      .filter((text) => text.trim() !== "");
    const type = factOf<AnswerType>(group, "answer_type") ?? answer_type;
    const stated = references.map(statedAnswer);
    const valid = stated.some((reference) => plainAnswer(reference) !== "");
    const read = stated.map((reference) => readAnswer(reference, type));
    const isEmpty = stated.some(isEmptySet);
    const comparable = stated.every(isReadable);
    // Otherwise a policy would write what the rules cannot decide, and lose nothing by it.
    const losesOpen = judge === null && undecided !== "null" && read.every(({ isDecidable }) => isDecidable);
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
      const rules = compareWithAny(read, answer, { type, tolerance });
      // Marks alone, and still what the reference may be.
      if (isEmpty && isEmptySet(answer)) return { answer, rules: tiers.includes("rules") ? rules : null };
      // Nor does an opener, for which judges pay, where it is not the very answer.
      if ((plainAnswer(answer) === "" || isOpener(answer)) && rules !== "equal") return { ...none, answer: null };
      const isOpen = rules === "unknown" && (judge === null || plainAnswer(answer) !== null);
      const lost = isOpen && comparable && !isReadable(answer);
      const ruled = tiers.includes("rules") ? rules : null;
      if (rules === "unknown" && !lost && losesOpen) return { answer, rules, lost: unread({}, "rules_undecided") };
      return { answer, rules: ruled, ...(lost && { lost: unread(settings, "rules_undecided", invalid) }) };
    };
    const found: ReferenceMatch[] = [];
    const answerOf = answerReader(prepared, place);
    for (const [r, { text }] of group.rollouts.entries()) {
      const answer = answerOf(r);
      found.push({ ...foundOf(answer?.text ?? null), place: answer?.place });
      yield STEPS_CHAR *
        (text.length + (answer?.text.length ?? 0) + references.reduce((sum, { length }) => sum + length, 0));
    }
    return judge === null
      ? byRules(found, invalid)
      : byJudge(prepared, references, found, { judge, appeal, unreadable, invalid });
  }),
};
