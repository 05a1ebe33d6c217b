// Computes the content and format rewards of a verdict under each formulation.

import type { VerdictStatus } from "../contract/verdicts-reply.ts";
import type { Formulation, VerdictOptions } from "../contract/verdicts-request.ts";
import { letterAt, parseLetter, parseScores, type ScoresVerdict } from "../judges/verdict.ts";
import { roundHalfEven, strip, stripStart } from "../text/python-text.ts";
import { isLetterForm, isScoresForm, strictContent, strictScores } from "./strict-verdict.ts";

/** A verifier's answer, with the facts that are needed to score it. */
export interface VerdictCase {
  text: string;
  /** Number of candidates; 2 for pair_em and pair_sc. */
  k: number;
  /** 0-based index of the correct candidate; null only for pair_sc if both pass rates are equal. */
  gold: number | null;
  /** Pass rates in [0, 1], which pair_sc requires. */
  pass_rates: readonly number[] | null;
}

/** The two components of the strict reward, and what the robust parser read in the same answer. */
interface ScoredVerdict {
  content: number;
  format: number;
  /**
   * The letter that the robust parser found: the boxed letter, or the letter of the single best score; null
   * if there is none.
   */
  verdict: string | null;
  scores: number[] | null;
  status: VerdictStatus;
}

type Scorer = (item: VerdictCase, options: VerdictOptions) => ScoredVerdict;

const SCORERS: Record<Formulation, Scorer> = {
  list_em: exactMatch,
  pair_em: exactMatch,
  list_sc: listScores,
  pair_sc: pairScores,
};

/** Formulations whose reward needs both pass rates. The others need the correct candidate. */
export const NEEDS_PASS_RATES: ReadonlySet<Formulation> = new Set<Formulation>(["pair_sc"]);
/** Formulations for exactly two candidates. */
export const PAIRS_ONLY: ReadonlySet<Formulation> = new Set<Formulation>(["pair_em", "pair_sc"]);

/**
 * Scores one answer of a verifier (Aletheia, arXiv 2601.12186). For both parsers, the prefill from the
 * options is first put in front of the answer, unless the answer already starts with it (ignoring white space
 * around either). Without the prefill, an answer that was cut off inside its thoughts would not look
 * unclosed.
 */
export function scoreVerdict(formulation: Formulation, item: VerdictCase, options: VerdictOptions): ScoredVerdict {
  const text = withPrefill(item.text, options.prefill);
  return SCORERS[formulation](text === item.text ? item : { ...item, text }, options);
}

function withPrefill(text: string, prefill: string): string {
  if (prefill === "" || text.startsWith(strip(prefill), stripStart(text))) return text;
  return prefill + text;
}

/**
 * ListEM and PairEM (formulas a.2). Content is 1 if the first box contains exactly the gold letter, else 0.
 * Format is 0 or -1.
 */
function exactMatch({ text, k, gold }: VerdictCase, { style }: VerdictOptions): ScoredVerdict {
  const content = gold !== null && strictContent(text, style) === letterAt(gold) ? 1 : 0;
  const { letter, status } = parseLetter(text, k);
  return { content, format: isLetterForm(text, k, style) ? 0 : -1, verdict: letter, scores: null, status };
}

/**
 * ListSc (formulas a.5). Content is 1 if the gold candidate has the single best score, 2 if that score is
 * exactly 10, -1 for a list of the wrong length, and otherwise `list_sc_wrong`. Scores above 10 count. Format
 * is 0 or -1.
 */
function listScores({ text, k, gold }: VerdictCase, { style, list_sc_wrong }: VerdictOptions): ScoredVerdict {
  const scores = strictScores(text, style);
  let content: number = list_sc_wrong;
  if (scores?.length !== k) content = -1;
  else if (gold !== null && uniqueMaximum(scores) === gold) content = scores[gold] === 10n ? 2 : 1;
  return { content, format: isScoresForm(text, k, style) ? 0 : -1, ...bestScored(parseScores(text, k)) };
}

/**
 * PairSc (formulas a.3), against the gold scores round-half-even(10 * pass rate). Content is in [-2, 3.2],
 * rounded to 2 decimals. Format is 1, -0.5 (correct form, but a score above 10) or -1. The content reward
 * does not depend on the format: a correct pair in an incorrect form keeps it.
 */
function pairScores({ text, pass_rates }: VerdictCase, { style }: VerdictOptions): ScoredVerdict {
  const robust = bestScored(parseScores(text, 2));
  const scores = strictScores(text, style);
  if (scores?.length !== 2) return { content: -2, format: -1, ...robust };
  const content = pairContent(scores as [bigint, bigint], goldPair(pass_rates));
  if (!isScoresForm(text, 2, style)) return { content, format: -1, ...robust };
  return { content, format: scores.every((score) => score <= 10n) ? 1 : -0.5, ...robust };
}

function pairContent([a, b]: readonly [bigint, bigint], [goldA, goldB]: readonly [number, number]): number {
  const right = a > b === goldA > goldB && a < b === goldA < goldB;
  const distance = distanceOf(a, BigInt(goldA)) + distanceOf(b, BigInt(goldB));
  let content = right ? 2 : -1.5;
  if (distance === 0n) content += 1;
  else if (right && distance <= 2n) content += 0.6;
  if (right && distanceOf(a, b) >= BigInt(Math.abs(goldA - goldB))) content += 0.2;
  return Math.round(content * 100) / 100;
}

function distanceOf(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

function goldPair(passRates: readonly number[] | null): readonly [number, number] {
  if (passRates?.length !== 2) throw new RangeError("exactly two pass rates are required");
  return [roundHalfEven(10 * (passRates[0] as number)), roundHalfEven(10 * (passRates[1] as number))];
}

/**
 * The scores that the robust parser found, with the letter of the maximum. A shared maximum has no letter.
 */
function bestScored({ status, scores }: ScoresVerdict): Pick<ScoredVerdict, "verdict" | "scores" | "status"> {
  const best = scores === null ? null : uniqueMaximum(scores);
  return { verdict: best === null ? null : letterAt(best), scores, status };
}

/** Index of the maximum; null if several values share it or the list is empty. */
export function uniqueMaximum(values: readonly (number | bigint)[]): number | null {
  let best = 0;
  let shared = false;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number;
    const top = values[best] as number;
    if (value > top) {
      best = i;
      shared = false;
    } else if (value === top) shared = true;
  }
  return shared || values.length === 0 ? null : best;
}
