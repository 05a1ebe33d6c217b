// Owns a contest played from the first wave to the last against a verifier at hand, which answers
// at once. Asks nobody.
import type { Showing } from "../judges/questions.ts";
import { drained } from "../math/drained.ts";
import type { Answered } from "./answered.ts";
import { isGraded } from "./asking-pairs.ts";
import type { Contest } from "./contest.ts";
import { type Decision, Sums, shownFirst } from "./decision.ts";
import { gradesOf, type Outcome } from "./outcome.ts";
import type { Outcomes } from "./schedule.ts";

/** What came of one sample. */
export type Told = Omit<Outcome, "question">;

/** What a verifier at hand says of a question, one entry a sample. */
export type AnswersTo = (showing: Showing) => readonly Told[];

interface Rehearsed {
  waves: readonly (readonly Showing[])[];
  outcomes: readonly Outcome[];
  decision: Decision;
}

/** The outcomes of a decision, as schedules see them. */
export function outcomesIn(decision: Decision): Outcomes {
  const { pairs, shares } = decision;
  const outcomes = (i: number, j: number) => (pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null));
  return Object.assign(outcomes, { inOrder: (i: number, j: number) => shownFirst(decision, i, j) });
}

/** A question with what came of it, as a contest is told. */
function answeredBy(showing: Showing, told: readonly Told[]): Answered {
  return {
    showing,
    grades: told.flatMap((one) => (one.state === "parsed" ? [gradesOf({ ...one, question: 0 }, showing.shown)] : [])),
    unread: told.some(({ state }) => state === "unparsed"),
  };
}

/** Asks wave after wave until the contest of n candidates is over. */
export function rehearsed(contest: Contest, n: number, answersTo: AnswersTo): Rehearsed {
  return drained(rehearsal(contest, n, answersTo));
}

/** The same a wave at a time, for who has something else to do between two: yields each wave. */
export function* rehearsal(
  contest: Contest,
  n: number,
  answersTo: AnswersTo,
): Generator<readonly Showing[], Rehearsed> {
  const sums = new Sums(n, contest.judge.mode, { graded: isGraded(contest.judge) });
  const answered: Answered[] = [];
  const outcomes: Outcome[] = [];
  const waves: (readonly Showing[])[] = [];
  for (;;) {
    const wave = contest.next({ answered, outcomes: outcomesIn(sums.decision(false)), tokens: 0 });
    if (wave.length === 0) return { waves, outcomes, decision: sums.decision(contest.complete) };
    waves.push(wave);
    for (const showing of wave) {
      const told = answersTo(showing);
      const question = answered.push(answeredBy(showing, told)) - 1;
      sums.ask(showing.shown);
      for (const one of told) {
        const outcome = { ...one, question };
        outcomes.push(outcome);
        sums.add(outcome, showing.shown);
      }
    }
    yield wave;
  }
}
