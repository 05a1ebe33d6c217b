// Owns cutting a comparison into the runs of its samples that are still open, so that they can be
// asked again alone. Must not know any protocol.
import type { Comparison } from "../../core/wire/questions.ts";

/** Samples `first` .. `first + samples - 1` of a comparison. */
export interface OpenRun {
  /** Number of the first sample, as `Comparison.first_sample` counts. */
  first: number;
  samples: number;
  /** Whether samples may be saved. */
  majority: boolean;
}

/**
 * The runs of open samples of one comparison. A comparison of which nothing is reported is asked as
 * it is. Of one that has some verdicts, each run is asked without early stop: a backend would count
 * only the votes of that run, and save what may still decide.
 * @param isOpen whether the sample is open, by its place among the comparison's samples
 */
export function openRuns(comparison: Comparison, isOpen: (place: number) => boolean): OpenRun[] {
  const { samples, stop, order, first_sample = 0 } = comparison;
  const runs: OpenRun[] = [];
  for (let from = 0; from < samples; from++) {
    if (!isOpen(from)) continue;
    let to = from + 1;
    while (to < samples && isOpen(to)) to++;
    const majority = stop === "majority" && to - from === samples && samples > 1 && order.length === 2;
    runs.push({ first: first_sample + from, samples: to - from, majority });
    from = to;
  }
  return runs;
}
