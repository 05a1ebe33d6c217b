// One group's questions with the readings that came back.

import type { ItemErrorCode } from "../faults/errors.ts";
import { ITEM_ERRORS } from "../faults/errors.ts";
import { gradesIn, type Weighing, winnerOf } from "../judges/verdicts.ts";
import type { Outcome } from "./outcome.ts";
import { isAside, type Question } from "./questions.ts";
import { isUnparsed, NOTHING, type Reading } from "./readings.ts";

/**
 * One question of a group with its readings. `charged` is false when an equal group of the request
 * asked it: no cost here.
 */
export interface AskedQuestion {
  question: Question;
  charged: boolean;
  readings: readonly Reading[];
}

/** Whether a question's answers say anything of its candidates. */
export const counts = ({ question }: AskedQuestion): boolean => !isAside(question);

/** The questions that a plan decides by: summaries are not among them. */
export const deciding = (asked: readonly AskedQuestion[]): readonly AskedQuestion[] =>
  asked.filter(({ question }) => question.summary !== true);

/**
 * Indices of the questions that the deadline came before: none of their samples failed by anything
 * else, and none was answered.
 */
export function cutByDeadline(asked: readonly AskedQuestion[]): ReadonlySet<number> {
  const isCut = ({ readings }: AskedQuestion) => readings.every(({ code }) => code === "deadline");
  return new Set(asked.flatMap((question, q) => (question.readings.length > 0 && isCut(question) ? [q] : [])));
}

/** The models that answered, by name. */
export function modelsOf(asked: readonly AskedQuestion[]): string[] {
  const models = new Set<string>();
  for (const { readings } of asked) for (const { model } of readings) if (model !== null) models.add(model);
  return [...models].sort();
}

/**
 * The same samples as one model's: the model with most answers, the first by name among equals; what
 * others answered has failed with `other_model`. Where one model or none answered, the questions
 * come back as they are.
 */
export function ofOneModel(asked: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const judged = asked.filter(({ question }) => question.summary !== true);
  const models = modelsOf(judged);
  if (models.length < 2) return asked;
  const answers = judged.flatMap(({ readings }) => readings.flatMap(({ model }) => model ?? []));
  const counts = models.map((model) => answers.filter((name) => name === model).length);
  const majorityModel = models[counts.indexOf(Math.max(...counts))];
  const failed = { ...NOTHING, status: null, code: "other_model", finish_reason: null } as const;
  const strict = (reading: Reading): Reading =>
    reading.model === null || reading.model === majorityModel ? reading : { ...reading, ...failed };
  return asked.map((entry) =>
    entry.question.summary === true ? entry : { ...entry, readings: entry.readings.map(strict) },
  );
}

/**
 * The outcomes that `decide` and the schedules work on; a saved sample has none.
 * @param weighing what counts of verdicts that say more than a winner; absent, a winner at most
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
 * Why nothing of a class was decided: the most frequent fault among its readings, `unparsed`
 * included; equal counts go by the table's order.
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
