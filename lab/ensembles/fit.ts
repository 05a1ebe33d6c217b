// Owns weights for several judges of the same rollouts, fitted without labels from how they agree
// within groups, and whether they are better than the plain mean.

import { mean } from "../../src/core/math/stats.ts";
import type { AgreementMoments } from "./moments.ts";
import { factorWeights, oneFactorLoadings, reliability } from "./one-factor.ts";

/**
 * `none`: its agreement with the others is not told from chance; `against`: it contradicts them.
 */
type JudgeSignal = "ok" | "none" | "against";

export interface JudgeFit {
  /** Of the signal's own values, fitted or, where nothing could be, equal; all together 1. */
  weight: number;
  /** The correlation with what the judges measure together, by the model; null where unknown. */
  loading: number | null;
  /** Its standard error, by the jackknife over blocks of groups. */
  loading_se: number | null;
  /** Mean correlation with the others within groups. */
  agreement: number | null;
  /** Standard deviation within groups. */
  std: number;
  /** Rollouts for which it has no value. */
  nulls: number;
  signal: JudgeSignal;
}

/**
 * Why the weights are not better than the mean, or not known to be: three judges always fit the
 * model (`dependence_unchecked`). `no_signal` alone does not speak against them: a judge is left
 * out.
 */
export const FIT_REASONS = [
  ...(["too_few_judges", "too_few_rollouts", "no_signal"] as const),
  ...(["dependent_judges", "dependence_unchecked", "no_gain"] as const),
] as const;
type FitReason = (typeof FIT_REASONS)[number];

export interface EnsembleFit {
  groups: number;
  /** Rollouts for which every judge has a value. */
  rollouts: number;
  judges: Record<string, JudgeFit>;
  /**
   * The correlation with what the judges measure, by the model; null where it is not identified.
   */
  reliability: { weighted: number; mean: number; gain: number; gain_se: number } | null;
  /** The pair that agrees beyond what the model says, or less; null below four judges. */
  residual: { judges: [string, string]; correlation: number } | null;
  /** Whether the weights are to be preferred to the mean. */
  better: boolean;
  reasons: FitReason[];
  /** What to put in a spec: the weighted sum where it is better, else the mean. */
  expression: string;
  /** The weighted sum, better or not; null where nothing could be fitted. */
  weighted: string | null;
}

const JUDGES_MIN = 3;
const ROLLOUTS_MIN = 200;
/** A loading below has no use; a residual above is more than noise. */
const LOADING_MIN = 0.1;
const RESIDUAL_MIN = 0.1;
const GAIN_MIN = 0.005;
/** Standard errors that a finding must be away from nothing. */
const SURE = 2;
const RESIDUAL_SURE = 4;

interface Fitted {
  loadings: number[];
  weighted: number;
  plain: number;
}

/** The model over some judges of one set of moments. */
function fitted(moments: AgreementMoments, kept: readonly number[]): Fitted {
  const correlations = moments.correlations(kept);
  const loadings = oneFactorLoadings(correlations);
  const stds = kept.map((i) => moments.std(i));
  return {
    loadings,
    weighted: reliability(factorWeights(loadings), loadings, correlations),
    // The mean of the values weighs each standardised judge by its own spread.
    plain: reliability(stds, loadings, correlations),
  };
}

/** Standard error of an estimate from its values with one block left out each. */
function jackknife(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(((values.length - 1) / values.length) * squares);
}

/**
 * Weights by the one-factor model (one-factor.ts), as weak supervision has them: Weaver (arXiv
 * 2506.18203) and the triplet method (arXiv 2002.11955) fit the same moments. Values are centred
 * within groups, so that prompts that all judges find easy are no agreement. Errors of judges must
 * be independent, and most judges better than chance.
 */
export function fitEnsemble(moments: AgreementMoments): EnsembleFit {
  const { names } = moments;
  const spread = names.flatMap((_, i) => (moments.std(i) > 0 ? i : []));
  const enough = moments.rollouts >= ROLLOUTS_MIN;
  const first = spread.length >= JUDGES_MIN && enough ? withErrors(moments, spread) : null;
  const signalOf = (i: number): JudgeSignal => {
    const at = spread.indexOf(i);
    if (at < 0) return "none";
    if (first === null) return "ok";
    const [loading, se] = [first.loadings[at] as number, first.loading_se[at] as number];
    if (loading < 0 - SURE * se && loading < 0 - LOADING_MIN) return "against";
    return loading < Math.max(LOADING_MIN, SURE * se) ? "none" : "ok";
  };
  const signals = names.map((_, i) => signalOf(i));
  const kept = spread.filter((i) => signals[i] === "ok");
  const last = first !== null && kept.length >= JUDGES_MIN ? withErrors(moments, kept) : null;
  const residual = last === null ? null : largestResidual(moments, kept, last.loadings);
  const reasons = reasonsOf(moments, { kept, last, residual, lost: kept.length < names.length });
  const better = last !== null && reasons.every((reason) => reason === "no_signal");
  const weights = weightsOf(moments, kept, last?.loadings ?? null);
  const used = names.filter((_, i) => (weights[i] as number) > 0);
  const weighted = last === null ? null : sumOf(names, weights);
  const judges = names.map((name, i): [string, JudgeFit] => {
    const at = spread.indexOf(i);
    return [
      name,
      {
        weight: weights[i] as number,
        loading: first?.loadings[at] ?? null,
        loading_se: first?.loading_se[at] ?? null,
        agreement: moments.agreement(i, spread),
        std: moments.std(i),
        nulls: moments.nulls[i] as number,
        signal: signals[i] as JudgeSignal,
      },
    ];
  });
  return {
    groups: moments.groups,
    rollouts: moments.rollouts,
    judges: Object.fromEntries(judges),
    reliability:
      last === null
        ? null
        : { weighted: last.weighted, mean: last.plain, gain: last.weighted - last.plain, gain_se: last.gain_se },
    residual,
    better,
    reasons,
    expression:
      better && weighted !== null ? weighted : used.length === 1 ? (used[0] as string) : `mean(${used.join(", ")})`,
    weighted,
  };
}

interface WithErrors extends Fitted {
  loading_se: number[];
  gain_se: number;
}

function withErrors(moments: AgreementMoments, kept: readonly number[]): WithErrors {
  const whole = fitted(moments, kept);
  const parts = moments.withoutEach().map((part) => fitted(part, kept));
  return {
    ...whole,
    loading_se: kept.map((_, at) => jackknife(parts.map(({ loadings }) => loadings[at] as number))),
    gain_se: jackknife(parts.map(({ weighted, plain }) => weighted - plain)),
  };
}

/** The pair whose correlation the model is furthest from; of three judges it explains all. */
function largestResidual(
  moments: AgreementMoments,
  kept: readonly number[],
  loadings: readonly number[],
): EnsembleFit["residual"] {
  if (kept.length <= JUDGES_MIN) return null;
  const correlations = moments.correlations(kept);
  let worst = { at: [0, 1] as [number, number], correlation: 0 };
  for (const [i, own] of loadings.entries()) {
    for (let j = i + 1; j < loadings.length; j++) {
      const correlation = (correlations[i]?.[j] as number) - own * (loadings[j] as number);
      if (Math.abs(correlation) > Math.abs(worst.correlation)) worst = { at: [i, j], correlation };
    }
  }
  const nameAt = (at: number) => moments.names[kept[at] as number] as string;
  return { judges: [nameAt(worst.at[0]), nameAt(worst.at[1])], correlation: worst.correlation };
}

function reasonsOf(
  moments: AgreementMoments,
  found: { kept: readonly number[]; last: WithErrors | null; residual: EnsembleFit["residual"]; lost: boolean },
): FitReason[] {
  const { kept, last, residual, lost } = found;
  const reasons: FitReason[] = [];
  if (moments.rollouts < ROLLOUTS_MIN) reasons.push("too_few_rollouts");
  if (kept.length < JUDGES_MIN) reasons.push("too_few_judges");
  if (lost) reasons.push("no_signal");
  if (last === null) return reasons;
  const noise = Math.max(RESIDUAL_MIN, RESIDUAL_SURE / Math.sqrt(moments.rollouts));
  if (residual === null) reasons.push("dependence_unchecked");
  else if (Math.abs(residual.correlation) > noise) reasons.push("dependent_judges");
  const gain = last.weighted - last.plain;
  if (gain < Math.max(GAIN_MIN, SURE * last.gain_se)) reasons.push("no_gain");
  return reasons;
}

/** Of the values as they are, together 1; equal ones where there are no loadings. */
function weightsOf(moments: AgreementMoments, kept: readonly number[], loadings: readonly number[] | null): number[] {
  const ofKept = loadings === null ? null : factorWeights(loadings);
  const among = kept.length > 0 ? kept : moments.names.map((_, i) => i);
  const raw = moments.names.map((_, i) => {
    const at = among.indexOf(i);
    if (at < 0) return 0;
    return ofKept === null ? 1 : (ofKept[at] as number) / moments.std(i);
  });
  const sum = raw.reduce((a, b) => a + b, 0);
  return raw.map((weight) => weight / sum);
}

const DIGITS = 4;

const sumOf = (names: readonly string[], weights: readonly number[]): string =>
  names
    .flatMap((name, i) =>
      (weights[i] as number) > 0 ? `${Number((weights[i] as number).toFixed(DIGITS))} * ${name}` : [],
    )
    .join(" + ");
