// Splits a question into runs of samples that are still open, so that only those are asked again. Independent
// of protocols.
import type { JobQuestion } from "../../core/asking/questions.ts";

/** Samples `first` .. `first + samples - 1` of a question. */
export interface OpenRun {
  /** Number of the first sample, counted like `JobQuestion.first_sample`. */
  first: number;
  samples: number;
  /** Whether early stopping may skip samples. */
  majority: boolean;
}

/**
 * The runs of open samples of one question. A question without reported samples is asked unchanged. If some
 * samples are reported, each run is asked without early stopping, because a backend would count only the
 * votes of that run and might skip samples that matter.
 * @param isOpen whether the question's sample at this index is open
 */
export function openRuns(question: JobQuestion, isOpen: (place: number) => boolean): OpenRun[] {
  const { samples, stop, shown, first_sample = 0 } = question;
  const runs: OpenRun[] = [];
  for (let from = 0; from < samples; from++) {
    if (!isOpen(from)) continue;
    let to = from + 1;
    while (to < samples && isOpen(to)) to++;
    const majority = stop === "majority" && to - from === samples && samples > 1 && shown.length === 2;
    runs.push({ first: first_sample + from, samples: to - from, majority });
    from = to;
  }
  return runs;
}
