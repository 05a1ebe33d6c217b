// Owns what a run has learnt of its judges' taste: sums over its groups, and what is taken out from
// which step on. Bounded, and over when nothing was learnt for long. Knows no runtime.
import type { Covariate, Earned } from "../../core/contract/covariates.ts";
import { NO_SUMS, type TermSums, termOf, together } from "../../core/tournament/covariates.ts";
import type { TermsSums } from "../../ports/run-terms.ts";
import type { Values } from "../storage/values.ts";

const ROW = "run.terms.";
const OVER = "run.terms-over";
/** A run that pauses for longer begins anew. */
const KEPT_MS = 21 * 24 * 3_600_000;
/** Judges of one run that are remembered; more take nothing out. */
const JUDGES_MOST = 16;
/** Requests that are known to have been counted, the newest: a call may be made twice. */
const COUNTED = 256;

/** Of one judge. */
interface TermRow {
  sums: TermsSums;
  counted: string[];
  /** The last step that asked. */
  asked: number;
  /** Ascending: what is taken out from a step on. Each holds for twice as many steps as the one before. */
  versions: { from: number; taken: Earned }[];
}

const takenBy = (sums: TermsSums): Earned =>
  Object.fromEntries(
    Object.entries(sums).flatMap(([name, of]) => {
      const term = termOf(of);
      return term === null ? [] : [[name, term.taken]];
    }),
  );

export class TermRows {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** 0: there are none. */
  get over(): number {
    return this.#values.get<number>(OVER) ?? 0;
  }

  /**
   * What is taken out at a step, null while nothing was learnt. The first request of a step that asks
   * settles it for all of the step: by then it was learnt from the steps before. It changes rarely,
   * as each change is another spec.
   */
  at(judge: string, step: number, now: number): Earned | null {
    const row = this.#row(judge);
    if (row === null) return null;
    if (step > row.asked) {
      row.asked = step;
      const [last, taken] = [row.versions.at(-1), takenBy(row.sums)];
      const isDue = last === undefined || step > 2 * last.from;
      if (isDue && Object.keys(taken).length > 0) row.versions.push({ from: step, taken });
      this.#put(judge, row, now);
    }
    return row.versions.findLast(({ from }) => from <= step)?.taken ?? null;
  }

  /** Adds what a request's groups told, once. */
  learn(judge: string, sums: TermsSums, requestId: string, now: number): void {
    const row = this.#row(judge);
    if (row === null || row.counted.includes(requestId)) return;
    row.counted = [...row.counted, requestId].slice(-COUNTED);
    for (const [name, of] of Object.entries(sums) as [Covariate, TermSums][]) {
      row.sums[name] = together(row.sums[name] ?? NO_SUMS, of);
    }
    this.#put(judge, row, now);
  }

  /** Null where there is no room for one more. */
  #row(judge: string): TermRow | null {
    const known = this.#values.get<TermRow>(ROW + judge);
    if (known === undefined && [...this.#values.list(ROW)].length >= JUDGES_MOST) return null;
    return known ?? { sums: {}, counted: [], versions: [], asked: -1 };
  }

  #put(judge: string, row: TermRow, now: number): void {
    this.#values.put(ROW + judge, row);
    this.#values.put(OVER, now + KEPT_MS);
  }

  dropOver(now: number): void {
    if (this.over <= now) this.drop();
  }

  drop(): void {
    if (this.over === 0) return;
    for (const [name] of [...this.#values.list(ROW)]) this.#values.delete(name);
    this.#values.delete(OVER);
  }
}
