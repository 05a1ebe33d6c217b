// Owns the published rules for turning pairwise verdicts into counts, points and BRPO advantages
// (formulas.md c, e). Must not know schedules or shaping.

/**
 * A pairwise verdict: which letter won, a declared tie, or null when the answer could not be
 * parsed.
 */
export type PairVerdict = "A" | "B" | "tie" | null;

/** One game of a round robin: `i` was shown as A, `j` as B; `raw` is the extracted answer. */
export interface PairRecord {
  i: number;
  j: number;
  raw: string | null;
}

export interface RoundRobin {
  win_counts: number[];
  parsed: number;
  pairs: number;
  /** Share of parsed pairs whose winner has the higher pass rate; null when nothing was parsed. */
  pair_accuracy: number | null;
  /** First index of the most wins, the release's selection rule. */
  argmax_first: number;
}

/**
 * The release's reading of a pair's answer (ranking_consistency.py): stripped, upper-cased, A or B
 * or nothing.
 */
function releaseLetter(raw: string | null): "A" | "B" | null {
  const letter = raw?.trim().toUpperCase();
  return letter === "A" || letter === "B" ? letter : null;
}

/**
 * Aletheia's round robin for tau-b (ranking_consistency.py): each pair once, lower index as A,
 * unparsed pairs a win for neither.
 * @param passRates one for each candidate, at least one
 */
export function roundRobin(passRates: readonly number[], records: readonly PairRecord[]): RoundRobin {
  const wins = passRates.map(() => 0);
  let parsed = 0;
  let right = 0;
  for (const { i, j, raw } of records) {
    const [rateI, rateJ] = [passRates[i], passRates[j]];
    if (rateI === undefined || rateJ === undefined || i === j) throw new RangeError(`no pair of ${i} and ${j}`);
    const letter = releaseLetter(raw);
    if (letter === null) continue;
    const winner = letter === "A" ? i : j;
    wins[winner] = (wins[winner] as number) + 1;
    parsed++;
    if (letter === "A" ? rateI > rateJ : rateJ > rateI) right++;
  }
  return {
    win_counts: wins,
    parsed,
    pairs: records.length,
    pair_accuracy: parsed === 0 ? null : right / parsed,
    argmax_first: wins.indexOf(Math.max(...wins)),
  };
}

export interface TwoOrderMerge {
  /**
   * MT-bench (FastChat show_result.py): an error in either order drops the pair, a tie or
   * disagreement is a tie.
   */
  mt_bench: "i" | "j" | "tie" | "discard";
  /** PRP (arXiv 2306.17563): 1 and 0 on agreement, else half a point each. */
  prp_points: [number, number];
  /** Aletheia's best-of-N script: each parsed verdict is one point. */
  aletheia_bon_points: [number, number];
  /** BRPO with one round: +1 only when i wins both orders against the reference j. */
  brpo_i_vs_ref_j: 1 | -1;
}

/**
 * Merges the two orders of one pair under each published rule.
 * @param orderIJ the verdict with i shown as A
 * @param orderJI the verdict with j shown as A
 */
export function mergeTwoOrders(orderIJ: PairVerdict, orderJI: PairVerdict): TwoOrderMerge {
  const first = winner(orderIJ, "i", "j");
  const second = winner(orderJI, "j", "i");
  const agreed = first === second && (first === "i" || first === "j") ? first : null;
  const points = (side: "i" | "j") => (first === side ? 1 : 0) + (second === side ? 1 : 0);
  return {
    mt_bench: first === null || second === null ? "discard" : (agreed ?? "tie"),
    prp_points: agreed === null ? [0.5, 0.5] : agreed === "i" ? [1, 0] : [0, 1],
    aletheia_bon_points: [points("i"), points("j")],
    brpo_i_vs_ref_j: agreed === "i" ? 1 : -1,
  };
}

function winner(verdict: PairVerdict, shownAsA: "i" | "j", shownAsB: "i" | "j"): "i" | "j" | "tie" | null {
  if (verdict === "A") return shownAsA;
  return verdict === "B" ? shownAsB : verdict;
}

/** One verdict on a rollout against the group's reference. `AB`: the rollout was shown as A. */
export interface ReferenceVerdict {
  order: "AB" | "BA";
  verdict: PairVerdict;
}

export interface Brpo {
  /** +1 won every verdict, -1 otherwise, 0 for the reference. */
  raw: number[];
  /** |sum of raw| / G */
  skew: number;
  /** false when the skew is above the filter: then all advantages are 0. */
  kept: boolean;
  advantages: number[];
}

/**
 * BRPO advantages (Writing-Zero, arXiv 2506.00103, as in the Aletheia release's
 * codegen_grpotrainer.py): each rollout against one reference in both orders, V rounds; it must win
 * all 2V verdicts, an unparsed one is not a win. Not normalised.
 * @param verdicts one list for each rollout of the group, null at the reference's place
 * @param tauFilter the group is zeroed when the skew is above it
 * @returns null when no verdict of the whole group was parsed: an outage, which must not look like
 *   losses
 * @throws RangeError when the reference is outside the group or a rollout has no verdicts asked for
 *   it
 */
export function brpo(
  verdicts: readonly (readonly ReferenceVerdict[] | null)[],
  reference: number,
  tauFilter = 0.6,
): Brpo | null {
  if (verdicts[reference] === undefined) throw new RangeError(`reference ${reference} is outside the group`);
  const others = verdicts.filter((_, rollout) => rollout !== reference);
  if (others.some((asked) => !asked?.length)) throw new RangeError("each rollout but the reference needs verdicts");
  if (others.every((asked) => asked?.every(({ verdict }) => verdict === null))) return null;
  const raw = verdicts.map((asked, rollout): number => (rollout === reference ? 0 : wonAll(asked ?? []) ? 1 : -1));
  const skew = Math.abs(raw.reduce((sum, r) => sum + r, 0)) / raw.length;
  const kept = skew <= tauFilter;
  return { raw, skew, kept, advantages: kept ? raw : raw.map(() => 0) };
}

function wonAll(asked: readonly ReferenceVerdict[]): boolean {
  return asked.every(({ order, verdict }) => verdict === (order === "AB" ? "A" : "B"));
}
