// Plays a tournament run against a function in place of a verifier, so that studies and tests ask
// the product's own questions without sessions, sockets or time.

import { gradesOf, type Outcome } from "../../src/core/asking/outcome.ts";
import type { Presentation } from "../../src/core/asking/questions.ts";
import { drained } from "../../src/core/math/drained.ts";
import { type Decision, outcomesIn, Sums } from "../../src/core/tournament/decision.ts";
import { isGraded } from "../../src/core/tournament/pair-questions.ts";
import type { PresentationResult } from "../../src/core/tournament/presentation-results.ts";
import type { TournamentRun } from "../../src/core/tournament/tournament-run.ts";

/** The outcome of one sample. */
export type SampleOutcome = Omit<Outcome, "question">;

/** The verifier: outcomes of a question, one entry a sample. */
type AnswersTo = (presentation: Presentation) => readonly SampleOutcome[];

interface PlayedRun {
  waves: readonly (readonly Presentation[])[];
  outcomes: readonly Outcome[];
  decision: Decision;
}

/** A question with its outcomes, as a run sees both. */
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
export function playRun(run: TournamentRun, n: number, answersTo: AnswersTo): PlayedRun {
  return drained(playWaves(run, n, answersTo));
}

/** Plays a run as `playRun` does and yields each wave before the wave is answered. */
export function* playWaves(
  run: TournamentRun,
  n: number,
  answersTo: AnswersTo,
): Generator<readonly Presentation[], PlayedRun> {
  const { judge } = run;
  const rules = { graded: isGraded(judge) };
  const sums = new Sums(n, judge.mode, rules);
  const results: PresentationResult[] = [];
  const outcomes: Outcome[] = [];
  const waves: (readonly Presentation[])[] = [];
  for (;;) {
    const wave = run.next({ results, outcomes: outcomesIn(sums.decision(false)), tokens: 0 });
    if (wave.length === 0) return { waves, outcomes, decision: sums.decision(run.complete) };
    yield wave;
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
