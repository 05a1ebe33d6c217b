// Owns the waves of `active` with `again`: the next question is a new pair or one that was asked,
// in its other order or more often, by which tells most of the order.
import type { Fit } from "../../math/bradley-terry.ts";
import { circular } from "./circular.ts";
import { spaced, unasked, worthIn } from "./pair-worth.ts";
import { type Match, type Outcomes, type ScheduleInput, strengthsInOrder, type Waves } from "./schedule.ts";
import { type Ends, endFit, isSure } from "./sureness.ts";

/** So many pairs a candidate are asked before some are turned round to see what the order does. */
const PAIRS_BEFORE_TURNS = 2;
/** So much of a new pair's worth has one asked again: what its noise is, is itself uncertain. */
const AGAIN_SHARE = 0.5;
/**
 * Least gain of a pair asked again, as a share of a new pair's: below it only new pairs are asked,
 * however much more is known of how far apart the others are.
 */
const GAIN_LEAST = 0.2;
/** Asked for a wanted order_confidence: pairs of at least this share of the best one's worth. */
const TELLING_LEAST = 0.05;
/** Pairs in both orders from which noise is estimated; and the least that is believed of a pair's. */
const TURNED_LEAST = 3;
const PAIR_LEAST = 0.02;
/** Graded outcomes nearer to 0 and 1 tell no more log-odds than these. */
const EDGE = 1e-3;

/** A pair that was asked, and how often. */
interface AskedPair {
  match: Match;
  times: number;
}

/** Variances in log-odds: of what a verifier sees in a pair, and of what the order adds to that. */
interface Noise {
  pair: number;
  order: number;
}

/** Nothing is known of it yet, or a vote's own chance hides it: new pairs first. */
const UNKNOWN: Noise = { pair: 1, order: 0 };

/**
 * A ring on which each candidate is shown first once, then waves by `worthOf`: of n / 2 up to 2 n
 * pairs, then of n, for fewer waits where each answer moves less. An answer
 * of a new pair has the noise pair + order, of one asked in its other order too only the pair's: so
 * turning a pair round tells as much as a new one where the two noises are equal. Both are
 * estimated from some pairs that are turned round. Votes are repeated once all pairs are asked.
 */
export function* activeAgain(field: ScheduleInput, ends: Ends): Waves {
  const { order, graded, repeats, pairs } = field;
  const n = order.length;
  const ring = [...((circular.waves({ ...field, settings: { degree: 1 } }).next().value ?? []) as readonly Match[])];
  const asked = ring
    .filter(([a, b], k) => a !== b && ring.findIndex((m) => m.includes(a as number) && m.includes(b as number)) === k)
    .map((match): AskedPair => ({ match, times: 1 }));
  let outcomes = yield asked.map(({ match }) => match);
  const open = unasked(order, ring);
  // Of who may be the best only few pairs tell anything.
  const only = ends.order_confidence !== undefined;
  const half = Math.max(1, n >> 1);
  const early = PAIRS_BEFORE_TURNS * n;
  let turned = only || !graded || repeats === 0 || pairs < early + half;
  for (;;) {
    const met = asked.map(({ match }) => match);
    const sure = endFit(ends, n, met, outcomes);
    if (isSure(ends, sure)) return undefined;
    const fit = only && sure !== null ? sure : strengthsInOrder(n, met, outcomes, graded);
    const again = asked.filter(({ times }) => times <= repeats);
    const pilot = !turned && (asked.length >= early || open.length === 0);
    const wave = pilot || asked.length < early || (only && open.length > 0) ? half : n;
    const next = pilot
      ? closest(again, outcomes).slice(0, wave)
      : chosen(fit, { open, asked, again, outcomes, graded, only }, wave);
    turned ||= pilot;
    if (next.length === 0) return undefined;
    outcomes = yield entered(next, asked, open);
  }
}

/** Pairs of which the outcome is nearest to a half, where log-odds are told best. */
function closest(asked: readonly AskedPair[], outcomes: Outcomes): Match[] {
  const distance = ({ match: [i, j] }: AskedPair) => Math.abs((outcomes(i as number, j as number) ?? 1) - 0.5);
  return [...asked].sort((a, b) => distance(a) - distance(b)).map(({ match }) => match);
}

interface PairSelection {
  open: readonly Match[];
  asked: readonly AskedPair[];
  /** Of these, those that may be asked again. */
  again: readonly AskedPair[];
  outcomes: Outcomes;
  graded: boolean;
  /** Only who may be the best matters. */
  only: boolean;
}

/** The wave of most worth among new pairs and pairs asked again. */
function chosen(fit: Fit, { open, asked, again, outcomes, graded, only }: PairSelection, most: number): Match[] {
  const worth = worthIn(fit, only);
  const noise = graded && !only ? noiseOf(fit, asked, outcomes) : UNKNOWN;
  const turning = open.length === 0 ? 1 : gainOfTurning(noise) < GAIN_LEAST ? 0 : AGAIN_SHARE * noise.order;
  const fresh = open.map((match) => ({ match, worth: worth(match) * noise.pair }));
  const repeated = turning === 0 ? [] : again.map(({ match }) => ({ match, worth: worth(match) * turning }));
  const line = [...fresh, ...repeated].sort((a, b) => b.worth - a.worth);
  const least = only && open.length === 0 ? TELLING_LEAST * (line[0]?.worth ?? 0) : 0;
  const informative = line.filter((match) => match.worth >= least);
  return spaced(
    informative.map(({ match }) => match),
    most,
    // More votes on the best's own pairs do not hang on each other: no reason to wait.
    only && open.length === 0 ? most : 2,
  );
}

/**
 * What a pair's other order adds to 1 / variance of what is known of it, over what a new pair
 * brings: 1 / (pair + order / 2) - 1 / (pair + order) over 1 / (pair + order).
 */
const gainOfTurning = ({ pair, order }: Noise): number => order / (2 * pair + order);

const logit = (share: number): number => {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, share));
  return Math.log(inside / (1 - inside));
};

/**
 * Of pairs asked in both orders the mean of the first's log-odds is what the order adds, half their
 * difference what is seen in the pair. How far all lie from the fit is pair + order for those asked
 * once, pair for the others, with as many strengths fitted as there are candidates.
 */
function noiseOf({ theta, lead = 0 }: Fit, asked: readonly AskedPair[], outcomes: Outcomes): Noise {
  const places: number[] = [];
  let far = 0;
  let once = 0;
  for (const { match } of asked) {
    const [i, j] = match as readonly [number, number];
    const [there, back] = [outcomes.inOrder?.(i, j) ?? null, outcomes.inOrder?.(j, i) ?? null];
    if (there === null) continue;
    const gap = (theta[i] as number) - (theta[j] as number);
    if (back === null) {
      far += (logit(there.mean) - lead - gap) ** 2;
      once++;
    } else {
      places.push((logit(there.mean) + logit(back.mean)) / 2);
      far += ((logit(there.mean) - logit(back.mean)) / 2 - gap) ** 2;
    }
  }
  if (places.length < TURNED_LEAST) return UNKNOWN;
  const order = sampleVariance(places);
  const known = once + places.length;
  const free = Math.max(2, known - theta.length);
  return { pair: Math.max(PAIR_LEAST, far / free - (order * once) / known), order };
}

function sampleVariance(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/** The wave as it is put, and noted: of a new pair the one that was shown first less often first. */
function entered(next: readonly Match[], asked: AskedPair[], open: Match[]): Match[] {
  return next.map((match) => {
    const before = asked.find(({ match: m }) => match.every((i) => m.includes(i)));
    if (before !== undefined) {
      before.times++;
      return match;
    }
    open.splice(open.indexOf(match), 1);
    const firsts = (i: number) => asked.filter(({ match: [first] }) => first === i).length;
    const [i, j] = match as readonly [number, number];
    const put: Match = firsts(i) <= firsts(j) ? [i, j] : [j, i];
    asked.push({ match: put, times: 1 });
    return put;
  });
}
