// Owns who decides whether answers are the reference's: the rules, and a judge of what they leave
// open.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import type { Question } from "../asking/questions.ts";
import { answeredAtOnce, type Detail, type Judge, type Plan, type RolloutValue } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import type { Equivalence } from "../candidate/answers/compare-answers.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { gradeOf } from "./grade.ts";
import { orOf } from "./lone-judge.ts";
import { bareQuestion, lonePlan, shownOnce, verdictsOn } from "./lone-plan.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

/**
 * A rollout's final answer, and what the rules say of it; neither where the reference says nothing.
 * `lost`: what it is worth because nobody can read it.
 */
export interface ReferenceMatch {
  answer: string | null;
  rules: Equivalence | null;
  lost?: RolloutValue;
}

const VALUES: Readonly<Record<Equivalence, Valued>> = {
  equal: valued(1),
  different: valued(0),
  unknown: without("rules_undecided"),
};

function ofRules({ rules, answer, lost }: ReferenceMatch): Valued {
  if (lost !== undefined) return lost.value;
  return rules === null ? without(answer === null ? "invalid_reference" : "rules_undecided") : VALUES[rules];
}

function ruled({ rules, lost }: ReferenceMatch): Detail | null {
  if (lost !== undefined) return lost.detail;
  return rules === "unknown" ? null : { tier: "rules" };
}

/** The rules alone. */
export const byRules = (found: readonly ReferenceMatch[]): Plan =>
  answeredAtOnce(
    () => found.map(ofRules),
    () => found.map(ruled),
  );

/** What a judge is asked about: no more than a reference may hold. */
const isShown = (answer: string | null): answer is string => answer !== null && answer.length <= LIMITS.answer_chars;

/**
 * A judge of what the rules leave open, and with `appeal` of what they find different. It sees the
 * final answer alone, each once: reasoning that talks it round is not shown. An answer that it was
 * not able to judge has no value, whatever the rules said.
 */
export function byJudge(
  { question }: PreparedGroup,
  references: readonly string[],
  found: readonly ReferenceMatch[],
  { judge, appeal, unreadable }: { judge: Judge; appeal: boolean } & UnreadableRule,
): Plan {
  if (references.length === 0) {
    throw new ApiError("facts_required", "Every group needs a reference.", { errors: [] });
  }
  const isOpen = ({ answer, rules, lost }: ReferenceMatch) =>
    lost === undefined &&
    isShown(answer) &&
    (rules === null || rules === "unknown" || (appeal && rules === "different"));
  const { shows, of } = shownOnce(
    question,
    found.map((tier) => (isOpen(tier) ? tier.answer : null)),
  );
  const questionOf = {
    to: "chat" as const,
    preset: judge.prompt,
    ...slotsOf(judge, orOf(references)),
    samples: judge.samples as number,
  };
  return lonePlan({
    questions: shows.texts.map((_, classIndex): Question => ({ ...questionOf, shown: [classIndex] })),
    ...{ of, shows, unreadable, bare: bareQuestion },
    read: (seen) => (text, r) => {
      const match = found[r] as ReferenceMatch;
      // Too long for a judge, and so for anybody.
      const isLong = text === null && match.answer !== null && !isShown(match.answer) && match.rules !== "equal";
      return isLong
        ? unread({ unreadable }, "rules_undecided")
        : rowOf(match, text === null ? null : verdictOn(text, judge, seen));
    },
  });
}

const MAJORITY = 0.5;

/** 1 where more than half of the verdicts find the answer right. */
function verdictOn(classIndex: number, { prompt }: Judge, seen: readonly AskedQuestion[]): Valued {
  const preset = presetNamed(prompt);
  const verdicts = verdictsOn(seen, classIndex).flatMap((verdict) => gradeOf(verdict, {}, preset) ?? []);
  if (verdicts.length === 0) return without(commonFault(seen, classIndex) ?? "verifier_bad_reply");
  const right = verdicts.filter((grade) => grade > MAJORITY).length;
  return valued(right > verdicts.length / 2 ? 1 : 0);
}

function rowOf(found: ReferenceMatch, judged: Valued | null): RolloutValue {
  if (judged === null) return { value: ofRules(found), detail: ruled(found) };
  const { rules } = found;
  if (judged.value === null) return { value: judged, detail: rules === null ? null : { rules } };
  const overturned = rules === "different" && { overturned: judged.value === 1 };
  return { value: judged, detail: { tier: "judge", ...(rules !== null && { rules }), ...overturned } };
}

/**
 * What appeals tell of the rules. Their false-negative rate: of the answers that the rules or, on
 * appeal, the judge found right, the share that the rules had found different.
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
