// Groups questions into verifier jobs, and builds the content of each job.

import { isProbe, type JobQuestion } from "../core/asking/questions.ts";
import type { Judge } from "../core/asking/signal.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { VerifierJob } from "../core/wire/questions.ts";
import { type QuestionEntry, wordsOf } from "./entries.ts";

/** Groups open questions by backend and wording; each probe and each bare question is a separate job. */
export function jobsOf(open: readonly QuestionEntry[]): QuestionEntry[][] {
  const jobs = new Map<string, QuestionEntry[]>();
  const probes: QuestionEntry[][] = [];
  for (const entry of open) {
    const key = wordsOf(entry.question);
    const job = jobs.get(key);
    if (isProbe(entry.question) || entry.question.bare !== undefined) probes.push([entry]);
    else if (job === undefined) jobs.set(key, [entry]);
    else job.push(entry);
  }
  return [...jobs.values(), ...probes];
}

/** @param open the entries of one job, as returned by `jobsOf`; at least one */
export function jobOf(
  open: readonly QuestionEntry[],
  group: PreparedGroup,
  judge: Judge,
  stop: Pick<JobQuestion, "stop">,
): VerifierJob {
  const { question, language, texts } = group;
  const { images } = group.group;
  const [{ question: firstQuestion }] = open as [QuestionEntry];
  // A question must not show the same index twice, so a candidate shown twice gets two indices.
  const probe = isProbe(firstQuestion) && { shown: firstQuestion.shown.map((_, copy) => copy) };
  const bare = firstQuestion.bare !== undefined && { shown: [0] };
  const copies = () => firstQuestion.shown.map((member) => texts[member] as string);
  const candidates = firstQuestion.bare !== undefined ? [firstQuestion.bare] : probe ? copies() : texts;
  const questions = open.map(({ question: { shown, samples, first_sample, stop: stopRule } }, id) => {
    const numbered = {
      ...(first_sample !== undefined && { first_sample }),
      ...(stopRule !== undefined && { stop: stopRule }),
    };
    return {
      id,
      shown,
      samples,
      ...numbered,
      ...stop,
      ...probe,
      ...bare,
    } satisfies JobQuestion;
  });
  const { to, preset, slots, runs } = firstQuestion;
  const filled = { ...(slots !== undefined && { slots }), ...(runs !== undefined && { runs }) };
  const asking = { to, preset, ...filled };
  const shown = judge.images === true && images !== undefined ? { images } : {};
  return { ...asking, question, language, candidates, questions, ...shown };
}
