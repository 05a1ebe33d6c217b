// Defines what a run's old and new rewards come to step by step. Pure.
import { type ReplaySummary, ReplayTally } from "../../src/core/reward/replay/summary.ts";
import type { GroupLine } from "./ask.ts";

export interface StepSummary extends ReplaySummary {
  /** null: of requests without a step. */
  step: number | null;
}

/** Takes groups in any order; `told` gives a row a step, ascending, those without a step first. */
export class ByStep {
  private readonly tallies = new Map<number | null, ReplayTally>();

  add({ step, rewards, old }: GroupLine): void {
    const known = this.tallies.get(step) ?? new ReplayTally();
    this.tallies.set(step, known);
    known.add(old, rewards);
  }

  summaries(): StepSummary[] {
    return [...this.tallies]
      .map(([step, tally]) => ({ step, ...tally.summary() }))
      .sort((a, b) => (a.step ?? -1) - (b.step ?? -1));
  }
}
