// The two tiers that compare an answer with the reference: rules first, then a judge for the answers that the
// rules leave undecided.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { answeredAtOnce, type Detail, type Plan, type RolloutValue } from "../asking/plan.ts";
import { FIRST } from "../asking/purpose.ts";
import type { Question } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import type { Equivalence } from "../candidate/answers/compare-answers.ts";
import type { AnswerPlace } from "../candidate/answers/final-answer.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { gradeOf, isInvalid } from "./grade.ts";
import { orOf } from "./lone-judge.ts";
import { bareQuestion, lonePlan, shownOnce, verdictsOn } from "./lone-plan.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

/**
 * A rollout's final answer and the result of the rules; both are null if the reference is invalid. `lost` is
 * the rollout's value if its answer cannot be read.
 */
export interface ReferenceMatch {
  answer: string | null;
  rules: Equivalence | null;
  /** Where the answer was found; undefined if the rollout uses none of the places. */
  place?: AnswerPlace | undefined;
  lost?: RolloutValue;
  /** True if the answer is invalid rather than wrong. */
  invalid?: true;
}

const VALUES: Readonly<Record<Equivalence, Valued>> = {
  equal: valued(1),
  different: valued(0),
  unknown: without("rules_undecided"),
};

const invalidAt = (worth: number, detail: Detail): RolloutValue => ({
  value: valued(worth),
  detail: { ...detail, label: "invalid" },
});

function ruled({ rules, answer, lost, invalid }: ReferenceMatch, worth: number): RolloutValue {
  if (lost !== undefined) return lost;
  if (invalid === true) return invalidAt(worth, { tier: "rules" });
  const value = rules === null ? without(answer === null ? "invalid_reference" : "rules_undecided") : VALUES[rules];
  return { value, detail: rules === "unknown" ? null : { tier: "rules" } };
}

/** Adds to a rollout's details the place where its answer was found. */
const withPlace = ({ place }: ReferenceMatch, { value, detail }: RolloutValue): RolloutValue => ({
  value,
  detail: place === undefined ? detail : { ...detail, place },
});

/** Decides by the rules only. */
export function byRules(found: readonly ReferenceMatch[], invalid: number): Plan {
  const rows = () => found.map((match) => withPlace(match, ruled(match, invalid)));
  return answeredAtOnce(
    () => rows().map(({ value }) => value),
    () => rows().map(({ detail }) => detail),
  );
}

/**
 * Whether an answer may be shown to the judge, which requires that it is not longer than a reference may be.
 */
const isShown = (answer: string | null): answer is string => answer !== null && answer.length <= LIMITS.answer_chars;

/**
 * Asks a judge about answers that the rules leave undecided and, with `appeal`, about answers that they find
 * different. The judge sees only the final answer, each distinct answer once; the reasoning is hidden so that
 * it cannot persuade the judge. An answer about which the judge returns no verdict has no value, whatever the
 * rules found.
 */
export function byJudge(
  { question }: PreparedGroup,
  references: readonly string[],
  found: readonly ReferenceMatch[],
  { judge, appeal, unreadable, invalid }: { judge: Judge; appeal: boolean; invalid: number } & UnreadableRule,
): Plan {
  if (references.length === 0) {
    throw new ApiError("facts_required", "Every group needs a reference.", { errors: [] });
  }
  const isOpen = ({ answer, rules, lost }: ReferenceMatch) =>
    lost === undefined &&
    isShown(answer) &&
    (rules === null || rules === "unknown" || (appeal && rules === "different"));
  const { shows, textIndices } = shownOnce(
    question,
    found.map((tier) => (isOpen(tier) ? tier.answer : null)),
  );
  const questionOf = {
    to: "chat" as const,
    preset: judge.prompt,
    ...slotsOf(judge, orOf(references)),
    samples: judge.samples as number,
    purpose: FIRST,
  };
  return lonePlan({
    questions: shows.texts.map((_, classIndex): Question => ({ ...questionOf, shown: [classIndex] })),
    ...{ textIndices, shows, unreadable, lowest: invalid, bare: bareQuestion },
    read: (seen) => (text, r) => {
      const match = found[r] as ReferenceMatch;
      // Neither tier decides an answer that is too long for the judge.
      const isLong = text === null && match.answer !== null && !isShown(match.answer) && match.rules !== "equal";
      const row = isLong
        ? unread({ unreadable }, "rules_undecided", invalid)
        : text === null
          ? ruled(match, invalid)
          : rowOf(match, verdictOn(text, judge, invalid, seen));
      return withPlace(match, row);
    },
  });
}

const MAJORITY = 0.5;

/**
 * 1 if more than half of the verdicts find the answer correct; the `invalid` value if more than half call it
 * invalid; else 0.
 */
function verdictOn(classIndex: number, { prompt }: Judge, invalid: number, seen: readonly AskedQuestion[]) {
  const preset = presetNamed(prompt);
  const verdicts = verdictsOn(seen, classIndex).flatMap((verdict) => {
    const grade = gradeOf(verdict, {}, preset);
    return grade === null ? [] : [{ grade, none: isInvalid(verdict, preset) }];
  });
  if (verdicts.length === 0)
    return { value: without(commonFault(seen, classIndex) ?? "verifier_bad_reply"), detail: {} };
  const hasMajority = (holds: (verdict: (typeof verdicts)[number]) => boolean) =>
    verdicts.filter(holds).length > verdicts.length / 2;
  if (hasMajority(({ none }) => none)) return invalidAt(invalid, {});
  return { value: valued(hasMajority(({ grade }) => grade > MAJORITY) ? 1 : 0), detail: {} };
}

function rowOf({ rules }: ReferenceMatch, { value, detail }: RolloutValue): RolloutValue {
  if (value.value === null) return { value, detail: rules === null ? null : { rules } };
  const overturned = rules === "different" && { overturned: value.value === 1 };
  return { value, detail: { tier: "judge", ...detail, ...(rules !== null && { rules }), ...overturned } };
}

/**
 * Counts that show how often the rules are wrong, from appeals. `rules_false_negative_rate` is the share of
 * correct answers (found correct by the rules or, on appeal, by the judge) that the rules had found
 * different.
 */
export function appealed(rows: readonly RolloutValue[]) {
  const count = (holds: (row: RolloutValue) => boolean) => rows.filter(holds).length;
  const rules_equal = count(({ value, detail }) => detail?.tier === "rules" && value.value === 1);
  const appeals = count(({ detail }) => detail?.overturned !== undefined);
  const overturned = count(({ detail }) => detail?.overturned === true);
  const right = rules_equal + overturned;
  return {
    rules_equal,
    appealed: appeals,
    overturned,
    rules_false_negative_rate: right === 0 ? null : overturned / right,
  };
}
