// Owns the study's cells: every way of asking against every verifier and list length, with means
// and intervals clustered by problem.
import { clusteredRatio } from "../../src/core/formulations/clusters.ts";
import { hashText } from "../../src/core/math/random.ts";
import { readLists } from "./lists.ts";
import { COMPARED_SCORES, type Played, play, playedByLot } from "./play.ts";
import { type Noise, verifierOf } from "./verifier-model.ts";
import { ofAuto, type Question, RANDOM, type Way, waysFor } from "./ways.ts";

/**
 * Strengths by which all pairs in both orders x 4 reach about the tau-b that the design of schedules
 * expects at n = 16.
 */
export const LEVELS: Readonly<Record<string, Pick<Noise, "discrimination" | "candidate_bias">>> = {
  strong: { discrimination: 10, candidate_bias: 0.6 },
  middle: { discrimination: 5.5, candidate_bias: 0.7 },
  weak: { discrimination: 3, candidate_bias: 0.7 },
};

/** The other parameters, varied so that no conclusion hangs on one guess. */
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
  /** What it gains over ways that are held against it, list by list. */
  rivalries: readonly Rivalry[];
}

export interface Rivalry {
  /**
   * `front`: the fixed way of its kind that reaches most for no more tokens; `front_elsewhere`: the
   * one that does on the other half of the problems.
   */
  shows: Question | "front" | "front_elsewhere";
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
  /** Of the ways only those that a study of `auto` plays. */
  auto?: boolean;
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
  { set, draws, auto }: StudyPlan,
  { n, style, noise, level }: StudyCase,
  only: (way: Way) => boolean = auto === true ? ofAuto : () => true,
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
  about: Pick<Cell, "level" | "noise" | "style" | "n" | "lists">,
  all: readonly PlayedWay[],
): Cell[] {
  const reference = all.find(({ way }) => way.reference) as PlayedWay;
  return all.map((one) => {
    const { way, played } = one;
    return {
      ...about,
      way,
      generations: meanOf(played, "generations"),
      waves: meanOf(played, "waves"),
      share: meanOf(played, "tokens") / meanOf(reference.played, "tokens"),
      ...{ tau: estimate(played, ({ tau }) => tau), top: estimate(played, ({ top }) => top) },
      ...{ tau_gain: gain(played, reference.played, "tau"), top_gain: gain(played, reference.played, "top") },
      ...(way.everyScore === true && { scores: scoresOf(played) }),
      rivalries: rivalriesOf(one, all),
    };
  });
}

function rivalriesOf({ way, played }: PlayedWay, all: readonly PlayedWay[]): Rivalry[] {
  const named = all.find((other) => other.way.name === way.against?.way);
  const best = way.auto === true ? bestOf({ way, played }, all, () => true) : null;
  const elsewhere = way.auto === true ? bestElsewhere({ way, played }, all) : null;
  return [
    ...(named === undefined || way.against === undefined
      ? []
      : [{ shows: way.against.shows, ...against(played, named) }]),
    ...(best === null ? [] : [{ shows: "front" as const, ...against(played, best) }]),
    ...(elsewhere === null ? [] : [{ shows: "front_elsewhere" as const, ...against(played, elsewhere) }]),
  ];
}

/**
 * Of all that are not chosen by `auto`, with its kind of verdicts: the one that reaches most by
 * tau-b for no more tokens, on the lists of some problems.
 */
function bestOf(
  { way, played }: PlayedWay,
  all: readonly PlayedWay[],
  counts: (one: Played) => boolean,
): PlayedWay | null {
  const paid = meanOf(played, "tokens") * (1 + 1e-9);
  const { vote, mode } = way.judge;
  const alike = all.filter(
    (other) =>
      other.way.auto !== true &&
      other.way.random !== true &&
      other.way.judge.vote === vote &&
      other.way.judge.mode === mode,
  );
  const known = alike
    .filter((other) => meanOf(other.played, "tokens") <= paid)
    .map((other) => ({ other, tau: meanTau(other.played.filter(counts)) }));
  return known.sort((a, b) => b.tau - a.tau)[0]?.other ?? null;
}

function meanTau(played: readonly Played[]): number {
  const known = played.flatMap(({ tau }) => tau ?? []);
  return known.length === 0 ? -1 : known.reduce((sum, tau) => sum + tau, 0) / known.length;
}

/**
 * On each half of the problems what the way plays that is best on the other half: a pick that owes
 * nothing to the luck of the lists by which it is compared.
 */
function bestElsewhere(one: PlayedWay, all: readonly PlayedWay[]): PlayedWay | null {
  const problems = [...new Set(one.played.map(({ problem }) => problem))];
  const half = ({ problem }: Played) => problems.indexOf(problem) % 2;
  const rivals = [0, 1].map((own) => bestOf(one, all, (played) => half(played) !== own));
  const [even, odd] = rivals;
  if (even === null || even === undefined || odd === null || odd === undefined) return null;
  const name = even === odd ? even.way.name : `${even.way.name} / ${odd.way.name}`;
  const played = one.played.map((own, k) => (rivals[half(own)] as PlayedWay).played[k] as Played);
  return { way: { ...even.way, name }, played };
}

const against = (played: readonly Played[], rival: PlayedWay) => ({
  rival: rival.way.name,
  generations: meanOf(rival.played, "generations"),
  tau: gain(played, rival.played, "tau"),
  top: gain(played, rival.played, "top"),
});

export const meanOf = (all: readonly Played[], field: "generations" | "tokens" | "waves" | "first") =>
  all.reduce((sum, one) => sum + (one[field] ?? 0), 0) / all.length;

export function estimate(played: readonly Played[], value: (one: Played, at: number) => number | null): Estimate {
  const observations = played.flatMap((one, k) => {
    const over = value(one, k);
    return over === null ? [] : [{ over, under: 1, cluster: one.problem }];
  });
  return clusteredRatio(observations, { resamples: 400, seed: hashText("study") });
}

export const gain = (played: readonly Played[], others: readonly Played[], field: "tau" | "top") =>
  estimate(played, (one, k) => {
    const [own, other] = [one[field], others[k]?.[field] ?? null];
    return own === null || other === null ? null : own - other;
  });

function scoresOf(played: readonly Played[]): NonNullable<Cell["scores"]> {
  const of = (name: string, field: "tau" | "top") => estimate(played, ({ scores }) => scores?.[name]?.[field] ?? null);
  return Object.fromEntries(COMPARED_SCORES.map((name) => [name, { tau: of(name, "tau"), top: of(name, "top") }]));
}
