// The study's cells: every way of asking against every verifier and list length, with means and intervals
// clustered by problem.

import { hashText } from "../../src/core/math/random.ts";
import { clusteredRatio } from "../statistics/clusters.ts";
import { readLists } from "./lists.ts";
import { COMPARED_SCORES, type Played, play, playedByLot } from "./play.ts";
import { type Noise, verifierOf } from "./verifier-model.ts";
import { RANDOM, type Way, waysFor } from "./ways.ts";

/**
 * Strengths by which all pairs in both orders x 4 reach about the tau-b that the design of schedules
 * expects at n = 16.
 */
export const LEVELS: Readonly<Record<string, Pick<Noise, "discrimination" | "candidate_bias">>> = {
  strong: { discrimination: 10, candidate_bias: 0.6 },
  middle: { discrimination: 5.5, candidate_bias: 0.7 },
  weak: { discrimination: 3, candidate_bias: 0.7 },
};

/** The other parameters, varied so that no conclusion depends on one guess. */
export const NOISES: Readonly<Record<string, Pick<Noise, "pair_bias" | "position_bias" | "position_spread">>> = {
  usual: { pair_bias: 0.5, position_bias: 0.3, position_spread: 0.5 },
  "no pair bias": { pair_bias: 0, position_bias: 0.3, position_spread: 0.5 },
  "strong pair bias": { pair_bias: 1.2, position_bias: 0.3, position_spread: 0.5 },
  "strong position bias": { pair_bias: 0.5, position_bias: 1.2, position_spread: 1 },
};

/**
 * Tokens of a prompt's rules and question, of each candidate in it, and of an answer; thinking's as
 * measured on thinking verifiers.
 */
export const TOKENS = {
  direct: { rules: 100, candidate: 700, completion: 4 },
  thinking: { rules: 100, candidate: 700, completion: 4000 },
};

export interface Estimate {
  mean: number | null;
  ci95: [number, number] | null;
}

export interface Cell {
  level: string;
  noise: string;
  style: Noise["style"];
  n: number;
  lists: number;
  way: Way;
  generations: number;
  waves: number;
  /** Tokens over the reference's. */
  share: number;
  tau: Estimate;
  top: Estimate;
  /** Less the reference's, list by list. */
  tau_gain: Estimate;
  top_gain: Estimate;
  /** By the score's name, of a way that is reported under each. */
  scores?: Readonly<Record<string, { tau: Estimate; top: Estimate }>>;
  /** Its gain over ways that it is compared with, list by list. */
  rivalries: readonly Rivalry[];
}

export interface Rivalry {
  rival: string;
  generations: number;
  tau: Estimate;
  top: Estimate;
}

/** What is studied; plain data, as it goes to other threads. */
export interface StudyPlan {
  set: string;
  sizes: readonly number[];
  draws: number;
  /** Noises of which every size is run; the others only at the middle size. */
  noises: readonly string[];
  styles: readonly Noise["style"][];
}

/** One verifier and list length: what a study plays by itself. */
export type StudyCase = Pick<Cell, "n" | "style" | "noise" | "level">;

/** Every case of a plan, in the report's order. */
export const casesOf = ({ sizes, styles, noises }: StudyPlan): StudyCase[] =>
  sizes.flatMap((n) =>
    styles.flatMap((style) =>
      noises
        .filter((noise) => noise === "usual" || n === 16)
        .flatMap((noise) => Object.keys(LEVELS).map((level) => ({ n, style, noise, level }))),
    ),
  );

/**
 * Plays every way of one case, or the reference and `only` some. The same plan and case give the
 * same cells.
 */
export function cellsOf(
  { set, draws }: StudyPlan,
  { n, style, noise, level }: StudyCase,
  only: (way: Way) => boolean = () => true,
): Cell[] {
  const lists = readLists(set, n, draws);
  const { rules, candidate, completion } = TOKENS[style];
  const tokensOf = (shown: number) => rules + candidate * shown + completion;
  const strength = LEVELS[level] as (typeof LEVELS)[string];
  const parameters: Noise = { ...strength, ...(NOISES[noise] as (typeof NOISES)[string]), style };
  const verifiers = lists.map(({ qualities, problem }, k) => verifierOf(qualities, parameters, `${problem} ${n} ${k}`));
  const ways = waysFor(n).filter((way) => way.reference === true || only(way));
  const all = ways.map((way) => ({
    way,
    played: lists.map((list, k) => play(list, verifiers[k] as (typeof verifiers)[number], way, k, tokensOf)),
  }));
  const random = { way: RANDOM, played: lists.map(playedByLot) };
  return comparedCells({ level, noise, style, n, lists: lists.length }, [...all, random]);
}

export interface PlayedWay {
  way: Way;
  played: readonly Played[];
}

/**
 * The cells of one verifier and list length, each compared with the reference and with its rivals.
 */
export function comparedCells(
  conditions: Pick<Cell, "level" | "noise" | "style" | "n" | "lists">,
  all: readonly PlayedWay[],
): Cell[] {
  const reference = all.find(({ way }) => way.reference) as PlayedWay;
  return all.map((playedWay) => {
    const { way, played } = playedWay;
    return {
      ...conditions,
      way,
      generations: meanOf(played, "generations"),
      waves: meanOf(played, "waves"),
      share: meanOf(played, "tokens") / meanOf(reference.played, "tokens"),
      ...{ tau: estimate(played, ({ tau }) => tau), top: estimate(played, ({ top }) => top) },
      ...{ tau_gain: gain(played, reference.played, "tau"), top_gain: gain(played, reference.played, "top") },
      ...(way.everyScore === true && { scores: scoresOf(played) }),
      rivalries: rivalriesOf(playedWay, all),
    };
  });
}

function rivalriesOf({ way, played }: PlayedWay, all: readonly PlayedWay[]): Rivalry[] {
  const rival = all.find((other) => other.way.name === way.against);
  return rival === undefined ? [] : [against(played, rival)];
}

const against = (played: readonly Played[], rival: PlayedWay) => ({
  rival: rival.way.name,
  generations: meanOf(rival.played, "generations"),
  tau: gain(played, rival.played, "tau"),
  top: gain(played, rival.played, "top"),
});

export const meanOf = (all: readonly Played[], field: "generations" | "tokens" | "waves") =>
  all.reduce((sum, result) => sum + result[field], 0) / all.length;

export function estimate(played: readonly Played[], value: (result: Played, at: number) => number | null): Estimate {
  const observations = played.flatMap((result, k) => {
    const over = value(result, k);
    return over === null ? [] : [{ over, under: 1, cluster: result.problem }];
  });
  return clusteredRatio(observations, { resamples: 400, seed: hashText("study") });
}

export const gain = (played: readonly Played[], others: readonly Played[], field: "tau" | "top") =>
  estimate(played, (result, k) => {
    const [value, other] = [result[field], others[k]?.[field] ?? null];
    return value === null || other === null ? null : value - other;
  });

function scoresOf(played: readonly Played[]): NonNullable<Cell["scores"]> {
  const estimateOf = (name: string, field: "tau" | "top") =>
    estimate(played, ({ scores }) => scores?.[name]?.[field] ?? null);
  return Object.fromEntries(
    COMPARED_SCORES.map((name) => [name, { tau: estimateOf(name, "tau"), top: estimateOf(name, "top") }]),
  );
}
