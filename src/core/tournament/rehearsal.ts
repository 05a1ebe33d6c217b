// Owns a contest played from the first wave to the last against a verifier at hand, which answers
// at once. Asks nobody.
import type { Showing } from "../judges/questions.ts";
import type { Answered } from "./answered.ts";
import { isGraded } from "./asking-pairs.ts";
import type { Contest, Seen } from "./contest.ts";
import { type Decision, decide, shownFirst } from "./decide.ts";
import { gradesOf, type Outcome } from "./outcome.ts";
import type { Outcomes } from "./schedule.ts";

/** What came of one sample, and what it took. */
export interface Told extends Omit<Outcome, "question"> {
  /** Of one that could not be read: it came to the end of its tokens. */
  cut?: boolean;
  /** Tokens generated; default 0. */
  tokens?: number;
}

/** What a verifier at hand says of a question, one entry a sample. */
export type AnswersTo = (showing: Showing) => readonly Told[];

export interface Rehearsed {
  waves: readonly (readonly Showing[])[];
  outcomes: readonly Outcome[];
  decision: Decision;
  /** Tokens that were generated. */
  tokens: number;
}

/** The outcomes of a decision, as schedules see them. */
export function outcomesIn(decision: Decision): Outcomes {
  const { pairs, shares } = decision;
  const outcomes = (i: number, j: number) => (pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null));
  return Object.assign(outcomes, { inOrder: (i: number, j: number) => shownFirst(decision, i, j) });
}

/** A question with what came of it, as a contest is told. */
function answeredBy(showing: Showing, told: readonly Told[]): Answered {
  const first = showing.first_sample ?? 0;
  return {
    showing,
    grades: told.flatMap((one) => (one.state === "parsed" ? [gradesOf({ ...one, question: 0 }, showing.shown)] : [])),
    unread: told.flatMap(({ state, cut = false }, k) => (state === "unparsed" ? [{ sample: first + k, cut }] : [])),
  };
}

/** Asks wave after wave until the contest of n candidates is over. */
export function rehearsed(contest: Contest, n: number, answersTo: AnswersTo): Rehearsed {
  const graded = isGraded(contest.judge);
  const answered: Answered[] = [];
  const outcomes: Outcome[] = [];
  const waves: (readonly Showing[])[] = [];
  let tokens = 0;
  const decided = (complete: boolean) => {
    const showings = answered.map(({ showing }) => showing);
    return decide(n, contest.judge.mode, showings, outcomes, { graded, complete });
  };
  for (;;) {
    const seen: Seen = { answered: [...answered], outcomes: outcomesIn(decided(false)), tokens };
    const wave = contest.next(seen);
    if (wave.length === 0) return { waves, outcomes, decision: decided(contest.complete), tokens };
    waves.push(wave);
    for (const showing of wave) {
      const told = answersTo(showing);
      const question = answered.push(answeredBy(showing, told)) - 1;
      for (const { cut: _, tokens: own = 0, ...one } of told) {
        outcomes.push({ ...one, question });
        tokens += own;
      }
    }
  }
}
