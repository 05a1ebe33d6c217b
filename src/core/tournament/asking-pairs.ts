// Owns how one comparison of a schedule is put to the verifier: in which orders, how often, and
// what is asked again. Knows no schedule and no verifier.
import { type ContentKey, compareKeys } from "../candidate/classes.ts";
import type { Spec } from "../contract/spec.ts";
import type { Showing } from "../judges/questions.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import { betaConfidence } from "../math/stats.ts";
import type { Match } from "./schedule.ts";

/** A question about a match and what came of it: votes for the first shown, for the others, grades. */
export interface Answered {
  showing: Showing;
  /** What each verdict gave the candidates shown, in [0, 1]; a verdict that could not be read has none. */
  grades: readonly (readonly number[])[];
}

/** An outcome between these is close: the other order is asked too (`when_close`). */
const CLOSE: readonly [number, number] = [0.35, 0.65];

type Judge = Spec["judge"];

interface Samples {
  min: number;
  max: number;
  /** P(the majority is right) at which no more samples are asked; null: all are asked. */
  confidence: number | null;
}

export function samplesOf({ samples }: Judge): Samples {
  if (typeof samples === "number") return { min: samples, max: samples, confidence: null };
  const { min, max, stop, confidence } = samples;
  return stop === "majority" ? { min: max, max, confidence: null } : { min, max, confidence };
}

/** Whether a pair's outcome is the mean of what its verdicts gave, not their majority. */
export const isGraded = ({ vote, strength }: { vote: string; strength?: "graded" | undefined }): boolean =>
  vote === "soft" || strength === "graded";

/** Generations that a match costs at least, as its first questions ask them. */
export function firstCost(judge: Judge): number {
  return samplesOf(judge).min * (judge.both_orders === true ? 2 : 1);
}

export interface Wording {
  /** One a candidate. */
  keys: readonly ContentKey[];
  judge: Judge;
  seed: number;
}

/** The first questions about a match. */
export function firstShowings(match: Match, wording: Wording): Showing[] {
  return wording.judge.mode === "listwise" ? listShowings(match, wording) : pairShowings(match, wording);
}

/** Each sample of a list under its own seeded permutation. */
function listShowings(match: Match, { keys, judge, seed }: Wording): Showing[] {
  const byContent = [...match].sort((i, j) => compareKeys(keys[i] as ContentKey, keys[j] as ContentKey));
  const content = byContent.flatMap((i) => [...(keys[i] as ContentKey)]);
  const { max } = samplesOf(judge);
  return Array.from({ length: max }, (_, sample) => sample).flatMap((sample): Showing[] => {
    const shown = shuffled(byContent, createRandom(hashText("list", seed, sample, ...content)));
    const forward = { shown, samples: 1, first_sample: sample };
    return judge.both_orders === true
      ? [forward, { shown: [...shown].reverse(), samples: 1, first_sample: max + sample }]
      : [forward];
  });
}

/** Both orders, or one that hangs on the seed and the contents only. */
function pairShowings(match: Match, { keys, judge, seed }: Wording): Showing[] {
  const [i, j] = match as readonly [number, number];
  const [a, b] = [keys[i], keys[j]] as [ContentKey, ContentKey];
  const [low, high] = compareKeys(a, b) <= 0 ? [i, j] : [j, i];
  const { min: samples, confidence } = samplesOf(judge);
  if (judge.both_orders === true) {
    return [
      { shown: [low, high], samples },
      { shown: [high, low], samples },
    ];
  }
  const [lowKey, highKey] = low === i ? [a, b] : [b, a];
  const flip = (hashText("pair", seed, ...lowKey, ...highKey)[0] & 1) === 1;
  const alone = judge.both_orders === false && confidence === null && !isGraded(judge);
  return [{ shown: flip ? [high, low] : [low, high], samples, ...(alone && { stop: "majority" as const }) }];
}

/** What else is to be asked about a pair; nothing when it is settled. Lists are settled at once. */
export function furtherShowings(answered: readonly Answered[], judge: Judge): Showing[] {
  if (judge.mode === "listwise") return [];
  const more = moreSamples(answered, judge);
  if (more.length > 0) return more;
  return judge.both_orders === "when_close" && isClose(answered) ? otherOrder(answered) : [];
}

/** The second order of a pair that was asked in one, alike; nothing where both were. */
export function otherOrder(answered: readonly Answered[]): Showing[] {
  const first = answered.filter(({ showing }) => showing.reask !== true);
  const [{ showing: one }] = first as [Answered];
  if (first.some(({ showing }) => showing.shown[0] !== one.shown[0])) return [];
  return first.map(({ showing: { shown, ...rest } }) => ({ ...rest, shown: [...shown].reverse() }));
}

/** The mean outcome of the first one asked about as first; null where nothing could be read. */
function outcomeOf(answered: readonly Answered[]): number | null {
  const first = answered[0]?.showing.shown[0];
  const values = answered.flatMap(({ showing, grades }) =>
    grades.map(([a = 0, b = 0]) => (1 + (showing.shown[0] === first ? a - b : b - a)) / 2),
  );
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isClose(answered: readonly Answered[]): boolean {
  const outcome = outcomeOf(answered);
  return outcome !== null && outcome >= CLOSE[0] && outcome <= CLOSE[1];
}

/**
 * As few more samples as could make the majority sure, in each order asked: Adaptive-Consistency's
 * Beta criterion over the votes that could be read.
 */
function moreSamples(answered: readonly Answered[], judge: Judge): Showing[] {
  const { max, confidence } = samplesOf(judge);
  if (confidence === null) return [];
  const own = answered.filter(({ showing }) => showing.reask !== true);
  const first = own[0]?.showing.shown[0];
  const votes = answered.flatMap(({ showing, grades }) =>
    grades.map(([a = 0, b = 0]) => (showing.shown[0] === first ? a - b : b - a)),
  );
  const [v1, v2] = [votes.filter((v) => v > 0).length, votes.filter((v) => v < 0).length].sort((a, b) => b - a) as [
    number,
    number,
  ];
  let missing = 0;
  while (betaConfidence(v1 + missing, v2) < confidence && missing < 2 * max) missing++;
  if (missing === 0) return [];
  const orders = [...new Map(own.map(({ showing }) => [showing.shown[0], showing])).values()];
  return orders.flatMap((showing): Showing[] => {
    const asked = own.filter((one) => one.showing.shown[0] === showing.shown[0]);
    const count = asked.reduce((sum, one) => sum + one.showing.samples, 0);
    const samples = Math.min(Math.ceil(missing / orders.length), max - count);
    return samples <= 0 ? [] : [{ ...showing, samples, first_sample: count }];
  });
}
