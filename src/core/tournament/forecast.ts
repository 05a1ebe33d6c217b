// Owns what a contest will come to ask, told before anything is: its expected and its most
// generations, over all waves.
import { isShort, type Showing } from "../judges/questions.ts";
import { sigmoid } from "../math/bradley-terry.ts";
import { createRandom, hashText } from "../math/random.ts";
import { mean } from "../math/stats.ts";
import { isGraded } from "./asking-pairs.ts";
import { type Contest, NOTHING_SEEN } from "./contest.ts";
import { type AnswersTo, rehearsed } from "./rehearsal.ts";

export interface Forecast {
  /** The mean over rehearsals, to the nearest whole generation; no thinking is cut in them. */
  expected: number;
  /** Whatever the verifier answers. */
  most: number;
  /** Of a judge that asks with few tokens first: how many of both are asked so. */
  short?: { expected: number; most: number };
}

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

/**
 * Generations of a group of n, without what is asked again. @throws ApiError where a group of n
 * cannot be met
 */
export function forecastOf(begin: () => Contest, n: number): Forecast {
  const contest = begin();
  const first = generationsIn(contest.next(NOTHING_SEEN));
  const most = contest.mostOf(first);
  const short = (expected: number) =>
    contest.judge.think !== undefined && { short: { expected, most: Math.ceil(most / 2) } };
  if (!contest.adaptive || contest.judge.mode === "listwise") return { expected: first, most, ...short(first) };
  const played = Array.from({ length: n <= REHEARSED_OFTEN ? REHEARSALS : 1 }, (_, time) =>
    rehearsed(begin(), n, middling(n, isGraded(contest.judge), time)).waves.flat(),
  );
  const expected = Math.round(mean(played.map(generationsIn)));
  const asShort = Math.round(mean(played.map((asked) => generationsIn(asked.filter(isShort)))));
  return { expected, most, ...short(asShort) };
}

const generationsIn = (wave: readonly Showing[]) => wave.reduce((sum, { samples }) => sum + samples, 0);

/**
 * A verifier that tells candidates at even distances apart by so much, and errs by chance alone.
 */
function middling(n: number, graded: boolean, time: number): AnswersTo {
  return ({ shown: [a = 0, b = 0], samples, first_sample = 0 }) => {
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
