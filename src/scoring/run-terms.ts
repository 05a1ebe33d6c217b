// Owns what one request takes from its run's knowledge of its judges' taste, and what it adds to it.
// A failure to reach it fails the request: rewards with the taste in them are other rewards.
import type { Covariate } from "../core/contract/covariates.ts";
import { ownerOf } from "../core/contract/owner.ts";
import { canonicalJson } from "../core/contract/spec.ts";
import { ApiError } from "../core/faults/errors.ts";
import { type AnySpec, hasSignals, type SpecSignal } from "../core/reward/compiled-spec.ts";
import type { GroupSignals } from "../core/reward/group-signals.ts";
import { NO_SUMS, withShare } from "../core/tournament/covariates.ts";
import { sha256Hex } from "../platform/sha256.ts";
import type { RunKey } from "../ports/run-log.ts";
import type { RunTerms, TermsSums } from "../ports/run-terms.ts";

/** A signal whose terms are learnt over the run. */
interface Learner {
  name: string;
  /** A digest of who judges, by what and in which words. */
  judge: string;
  terms: readonly Covariate[];
}

/** Of one request. */
interface RequestTerms {
  /** With numbers where it had names. */
  spec: AnySpec;
  /** Once scored. Never rejects. */
  learn(judged: readonly GroupSignals[], requestId: string): Promise<void>;
}

/** Null where a request names none. */
export const runOf = (run_id: string | null | undefined, key_name: string | null): RunKey | null =>
  run_id == null ? null : { run_id, owner: ownerOf(key_name) };

const learns = (spec: AnySpec): [string, SpecSignal][] =>
  hasSignals(spec) ? Object.entries(spec.signals).filter(([, { covariates }]) => Array.isArray(covariates)) : [];

/**
 * The spec with what its run has learnt of each judge in place of the names of terms; as it is where
 * it has none.
 * @param run and `step` null where the request names none
 * @throws ApiError `invalid_request` for names without a run and a step, `not_ready` where what was
 *   learnt cannot be reached
 */
export async function termsOf(
  store: RunTerms | undefined,
  run: RunKey | null,
  step: number | null,
  spec: AnySpec,
): Promise<RequestTerms> {
  const found = learns(spec);
  if (found.length === 0 || !hasSignals(spec)) return { spec, learn: () => Promise.resolve() };
  if (store === undefined || run === null || step === null) throw needsRun(found.map(([name]) => name));
  const signals: Record<string, SpecSignal> = { ...spec.signals };
  const learners: Learner[] = [];
  for (const [name, signal] of found) {
    const { covariates, ...asked } = signal;
    const terms = covariates as readonly Covariate[];
    const judge = await sha256Hex(canonicalJson([asked, spec.candidate]));
    const taken = await store.termsAt(run, judge, step);
    signals[name] = { ...signal, covariates: Object.fromEntries(terms.map((term) => [term, taken?.[term] ?? 0])) };
    learners.push({ name, judge, terms });
  }
  const learn = async (judged: readonly GroupSignals[], requestId: string) => {
    // What is not learnt now is learnt of later groups.
    for (const { name, judge, terms } of learners) {
      await store.learn(run, judge, sumsOf(judged, name, terms), requestId).catch(() => undefined);
    }
  };
  return { spec: { ...spec, signals }, learn };
}

function sumsOf(judged: readonly GroupSignals[], name: string, terms: readonly Covariate[]): TermsSums {
  const sums: TermsSums = {};
  for (const signals of judged) {
    const shares = signals.sharesOf(name);
    for (const term of terms) {
      const share = shares[term];
      if (share !== undefined) sums[term] = withShare(sums[term] ?? NO_SUMS, share);
    }
  }
  return sums;
}

const needsRun = (names: readonly string[]) =>
  new ApiError("invalid_request", "covariates by name are learnt over a run: send run_id and step, or numbers.", {
    errors: names.map((name) => ({
      path: `spec.signals.${name}.covariates`,
      message: "needs run_id and step, or numbers in place of names",
    })),
  });
