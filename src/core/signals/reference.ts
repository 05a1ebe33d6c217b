// The kind `reference`: whether a rollout's final answer matches the reference, decided by rules and, where
// the rules cannot decide, by a judge.

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

// A blank reference means that this group alone lacks the fact, so the schema accepts it.
const ReferenceText = anyText("reference_chars");
const FIELDS = {
  reference: z
    .union([ReferenceText, someOf(ReferenceText, "references_max")])
    .meta(said("correct answer, or several answers of which one must match")),
  answer_type: z.enum(ANSWER_TYPES).meta(said("type of the reference; default: the spec's answer_type")),
};

const TIERS = ["rules", "judge"] as const;

export const ToleranceSchema = z
  .number()
  .min(0)
  .max(...bound("tolerance_max"))
  .meta(said("relative tolerance: numbers are equal if they differ by at most this share of the larger one; 0: exact"));
/** The tolerance in millionths, the unit that the rules use. */
export const millionthsOf = (tolerance: number): bigint => BigInt(Math.round(tolerance * 1e6));

const PlaceSchema = z.enum(ANSWER_PLACES);
const PlacesSchema = z.union([PlaceSchema, someOf(PlaceSchema, "answer_places_max")]);
type PlacesSetting = z.output<typeof PlacesSchema>;

/**
 * The places that a setting lists. The single word `boxed` means the default list, as in specs written before
 * lists were supported.
 */
const placesOf = (answer: PlacesSetting): readonly AnswerPlace[] =>
  answer === "boxed" ? DEFAULT_PLACES : typeof answer === "string" ? [answer] : answer;

/** Converts a setting to the shortest equivalent form. */
function canonicalPlaces(answer: PlacesSetting): PlacesSetting {
  const places = placesOf(answer);
  if (places.join() === DEFAULT_PLACES.join()) return "boxed";
  const [first] = places;
  return places.length === 1 && first !== undefined && first !== "boxed" ? first : [...places];
}

const SCHEMA = z.strictObject({
  answer: PlacesSchema.default("boxed").meta(
    said(
      `places to look for a rollout's final answer, in order; the last occurrence of the first place that the rollout uses decides. \`boxed\` as the only place means the default list ${DEFAULT_PLACES.join(", ")}`,
    ),
  ),
  answer_type: z.enum(ANSWER_TYPES).default("auto"),
  tolerance: ToleranceSchema.default(0),
  tiers: someOf(z.enum(TIERS), "reference_tiers_max")
    .optional()
    .meta(
      said(
        "tiers that decide, in order: `judge` asks the verifier about answers that the rules leave undecided. Default: only rules",
      ),
    ),
  appeal: z
    .boolean()
    .optional()
    .meta(
      said(
        "true: also sends answers that the rules find different to the verifier, to measure how often the rules are wrong",
      ),
    ),
  undecided: z
    .enum(["lose", "null"])
    .optional()
    .meta(
      said(
        "value of an answer that the rules can find neither equal nor different: lose (default) is 0, as for a wrong answer, if the rules can read the reference; null is no value. If the rules cannot read the reference, the value is always null",
      ),
    ),
  unreadable: UnreadableSchema,
  invalid: InvalidSchema,
  judge: LoneJudgeSchema.omit({ rubric: true }).optional().meta(said("judge settings of the tier `judge`")),
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
/** Minimum number of consecutive rollouts without an answer for a warning; fewer may be chance. */
const UNANSWERED_LEAST = 4;
/** Units of work per character for reading an answer and comparing it with the references. */
const STEPS_CHAR = 5;

/** `equal` if the answer equals any reference, `different` if it differs from all, else `unknown`. */
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

/** Returns a function that reads the final answer of rollout r. */
function answerReader(prepared: PreparedGroup, answer: PlacesSetting): (r: number) => FoundAnswer | null {
  const candidates = answersOf(prepared);
  const places = placesOf(answer);
  const words = wordsBehindThoughts(prepared.group);
  return (r) => finalAnswer(words(r), candidates[r] ?? null, places);
}

/** Whether a string has content and is short enough for the rules. */
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
      return {
        path: ["appeal"],
        message: "requires both tiers, because the verifier reviews answers that the rules find different",
      };
    }
    if (undecided !== undefined && tiers.includes("judge")) {
      return {
        path: ["undecided"],
        message: "has no effect with the tier `judge`, which decides the answers that the rules leave undecided",
      };
    }
    if (judge === undefined) return null;
    if (!tiers.includes("judge")) return { path: ["judge"], message: 'has no effect without the tier "judge"' };
    // A deployment's own templates are checked once the spec is resolved.
    const fits = !isPromptName(judge.prompt) || presetNamed(judge.prompt)?.shape === "reference";
    return fits
      ? voteFault(judge)
      : { path: ["judge", "preset"], message: `${promptTitle(judge.prompt)} does not compare with a reference` };
  },
  judge: ({ judge = null }) => judge,
  facts: () => ["group.reference"],
  range: ({ invalid = 0 }) => [invalid, 1],
  measures: ({ appeal }, rows) => (appeal === true ? appealed(rows) : null),
  placesAnswers: true,
  /** Warns if no rollout has an answer, since the spec probably names the wrong places. */
  warning({ answer }, unanswered) {
    if (unanswered < UNANSWERED_LEAST) return null;
    return `no_answers: the last ${unanswered} rollouts have no answer in any of the places ${placesOf(answer).join(", ")}, so all of them count as wrong`;
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
    // Without this rule, a policy could profit from answers that the rules cannot decide.
    const losesOpen = judge === null && undecided !== "null" && read.every(({ isDecidable }) => isDecidable);
    const foundOf = (answer: string | null): ReferenceMatch => {
      if (!valid) return { answer: null, rules: null };
      // A missing answer counts as wrong.
      const none: ReferenceMatch = {
        answer,
        rules: "different",
        invalid: true,
        ...(unreadable === "null" && { lost: unread(settings, "no_answer") }),
      };
      if (answer === null) return none;
      const rules = compareWithAny(read, answer, { type, tolerance });
      // The notation for an empty set consists of symbols without content, but may be the reference.
      if (isEmpty && isEmptySet(answer)) return { answer, rules: tiers.includes("rules") ? rules : null };
      // An opener (words that only announce an answer) does not count as an answer, although judges reward
      // openers, unless it equals the reference.
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
