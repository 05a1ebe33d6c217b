// Turns one comparison from a schedule into questions: which orders, how many samples, and which follow-up
// questions.

import { FIRST, firstSampleOf, isFirst } from "../asking/purpose.ts";
import type { Presentation } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { type ContentKey, compareKeys } from "../candidate/classes.ts";
import { isDecision } from "../contract/prompt-name.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import { betaConfidence } from "../math/stats.ts";
import type { PresentationResult } from "./presentation-results.ts";
import type { Match } from "./schedules/schedule.ts";

/** Bounds of a close outcome; if the outcome lies between them, `when_close` also asks the other order. */
const CLOSE: readonly [number, number] = [0.35, 0.65];

interface Samples {
  min: number;
  max: number;
  /** Probability that the majority is right at which sampling stops; null if all samples are asked. */
  confidence: number | null;
}

export function samplesOf({ samples }: Judge): Samples {
  if (typeof samples === "number") return { min: samples, max: samples, confidence: null };
  const { min, max, stop, confidence } = samples;
  return stop === "majority" ? { min: max, max, confidence: null } : { min, max, confidence };
}

/** Whether a pair's outcome is the mean of its verdicts' grades instead of their majority. */
export const isGraded = ({ vote, strength }: { vote: string; strength?: "graded" | undefined }): boolean =>
  vote === "soft" || strength === "graded";

/** Number of generations for a match's first questions, which is the minimum cost of a match. */
export const firstCost = (judge: Judge): number => samplesOf(judge).min * (judge.both_orders === true ? 2 : 1);

/** Maximum number of generations for a match, whatever the answers are. */
export function mostCost(judge: Judge): number {
  return samplesOf(judge).max * (judge.both_orders === false ? 1 : 2);
}

export interface Wording {
  /** One content key per candidate. */
  keys: readonly ContentKey[];
  judge: Judge;
  seed: number;
  /** Whether a pair asked in only one order shows the first candidate of the match first. */
  listsInOrder?: boolean;
}

/**
 * Further samples for each order in which a pair was asked.
 * @param more returns the number of samples to add, given the samples so far and the number of orders
 */
function askedMore(
  results: readonly PresentationResult[],
  more: (count: number, orders: number) => number,
): Presentation[] {
  const first = results.flatMap(({ presentation }) => (isFirst(presentation) ? [presentation] : []));
  const orders = [...Map.groupBy(first, ({ shown }) => shown[0]).values()];
  return orders.flatMap((asked): Presentation[] => {
    const [{ stop: _, ...order }] = asked as [Presentation];
    const count = asked.reduce((sum, { samples }) => sum + samples, 0);
    const samples = more(count, orders.length);
    return samples <= 0 ? [] : [{ ...order, samples, purpose: { ...FIRST, from: count } }];
  });
}

/** @param round how often a list of the same candidates has been asked already */
export function firstPresentations(match: Match, wording: Wording, round = 0): Presentation[] {
  const { judge } = wording;
  if (judge.mode === "listwise") return listPresentations(match, wording, round);
  return pairPresentations(match, wording);
}

/** One question per sample of a list, each with its own seeded permutation. */
function listPresentations(match: Match, { keys, judge, seed }: Wording, round: number): Presentation[] {
  const byContent = [...match].sort((i, j) => compareKeys(keys[i] as ContentKey, keys[j] as ContentKey));
  const content = byContent.flatMap((i) => [...(keys[i] as ContentKey)]);
  const { max } = samplesOf(judge);
  return Array.from({ length: max }, (_, k) => k).flatMap((from): Presentation[] => {
    const purpose = { ...FIRST, round, from };
    const sample = firstSampleOf({ purpose });
    const shown = shuffled(byContent, createRandom(hashText("list", seed, sample, ...content)));
    const forward = { shown, samples: 1, purpose };
    return judge.both_orders === true
      ? [forward, { shown: [...shown].reverse(), samples: 1, purpose: { ...purpose, from: max + from } }]
      : [forward];
  });
}

/** Both orders of a pair, or one order, determined by the seed and the candidates' contents. */
function pairPresentations(match: Match, { keys, judge, seed, listsInOrder = false }: Wording): Presentation[] {
  const [i, j] = match as readonly [number, number];
  const [a, b] = [keys[i], keys[j]] as [ContentKey, ContentKey];
  const [low, high] = compareKeys(a, b) <= 0 ? [i, j] : [j, i];
  const { min: samples } = samplesOf(judge);
  if (judge.both_orders === true) return [asked([low, high], judge), asked([high, low], judge)];
  if (listsInOrder) return [{ shown: [i, j], samples, purpose: FIRST }];
  const [lowKey, highKey] = low === i ? [a, b] : [b, a];
  if (isDecision(judge.prompt)) {
    // All pairs of the group follow one common order, so that a single state can show them all.
    const place = (key: ContentKey) => hashText("state", seed, ...key)[0];
    return [asked(place(lowKey) <= place(highKey) ? [low, high] : [high, low], judge)];
  }
  const flip = (hashText("pair", seed, ...lowKey, ...highKey)[0] & 1) === 1;
  return [asked(flip ? [high, low] : [low, high], judge)];
}

/** The first question about a pair in the given order. */
function asked(shown: readonly number[], judge: Judge): Presentation {
  const { min: samples, confidence } = samplesOf(judge);
  const alone = judge.both_orders === false && confidence === null && !isGraded(judge);
  return { shown, samples, purpose: FIRST, ...(alone && { stop: "majority" as const }) };
}

/** Whether further questions about a pair may follow its first answers. */
export const mayAskFurther = (judge: Judge): boolean =>
  judge.mode === "pairwise" && (samplesOf(judge).confidence !== null || judge.both_orders === "when_close");

/**
 * The next questions about a match: more samples, then the other order; empty when the match is settled.
 * Lists never have further questions.
 */
export function furtherPresentations(results: readonly PresentationResult[], judge: Judge): Presentation[] {
  if (judge.mode === "listwise") return [];
  const more = moreSamples(results, judge);
  if (more.length > 0) return more;
  return judge.both_orders === "when_close" && isClose(results) ? otherOrder(results) : [];
}

/** Questions that show a pair in its second order, with the same samples; empty if both orders were asked. */
export function otherOrder(results: readonly PresentationResult[]): Presentation[] {
  const first = results.filter(({ presentation }) => isFirst(presentation));
  const [{ presentation: firstShown }] = first as [PresentationResult];
  if (first.some(({ presentation }) => presentation.shown[0] !== firstShown.shown[0])) return [];
  return first.map(({ presentation: { shown, ...rest } }) => ({ ...rest, shown: [...shown].reverse() }));
}

/** Mean outcome of the candidate that the first question shows first; null if no verdict could be read. */
function outcomeOf(results: readonly PresentationResult[]): number | null {
  const first = results[0]?.presentation.shown[0];
  const values = results.flatMap(({ presentation, grades }) =>
    grades.map(([a = 0, b = 0]) => (1 + (presentation.shown[0] === first ? a - b : b - a)) / 2),
  );
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isClose(results: readonly PresentationResult[]): boolean {
  const outcome = outcomeOf(results);
  return outcome !== null && outcome >= CLOSE[0] && outcome <= CLOSE[1];
}

/**
 * Number of further unanimous votes needed to reach the required confidence; 0 if it is already reached or
 * not set.
 */
function missingVotes(results: readonly PresentationResult[], judge: Judge): number {
  const { max, confidence } = samplesOf(judge);
  if (confidence === null) return 0;
  const first = results.find(({ presentation }) => isFirst(presentation))?.presentation.shown[0];
  const votes = results.flatMap(({ presentation, grades }) =>
    grades.map(([a = 0, b = 0]) => (presentation.shown[0] === first ? a - b : b - a)),
  );
  const [v1, v2] = [votes.filter((v) => v > 0).length, votes.filter((v) => v < 0).length].sort((a, b) => b - a) as [
    number,
    number,
  ];
  let missing = 0;
  while (betaConfidence(v1 + missing, v2) < confidence && missing < 2 * max) missing++;
  return missing;
}

/**
 * The fewest further samples, per order asked, that could make the majority certain enough, using the Beta
 * criterion of Adaptive-Consistency over the readable votes.
 */
function moreSamples(results: readonly PresentationResult[], judge: Judge): Presentation[] {
  const { max } = samplesOf(judge);
  const missing = missingVotes(results, judge);
  if (missing === 0) return [];
  return askedMore(results, (count, orders) => Math.min(Math.ceil(missing / orders), max - count));
}
