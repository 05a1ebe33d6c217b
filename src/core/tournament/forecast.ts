// Owns what a run will come to ask, forecast before anything is: its expected and its most
// generations, over all waves.

import type { Forecasting, RehearsalWork } from "../asking/comparison.ts";
import type { Presentation } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { LIMITS } from "../faults/limits.ts";
import { sigmoid } from "../math/bradley-terry.ts";
import { createRandom, hashText } from "../math/random.ts";
import { mean } from "../math/stats.ts";
import { isGraded } from "./pair-questions.ts";
import { NOTHING_SEEN } from "./presentation-results.ts";
import { type AnswersTo, rehearsal } from "./rehearsal.ts";
import type { TournamentRun } from "./tournament-run.ts";

/**
 * Log-odds between the best and the worst of a group whose candidates stand at even distances: the
 * study's middle verifier.
 */
const SPREAD = 5.5;
/**
 * Rehearsals of a group of at most so many candidates; of a larger one, whose schedules take
 * longer, one.
 */
const REHEARSALS = 8;
const REHEARSED_OFTEN = 16;
/** No further one is begun once so much of what is left was spent. */
const SHARE_OFTEN = 0.5;
/** Work of a generation, of a wave's pairs and of the fit of its strengths, some 20 ns each. */
const STEPS_GENERATION = 40;
const STEPS_PAIR = 20;

export const rehearsalWork = (): RehearsalWork => ({ steps: LIMITS.rehearsal_steps_max });

/**
 * Generations of a group of n: expected where all can be read, and at most whatever the verifier
 * answers, with what is then asked again. Yields the steps of each wave that it rehearsed, for who
 * has something else to do between two. @throws ApiError where a group of n
 * cannot be met
 */
export function* forecastOf(begin: () => TournamentRun, n: number, work: RehearsalWork = rehearsalWork()): Forecasting {
  const run = begin();
  const first = generationsIn(run.next(NOTHING_SEEN));
  const most = run.mostOf(first);
  const { judge } = run;
  if (!run.adaptive || judge.mode === "listwise") return { expected: first, most };
  const played: (readonly Presentation[])[] = [];
  const paid = work.steps;
  const times = n <= REHEARSED_OFTEN ? REHEARSALS : 1;
  for (let time = 0; time < times && work.steps > paid * (1 - SHARE_OFTEN); time++) {
    const asked = yield* rehearsalIn(work, begin(), n, middling(n, judge, time));
    if (asked !== null) played.push(asked);
  }
  const expectedOf = (counts: (presentation: Presentation) => boolean) =>
    played.length === 0 ? null : Math.round(mean(played.map((asked) => generationsIn(asked.filter(counts)))));
  const ofFirst = { expected: expectedOf(({ by }) => by === "first"), most: run.mostAskedFirst(first) };
  return { expected: expectedOf(() => true), most, ...(judge.first !== undefined && { first_judge: ofFirst }) };
}

/** All that one rehearsal asked; null where the work ended before it did. */
function* rehearsalIn(work: RehearsalWork, run: TournamentRun, n: number, answersTo: AnswersTo) {
  const playing = rehearsal(run, n, answersTo);
  while (work.steps > 0) {
    const { done, value } = playing.next();
    if (done) return value.waves.flat();
    const steps = n ** 3 + STEPS_PAIR * n ** 2 + STEPS_GENERATION * generationsIn(value);
    work.steps -= steps;
    yield steps;
  }
  return null;
}

const generationsIn = (wave: readonly Presentation[]) => wave.reduce((sum, { samples }) => sum + samples, 0);

/**
 * A verifier that tells candidates at even distances apart by so much, and errs by chance alone.
 */
function middling(n: number, judge: Judge, time: number): AnswersTo {
  return ({ shown: [a = 0, b = 0], samples, first_sample = 0, by }) => {
    const graded = by === "first" ? judge.first?.vote === "soft" : isGraded(judge);
    const chance = sigmoid((SPREAD * (b - a)) / Math.max(1, n - 1));
    return Array.from({ length: samples }, (_, k) => {
      const random = createRandom(hashText("forecast", time, a, b, first_sample + k));
      return {
        state: "parsed" as const,
        winner: random() < chance ? a : b,
        ...(graded && { grades: [chance, 1 - chance] }),
      };
    });
  };
}
