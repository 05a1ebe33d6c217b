// Interim results of a tournament: converts the answers so far into grades and outcomes.

import { type AskedQuestion, deciding, outcomesOf } from "../asking/asked-questions.ts";
import { gradesOf, type Outcome } from "../asking/outcome.ts";
import type { Question } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { Judge } from "../asking/signal.ts";
import { missingRules } from "../contract/judge-settings.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { scoreScale } from "../judges/score-scale.ts";
import type { Weighing } from "../judges/verdicts.ts";
import { decide, outcomesIn } from "./decision.ts";
import { isGraded } from "./pair-questions.ts";
import type { PresentationResult, RunSoFar } from "./presentation-results.ts";

const weighingOf = ({ vote, prompt, strength, strength_scale }: Judge): Weighing => ({
  ...{ vote, strength, strength_scale, ranks: presetNamed(prompt) !== null, range: scoreScale(prompt) },
});

interface ReadQuestions {
  questions: readonly Question[];
  outcomes: readonly Outcome[];
  results: readonly PresentationResult[];
}

/** Reads the answers to all questions according to the judge's settings. */
export function readBy(asked: readonly AskedQuestion[], judge: Judge): ReadQuestions {
  const outcomes = outcomesOf(asked, weighingOf(judge));
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
  return { questions, outcomes, results };
}

/** The answers so far in the form that a run reads. Lazy, since a schedule with one wave never reads them. */
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
  const { questions, outcomes, results } = readBy(deciding(all), judge);
  const { unparsed } = missingRules(judge);
  const rules = { unparsed, graded: isGraded(judge), complete: false };
  return { results, outcomes: outcomesIn(decide(classCount, judge.mode, questions, outcomes, rules)) };
}

/** Memoizes `make`, which is called at most once, on first use. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
