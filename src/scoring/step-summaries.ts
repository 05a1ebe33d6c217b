// The first turn of a preset with a `summary`: a model summarises each answer as steps, and the judge sees
// the steps instead of the answer.

import { countedFrom, ofSteps } from "../core/asking/engine-reading.ts";
import { firstSampleOf } from "../core/asking/purpose.ts";
import type { JobQuestion, Question } from "../core/asking/questions.ts";
import { NOTHING, type Reading } from "../core/asking/readings.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { PooledQuestion } from "../core/job/question-pool.ts";
import { textsIn } from "../core/judges/parsers/tag.ts";
import { STEP_SUMMARY } from "../core/judges/presets/table.ts";
import { numberedSteps } from "../core/signals/step-texts.ts";
import type { Generation, VerifierJob } from "../core/wire/questions.ts";

import { answerIn, completeReadings } from "./generation-reading.ts";
import type { AskingSession } from "./sessions.ts";

/** The job that is sent to the judge after the summary turn. May have no questions. */
interface PutJob {
  job: VerifierJob;
  /** The entry of each question of the job. */
  open: readonly PooledQuestion[];
  /** The steps that each of the job's questions shows. */
  steps: readonly (readonly string[])[];
}

/** The parsed result of the first turn; `steps` is null if it contains no steps. */
interface StepSummary {
  reading: Reading;
  steps: readonly string[] | null;
}

/** Reads a generation as an answer to a question. */
type ReadsGeneration = (generation: Generation, question: Question) => Reading;

/**
 * Runs the summary turn of a job and replaces each answer with its summary. Questions without a summary are
 * not sent to the judge; the reading of the first turn, which has no verdict, becomes their only reading.
 * @param all the entries of the job, one per question; each question shows one answer
 */
export async function summarised(
  session: AskingSession,
  job: VerifierJob,
  all: readonly PooledQuestion[],
  read: ReadsGeneration,
): Promise<PutJob> {
  const { slots: _, ...rest } = job;
  const firsts = all.map(
    ({ question }): Question => ({
      ...question,
      preset: STEP_SUMMARY,
      samples: 1,
      purpose: { kind: "summary", sample: firstSampleOf(question) },
    }),
  );
  const questions = job.questions.map(({ id, shown, first_sample }) => {
    return { id, shown, samples: 1, ...(first_sample !== undefined && { first_sample }) };
  });
  const found = new Map<number, StepSummary>();
  try {
    await session.judge({ ...rest, preset: STEP_SUMMARY, questions }, (generation) => {
      const reading = read(generation, firsts[generation.question] as Question);
      found.set(generation.question, summaryOf(generation, reading));
    });
  } catch {
    // Summaries that were not reported count as failed, like unreported answers of the judge.
  }
  const steps: (readonly string[])[] = [];
  const openQuestions: JobQuestion[] = [];
  const open = all.filter(({ shared }, at) => {
    const [question, summary] = [firsts[at] as Question, found.get(at)];
    const readings = summary === undefined ? [] : [summary.reading];
    completeReadings(question, readings);
    if (summary === undefined || summary.steps === null) {
      shared.readings.push(...readings);
      return false;
    }
    shared.others.push({ question, charged: true, readings });
    const id = steps.push(summary.steps) - 1;
    openQuestions.push({ ...(job.questions[at] as JobQuestion), id, shown: [id] });
    return true;
  });
  return { job: { ...job, candidates: steps.map(numberedSteps), questions: openQuestions }, open, steps };
}

/**
 * Parses the tagged steps in an answer. The steps are null if there are none, if the answer was cut, or if it
 * is longer than a prompt slot allows: of longer answers, a gateway may send only the end.
 */
function summaryOf(generation: Generation, reading: Reading): StepSummary {
  const text = answerIn(generation);
  const ended = reading.code === null && reading.status !== "cut_by_length" && reading.status !== "unclosed_think";
  if (!ended || text === null) return { reading, steps: null };
  const texts = text.length > LIMITS.slot_chars ? null : textsIn(text, "step");
  const isValid = texts !== null && texts.length <= LIMITS.solution_steps_max && !texts.includes("");
  const status = isValid ? "ok" : "bad_content";
  return { reading: { ...reading, ...NOTHING, status }, steps: isValid ? texts : null };
}

/** Converts the grade that a judge gave to a summary into one score per step: whether the step counts. */
export function ofSummary(reading: Reading, steps: number): Reading {
  const read = { ...reading, ...ofSteps(reading, steps) };
  const { verdict } = read;
  if (verdict?.kind !== "grade") return read;
  return { ...read, verdict: { kind: "steps", scores: countedFrom(verdict.grade, steps) } };
}
