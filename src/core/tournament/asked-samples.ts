// Owns what was learnt of one group: its comparisons with the samples that came back.

import type { ItemErrorCode } from "../faults/errors.ts";
import { ITEM_ERRORS } from "../faults/errors.ts";
import { isUnparsed, NOTHING, type Sample } from "../judges/samples.ts";
import type { Ask, Outcome } from "./schedule.ts";

/**
 * One ask of a group with its samples. `own` is false when an equal group of the request asked it:
 * no cost here.
 */
export interface AskedSamples {
  ask: Ask;
  own: boolean;
  samples: readonly Sample[];
}

/** The models that answered, by name. */
export function modelsOf(asked: readonly AskedSamples[]): string[] {
  return [...new Set(asked.flatMap(({ samples }) => samples.flatMap(({ model }) => model ?? [])))].sort();
}

/**
 * The same samples as one model's: the model with most answers, the first by name among equals;
 * what others answered has failed with `other_model`. A group in which one model or none answered
 * comes back as it is.
 */
export function ofOneModel(asked: readonly AskedSamples[]): readonly AskedSamples[] {
  const models = modelsOf(asked);
  if (models.length < 2) return asked;
  const answers = asked.flatMap(({ samples }) => samples.flatMap(({ model }) => model ?? []));
  const counts = models.map((model) => answers.filter((name) => name === model).length);
  const kept = models[counts.indexOf(Math.max(...counts))];
  const failed = { ...NOTHING, status: null, error: "other_model", finish_reason: null } as const;
  const strict = (sample: Sample): Sample =>
    sample.model === null || sample.model === kept ? sample : { ...sample, ...failed };
  return asked.map((entry) => ({ ...entry, samples: entry.samples.map(strict) }));
}

/** The outcomes that `decide` and the schedules work on; a saved sample has none. */
export function outcomesOf(asked: readonly AskedSamples[]): Outcome[] {
  return asked.flatMap(({ ask, samples }, index) =>
    samples.flatMap((sample): Outcome[] => {
      const { error, position, saved } = sample;
      if (saved) return [];
      const state = error !== null ? "failed" : isUnparsed(sample) ? "unparsed" : "parsed";
      return [{ ask: index, state, winner: position === null ? null : (ask.order[position] as number) }];
    }),
  );
}

/**
 * Why nothing of a class was decided: the most frequent fault among its samples, `unparsed`
 * included; equal counts go by the table's order.
 */
export function commonFault(asked: readonly AskedSamples[], classIndex: number): ItemErrorCode | null {
  const counts = new Map<ItemErrorCode, number>();
  for (const { ask, samples } of asked) {
    if (!ask.order.includes(classIndex)) continue;
    for (const sample of samples) {
      const fault = sample.error ?? (isUnparsed(sample) ? "unparsed" : null);
      if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
  }
  const codes = (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).filter((code) => counts.has(code));
  return codes.reduce<ItemErrorCode | null>(
    (best, code) => (best === null || (counts.get(code) ?? 0) > (counts.get(best) ?? 0) ? code : best),
    null,
  );
}
