// Owns what a run's answers come to while it lasts: what was said of each question, and which of
// these words count.

import { type AskedQuestion, counts, outcomesOf } from "../asking/asked-questions.ts";
import { gradesOf, type Outcome } from "../asking/outcome.ts";
import type { Question } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { Judge } from "../asking/signal.ts";
import { missingRules } from "../contract/spec.ts";
import { judgeAsked } from "../judges/asked-first.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { scoreScale } from "../judges/score-scale.ts";
import type { Weighing } from "../judges/verdicts.ts";
import { decide } from "./decision.ts";
import { weightsOf } from "./first-word.ts";
import { isGraded } from "./pair-questions.ts";
import type { PresentationResult, RunSoFar } from "./presentation-results.ts";
import { outcomesIn } from "./rehearsal.ts";

const weighingOf = ({ vote, prompt, strength, strength_scale }: Judge): Weighing => ({
  ...{ vote, strength, strength_scale, ranks: presetNamed(prompt) !== null, range: scoreScale(prompt) },
});

interface ReadQuestions {
  questions: readonly Question[];
  /** Of those questions alone whose verdicts count. */
  outcomes: readonly Outcome[];
  results: readonly PresentationResult[];
  /** How often each question's verdicts count; null: each once. */
  weights: readonly number[] | null;
}

/** What was said of each question, each read as by the judge that it was put to. */
export function readBy(asked: readonly AskedQuestion[], judge: Judge): ReadQuestions {
  const own = weighingOf(judge);
  const first = judge.first === undefined ? own : weighingOf(judgeAsked(judge, { by: "first" }));
  const outcomes = outcomesOf(asked, ({ by }) => (by === "first" ? first : own));
  const questions = asked.map(({ question }) => question);
  const grades = questions.map(() => [] as (readonly number[])[]);
  for (const outcome of outcomes) {
    if (outcome.state === "parsed")
      grades[outcome.question]?.push(gradesOf(outcome, questions[outcome.question]?.shown ?? []));
  }
  const results = questions.map((presentation, q) => ({
    presentation,
    grades: grades[q] as (readonly number[])[],
    ...(judge.budget !== undefined && { unread: (asked[q] as AskedQuestion).readings.some(isUnparsed) }),
  }));
  const weights = weightsOf(results, judge);
  const counted = weights === null ? outcomes : outcomes.filter(({ question }) => weights[question] !== 0);
  return { questions, outcomes: counted, results, weights };
}

/** The questions without those first ones that the judge proper has answered in their place, or should. */
export function standing(all: readonly AskedQuestion[], judge: Judge): readonly AskedQuestion[] {
  if (judge.first === undefined) return all;
  const asked = all.filter(counts);
  const { weights } = readBy(asked, judge);
  const out = new Set(asked.filter(({ question }, q) => question.by === "first" && weights?.[q] === 0));
  return all.filter((entry) => !out.has(entry));
}

/**
 * What a run sees of the answers so far; a schedule without a second wave reads nothing of
 * it.
 */
export function seenBy(all: readonly AskedQuestion[], classCount: number, judge: Judge): RunSoFar {
  const known = lazy(() => knownBy(all, classCount, judge));
  return {
    get results() {
      return known().results;
    },
    outcomes: Object.assign((i: number, j: number) => known().outcomes(i, j), {
      inOrder: (i: number, j: number) => known().outcomes.inOrder?.(i, j) ?? null,
    }),
    get tokens() {
      return all.reduce(
        (sum, { readings }) => sum + readings.reduce((tokens, reading) => tokens + reading.completion_tokens, 0),
        0,
      );
    },
  };
}

function knownBy(all: readonly AskedQuestion[], classCount: number, judge: Judge): Omit<RunSoFar, "tokens"> {
  const { questions, outcomes, results, weights } = readBy(all.filter(counts), judge);
  const { unparsed } = missingRules(judge);
  const rules = { unparsed, graded: isGraded(judge), complete: false, weights };
  return { results, outcomes: outcomesIn(decide(classCount, judge.mode, questions, outcomes, rules)) };
}

/** Made at most once, and only where it is asked for. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
