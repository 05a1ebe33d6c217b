// Cuts a question into the runs of its samples that are still open, so that they can be asked again alone.
// Must not know any protocol.
import type { JobQuestion } from "../../core/asking/questions.ts";

/** Samples `first` .. `first + samples - 1` of a question. */
export interface OpenRun {
  /** Number of the first sample, as `JobQuestion.first_sample` counts. */
  first: number;
  samples: number;
  /** Whether samples may be saved. */
  majority: boolean;
}

/**
 * The runs of open samples of one question. A question of which nothing is reported is asked as
 * it is. Of one that has some verdicts, each run is asked without early stop: a backend would count
 * only the votes of that run, and save what may still decide.
 * @param isOpen whether the sample is open, by its place among the question's samples
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
