// Owns a run played from the first wave to the last against a verifier at hand, which answers
// at once. Asks nobody.

import { gradesOf, type Outcome } from "../asking/outcome.ts";
import type { Presentation } from "../asking/questions.ts";
import { drained } from "../math/drained.ts";
import { type Decision, decide, Sums, shownFirst } from "./decision.ts";
import { weightsOf } from "./first-word.ts";
import { isGraded } from "./pair-questions.ts";
import type { PresentationResult } from "./presentation-results.ts";
import type { Outcomes } from "./schedules/schedule.ts";
import type { TournamentRun } from "./tournament-run.ts";

/** What came of one sample. */
export type SampleOutcome = Omit<Outcome, "question">;

/** What a verifier at hand says of a question, one entry a sample. */
export type AnswersTo = (presentation: Presentation) => readonly SampleOutcome[];

interface Rehearsed {
  waves: readonly (readonly Presentation[])[];
  outcomes: readonly Outcome[];
  decision: Decision;
}

/** The outcomes of a decision, as schedules see them. */
export function outcomesIn(decision: Decision): Outcomes {
  const { pairs, shares } = decision;
  const outcomes = (i: number, j: number) => (pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null));
  return Object.assign(outcomes, { inOrder: (i: number, j: number) => shownFirst(decision, i, j) });
}

/** A question with what came of it, as a run sees it. */
function presentationResult(presentation: Presentation, samples: readonly SampleOutcome[]): PresentationResult {
  return {
    presentation,
    grades: samples.flatMap((sample) =>
      sample.state === "parsed" ? [gradesOf({ ...sample, question: 0 }, presentation.shown)] : [],
    ),
    unread: samples.some(({ state }) => state === "unparsed"),
  };
}

/** Asks wave after wave until the run over n candidates ends. */
export function rehearsed(run: TournamentRun, n: number, answersTo: AnswersTo): Rehearsed {
  return drained(rehearsal(run, n, answersTo));
}

/**
 * The same a wave at a time: yields each wave before it is answered, and asks no more once it is told
 * false.
 */
export function* rehearsal(
  run: TournamentRun,
  n: number,
  answersTo: AnswersTo,
): Generator<readonly Presentation[], Rehearsed, boolean | undefined> {
  const { judge } = run;
  const rules = { graded: isGraded(judge) };
  const sums = new Sums(n, judge.mode, rules);
  const results: PresentationResult[] = [];
  const outcomes: Outcome[] = [];
  const waves: (readonly Presentation[])[] = [];
  // Of two judges each answer may take away what another one counts.
  const decision = (complete: boolean) =>
    judge.first === undefined
      ? sums.decision(complete)
      : decide(
          n,
          judge.mode,
          results.map(({ presentation }) => presentation),
          outcomes,
          {
            ...rules,
            ...{ complete, weights: weightsOf(results, judge) },
          },
        );
  for (;;) {
    const wave = run.next({ results, outcomes: outcomesIn(decision(false)), tokens: 0 });
    if (wave.length === 0 || (yield wave) === false) return { waves, outcomes, decision: decision(run.complete) };
    waves.push(wave);
    for (const presentation of wave) {
      const samples = answersTo(presentation);
      const question = results.push(presentationResult(presentation, samples)) - 1;
      sums.ask(presentation.shown);
      for (const sample of samples) {
        const outcome = { ...sample, question };
        outcomes.push(outcome);
        sums.add(outcome, presentation.shown);
      }
    }
  }
}
