// Groups questions into verifier jobs, and builds the content of each job.

import { firstSampleOf } from "../core/asking/purpose.ts";
import type { JobQuestion, Question } from "../core/asking/questions.ts";
import type { Judge } from "../core/asking/signal.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { type PooledQuestion, wordsOf } from "../core/job/question-pool.ts";
import type { VerifierJob } from "../core/wire/questions.ts";

/** Groups open questions by backend and wording. A question that shows copies, or no candidate, is a separate job. */
export function jobsOf(open: readonly PooledQuestion[]): PooledQuestion[][] {
  const jobs = new Map<string, PooledQuestion[]>();
  const separate: PooledQuestion[][] = [];
  for (const entry of open) {
    const key = wordsOf(entry.question);
    const job = jobs.get(key);
    const { kind } = entry.question.purpose;
    if (kind === "fit" || kind === "bare") separate.push([entry]);
    else if (job === undefined) jobs.set(key, [entry]);
    else job.push(entry);
  }
  return [...jobs.values(), ...separate];
}

/** @param open the entries of one job, as returned by `jobsOf`; at least one */
export function jobOf(
  open: readonly PooledQuestion[],
  group: PreparedGroup,
  judge: Judge,
  stop: Pick<JobQuestion, "stop">,
): VerifierJob {
  const { question, language, texts } = group;
  const { images } = group.group;
  const [{ question: firstQuestion }] = open as [PooledQuestion];
  const { candidates, copies } = shownTo(firstQuestion, texts);
  const questions = open.map(({ question: asked }, id): JobQuestion => {
    const { shown, samples, stop: stopRule } = asked;
    const first_sample = firstSampleOf(asked);
    return {
      ...{ id, shown: copies ?? shown, samples },
      ...(first_sample > 0 && { first_sample }),
      ...(stopRule !== undefined && { stop: stopRule }),
      ...stop,
    };
  });
  const { to, preset, slots, runs } = firstQuestion;
  const filled = { ...(slots !== undefined && { slots }), ...(runs !== undefined && { runs }) };
  const asking = { to, preset, ...filled };
  const shown = judge.images === true && images !== undefined ? { images } : {};
  return { ...asking, question, language, candidates, questions, ...shown };
}

/**
 * The candidates of a question's job. `copies`: their indices, if the question shows no candidates of the
 * group or one of them several times, since a job must not show the same index twice.
 */
function shownTo({ shown, purpose }: Question, texts: readonly string[]) {
  if (purpose.kind === "bare") return { candidates: [purpose.text], copies: [0] };
  if (purpose.kind !== "fit") return { candidates: texts, copies: null };
  return { candidates: shown.map((member) => texts[member] as string), copies: shown.map((_, copy) => copy) };
}
