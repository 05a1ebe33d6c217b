// A group's questions together with their readings.

import type { ItemErrorCode } from "../faults/errors.ts";
import { ITEM_ERRORS } from "../faults/errors.ts";
import { gradesIn, type Weighing, winnerOf } from "../judges/verdicts.ts";
import type { Outcome } from "./outcome.ts";
import { decides } from "./purpose.ts";
import type { Question } from "./questions.ts";
import { isUnparsed, NOTHING, type Reading } from "./readings.ts";

/**
 * One question of a group with its readings. `charged` is false if an equal group of the same request already
 * asked the question, so that asking it again is free.
 */
export interface AskedQuestion {
  question: Question;
  charged: boolean;
  readings: readonly Reading[];
}

/** The questions whose verdicts decide between their candidates. */
export const deciding = (asked: readonly AskedQuestion[]): readonly AskedQuestion[] =>
  asked.filter(({ question }) => decides(question));

/** The questions that a plan reads: all except requests for a summary. */
export const withoutSummaries = (asked: readonly AskedQuestion[]): readonly AskedQuestion[] =>
  asked.filter(({ question }) => question.purpose.kind !== "summary");

/**
 * Indices of the questions cut off by the deadline: every sample failed, and each with the code `deadline`.
 */
export function cutByDeadline(asked: readonly AskedQuestion[]): ReadonlySet<number> {
  const isCut = ({ readings }: AskedQuestion) => readings.every(({ code }) => code === "deadline");
  return new Set(asked.flatMap((question, q) => (question.readings.length > 0 && isCut(question) ? [q] : [])));
}

/** Names of the models that answered, sorted. */
export function modelsOf(asked: readonly AskedQuestion[]): string[] {
  const models = new Set<string>();
  for (const { readings } of asked) for (const { model } of readings) if (model !== null) models.add(model);
  return [...models].sort();
}

/**
 * Keeps the answers of one model only: the model with the most answers, or the first by name in a tie.
 * Answers of other models become failures with the code `other_model`. Returns the questions unchanged if at
 * most one model answered.
 */
export function ofOneModel(asked: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const judged = withoutSummaries(asked);
  const models = modelsOf(judged);
  if (models.length < 2) return asked;
  const answers = judged.flatMap(({ readings }) => readings.flatMap(({ model }) => model ?? []));
  const counts = models.map((model) => answers.filter((name) => name === model).length);
  const majorityModel = models[counts.indexOf(Math.max(...counts))];
  const failed = { ...NOTHING, status: null, code: "other_model", finish_reason: null } as const;
  const strict = (reading: Reading): Reading =>
    reading.model === null || reading.model === majorityModel ? reading : { ...reading, ...failed };
  return asked.map((entry) =>
    entry.question.purpose.kind === "summary" ? entry : { ...entry, readings: entry.readings.map(strict) },
  );
}

/**
 * Converts readings into the outcomes that `decide` and the schedules use. Skipped samples (`saved`) have no
 * outcome.
 * @param weighing how verdicts that grade candidates are weighted; by default a verdict yields at most a
 *   winner
 */
export function outcomesOf(asked: readonly AskedQuestion[], weighing: Weighing = {}): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const [question, entry] of asked.entries()) {
    const { shown } = entry.question;
    for (const reading of entry.readings) {
      const { code, verdict, saved } = reading;
      if (saved) continue;
      const state = code !== null ? "failed" : isUnparsed(reading) ? "unparsed" : "parsed";
      const place = winnerOf(verdict);
      const grades = gradesIn(verdict, shown.length, weighing);
      const winner = place === null ? null : (shown[place] as number);
      outcomes.push(grades === undefined ? { question, state, winner } : { question, state, winner, grades });
    }
  }
  return outcomes;
}

/**
 * Why no result was reached for a class: the most frequent error code among its readings, counting unreadable
 * answers as `unparsed`. Ties are resolved by the order of `ITEM_ERRORS`.
 */
export function commonFault(asked: readonly AskedQuestion[], classIndex: number): ItemErrorCode | null {
  const counts = new Map<ItemErrorCode, number>();
  for (const { question, readings } of asked) {
    if (!question.shown.includes(classIndex)) continue;
    for (const reading of readings) {
      const fault = reading.code ?? (isUnparsed(reading) ? "unparsed" : null);
      if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
  }
  const codes = (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).filter((code) => counts.has(code));
  return codes.reduce<ItemErrorCode | null>(
    (best, code) => (best === null || (counts.get(code) ?? 0) > (counts.get(best) ?? 0) ? code : best),
    null,
  );
}
