// Converts a generation into a reading, and decides when a question has all of its readings.
import { ofSteps, readCheckedSteps, readRun, readScalar, readStepScores } from "../core/asking/engine-reading.ts";
import { firstSampleOf } from "../core/asking/purpose.ts";
import type { Question } from "../core/asking/questions.ts";
import { NO_FACTS, type Reading, type ReadPart, readAnswer } from "../core/asking/readings.ts";
import type { Judge } from "../core/asking/signal.ts";
import { readSoft } from "../core/asking/soft-reading.ts";
import { turnsNamed } from "../core/judges/named-turns.ts";
import { presetNamed } from "../core/judges/presets/table.ts";
import { answerStart } from "../core/text/thinking.ts";
import type { Generation } from "../core/wire/questions.ts";

/** Removes the answer: a journal stores only verdicts, since answers would exceed its size limit. */
export const withoutText = ({ text: _, ...reading }: Reading): Reading => reading;

/** Whether all samples of the question arrived without failures. Failed samples are asked again later. */
export function isComplete({ samples }: Question, readings: readonly Reading[]): boolean {
  return readings.length === samples && readings.every(({ code }) => code === null);
}

export const inOrder = (readings: readonly Reading[]) => [...readings].sort((a, b) => a.sample - b.sample);

/** Readers for answers that are not written by a chat model. */
const READ_AS: { readonly [to in Question["to"]]?: (generation: Generation) => ReadPart } = {
  scalar: readScalar,
  prm: readStepScores,
  execute: readRun,
  check: readScalar,
  check_steps: readCheckedSteps,
};

/** Reads a generation's verdict on the candidates shown. */
export function readGeneration(generation: Generation, { to, shown, preset, steps }: Question, judge: Judge): Reading {
  const { sample, finish_reason, prompt_tokens, completion_tokens, latency_ms, model, backend } = generation;
  const read = judge.vote === "soft" ? readSoft : readAnswer;
  const part = READ_AS[to]?.(generation) ?? read(generation, shown.length, judge.form, preset);
  const turns = part.verdict === null ? null : turnsNamed(presetNamed(preset), generation.answer ?? "", shown.length);
  return {
    sample,
    finish_reason,
    prompt_tokens,
    completion_tokens,
    latency_ms,
    model: model ?? null,
    backend: backend ?? null,
    ...(steps === undefined ? part : ofSteps(part, steps)),
    ...(turns !== null && { turns }),
  };
}

/** Sorts readings by sample, and adds a failure for each unreported sample. */
export function completeReadings(question: Question, readings: Reading[]): void {
  const first = firstSampleOf(question);
  const seen = new Set(readings.map(({ sample }) => sample));
  for (let sample = first; sample < first + question.samples; sample++) {
    if (seen.has(sample)) continue;
    const missing = { answer: null, thinking: "none", finish_reason: null, error: "verifier_bad_reply" } as const;
    readings.push({ sample, ...NO_FACTS, ...readAnswer(missing, question.shown.length, "exact_match") });
  }
  readings.sort((a, b) => a.sample - b.sample);
}

/** The part of an answer after the thinking; null if there is none or the thinking was never closed. */
export function answerIn({ answer, thinking }: Generation): string | null {
  const start = answer === null || thinking === "unclosed" ? -1 : answerStart(answer);
  return start < 0 ? null : (answer as string).slice(start).trim();
}
