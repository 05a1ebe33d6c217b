// Owns the port to what a run has learnt of its judges' taste, for its later steps. Interface only.
import type { Covariate, Earned } from "../core/contract/covariates.ts";
import type { TermSums } from "../core/tournament/covariates.ts";
import type { RunKey } from "./run-log.ts";

export type TermsSums = Partial<Record<Covariate, TermSums>>;

/** Of one judge of a run. */
export interface RunTerms {
  /**
   * What is taken out at a step, by a digest of the judge: as learnt from steps before it, the same
   * for all requests of the step. Null while nothing is.
   */
  termsAt(run: RunKey, judge: string, step: number): Promise<Earned | null>;
  /** Adds what a request's groups told; a request counts once. */
  learn(run: RunKey, judge: string, sums: TermsSums, requestId: string): Promise<void>;
}
