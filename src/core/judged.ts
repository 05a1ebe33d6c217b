// Owns what was learnt of one group: its asks, the samples that came back, and how a generation is read. Knows no verifier and no wire shape.

import type { VerdictStatus } from "./contract-replies.ts";
import type { ItemErrorCode } from "./errors.ts";
import { ITEM_ERRORS } from "./errors.ts";
import type { Ask, Outcome } from "./schedule.ts";
import type { Spec } from "./spec.ts";
import { parseLetter, parseScores } from "./verdict.ts";

/** One sample of one ask, read. Exactly one of `status` and `error` is set, neither when it was saved. */
export interface Sample {
  sample: number;
  letter: string | null;
  scores: readonly number[] | null;
  /** Position of the winner in the order shown; null when the verdict names nobody. */
  position: number | null;
  status: VerdictStatus | "cut_by_length" | null;
  error: ItemErrorCode | null;
  /** Left out because the ask's majority was decided. */
  saved: boolean;
  finish_reason: string | null;
  prompt_tokens: number;
  completion_tokens: number;
  latency_ms: number;
  /** The model that answered and the backend's name; null when none answered or it is not known. */
  model: string | null;
  backend: string | null;
}

/** One ask of a group with its samples. `own` is false when an equal group of the request asked it: no cost here. */
export interface AskedSamples {
  ask: Ask;
  own: boolean;
  samples: readonly Sample[];
}

/** A generation as it comes from a verifier, as far as reading it goes. */
export interface Answer {
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  saved?: boolean;
}

export type Reading = Pick<Sample, "letter" | "scores" | "position" | "status" | "error" | "saved">;

const NOTHING = { letter: null, scores: null, position: null, saved: false } as const;

/** Finish reasons of an answer that did not end by itself; whatever it holds is no verdict. */
const CUT: ReadonlySet<string> = new Set(["length", "repetition"]);

/** Reads one answer over k candidates. Thoughts that were never closed, and an answer cut by length or for repeating itself, are no verdict. */
export function readAnswer(answer: Answer, k: number, form: Spec["judge"]["form"]): Reading {
  if (answer.saved === true) return { ...NOTHING, status: null, error: null, saved: true };
  if (answer.answer === null) return { ...NOTHING, status: null, error: answer.error ?? "verifier_bad_reply" };
  if (answer.thinking === "unclosed") return { ...NOTHING, status: "unclosed_think", error: null };
  const read = form === "scores" ? readScores(answer.answer, k) : readLetter(answer.answer, k);
  if (CUT.has(answer.finish_reason ?? "") && read.status !== "unclosed_think") {
    return { ...NOTHING, status: "cut_by_length", error: null };
  }
  return read;
}

function readLetter(text: string, k: number): Reading {
  const { status, letter, index } = parseLetter(text, k);
  return { ...NOTHING, letter, position: index, status, error: null };
}

/** A score list votes for its one highest score; a tie at the top votes for nobody. */
function readScores(text: string, k: number): Reading {
  const { status, scores } = parseScores(text, k);
  if (scores === null) return { ...NOTHING, status, error: null };
  const top = Math.max(...scores);
  const unique = scores.indexOf(top) === scores.lastIndexOf(top);
  return { ...NOTHING, scores, position: unique ? scores.indexOf(top) : null, status, error: null };
}

/** The models that answered, by name. */
export function modelsOf(asked: readonly AskedSamples[]): string[] {
  return [...new Set(asked.flatMap(({ samples }) => samples.flatMap(({ model }) => model ?? [])))].sort();
}

/**
 * The same samples as one model's: the model with most answers, the first by name among equals; what others answered has failed
 * with `other_model`. A group in which one model or none answered comes back as it is.
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
    samples.flatMap(({ status, error, position, saved }): Outcome[] => {
      if (saved) return [];
      const state = error !== null ? "failed" : status === "ok" ? "parsed" : "unparsed";
      return [{ ask: index, state, winner: position === null ? null : (ask.order[position] as number) }];
    }),
  );
}

/** Why a class could not be judged: the most frequent failure among its samples; equal counts go by the table's order. */
export function commonFailure(asked: readonly AskedSamples[], classIndex: number): ItemErrorCode | null {
  const counts = new Map<ItemErrorCode, number>();
  for (const { ask, samples } of asked) {
    if (!ask.order.includes(classIndex)) continue;
    for (const { error } of samples) if (error !== null) counts.set(error, (counts.get(error) ?? 0) + 1);
  }
  const codes = (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).filter((code) => counts.has(code));
  return codes.reduce<ItemErrorCode | null>(
    (best, code) => (best === null || (counts.get(code) ?? 0) > (counts.get(best) ?? 0) ? code : best),
    null,
  );
}
