// Reads generations: turns an answer into a verdict on the candidates, or into the reason why there is none.

import type { JudgeSettings } from "../contract/judge-settings.ts";
import { VERDICT_STATUSES } from "../contract/verdicts-reply.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { readByPreset } from "../judges/preset-reading.ts";
import { presetNamed } from "../judges/presets/table.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import { parseLetter, parseScores } from "../judges/verdict.ts";
import type { Verdict } from "../judges/verdicts.ts";

/**
 * How an answer was read. `tie`: the answer explicitly declares a tie. `cut_by_length`: the generation was
 * cut off, by a length limit or for repetition.
 */
export const READING_STATUSES = [...VERDICT_STATUSES, "tie", "cut_by_length"] as const;
export type ReadingStatus = (typeof READING_STATUSES)[number];

/** Metadata of a generation. */
export interface GenerationFacts {
  finish_reason: string | null;
  prompt_tokens: number;
  completion_tokens: number;
  latency_ms: number;
  /** Names of the model and the backend that answered; null if unknown or unanswered. */
  model: string | null;
  backend: string | null;
  /** The verifier's answer, or its reason for refusing; set only if the spec sets log_verdicts. */
  text?: string;
}

/** Metadata for a generation that was not reported, or whose metadata does not matter. */
export const NO_FACTS: GenerationFacts = {
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  latency_ms: 0,
  model: null,
  backend: null,
};

/**
 * The result of reading one generation. Exactly one of `status` and `code` is set, or neither if the sample
 * was skipped (`saved`). `verdict` is set only if the status is `ok` or `tie`.
 */
export interface Reading extends GenerationFacts {
  sample: number;
  verdict: Verdict | null;
  status: ReadingStatus | null;
  code: ItemErrorCode | null;
  /** True if the sample was skipped because the majority of its question was already decided. */
  saved: boolean;
  /**
   * Per candidate shown: the number of the turn that the answer names, or null. Omitted if the answer names
   * no turns.
   */
  turns?: readonly (number | null)[];
}

/** The part of a verifier's generation that is needed to read its answer. */
export interface ReadableGeneration {
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  saved?: boolean;
  /** Probabilities of the labels, if a soft vote asked for them; null if none were found. */
  soft?: SoftLabels | null | undefined;
}

export type ReadPart = Pick<Reading, "verdict" | "status" | "code" | "saved">;

/** Default fields of a reading without a verdict. */
export const NOTHING = { verdict: null, code: null, saved: false } as const;

/** Finish reasons of a generation that was cut off. A cut-off answer never yields a verdict. */
const CUT: ReadonlySet<string> = new Set(["length", "repetition"]);

/**
 * Reads one answer about k candidates. An answer has no verdict if its thinking section is unclosed, or if it
 * was cut off for length or repetition.
 * @param prompt name of the preset that asked the question; any other name means a template with the given
 *   `form`
 */
export function readAnswer(answer: ReadableGeneration, k: number, form: JudgeSettings["form"], prompt = ""): ReadPart {
  if (answer.saved === true) return { ...NOTHING, status: null, saved: true };
  if (answer.answer === null) return { ...NOTHING, status: null, code: answer.error ?? "verifier_bad_reply" };
  if (answer.thinking === "unclosed") return { ...NOTHING, status: "unclosed_think" };
  const preset = presetNamed(prompt);
  const read =
    preset !== null
      ? { ...NOTHING, ...readByPreset(preset, answer.answer, k) }
      : form === "scores"
        ? readScores(answer.answer, k)
        : readLetter(answer.answer, k);
  if (CUT.has(answer.finish_reason ?? "") && read.status !== "unclosed_think") {
    return { ...NOTHING, status: "cut_by_length" };
  }
  return read;
}

/**
 * Matches a box that declares a tie. No prompt offers this box, but some verifiers, such as the embedded one,
 * write it for equal candidates.
 */
const DECLARED_TIE = /\\boxed\{tie\}\s*$/;

function readLetter(text: string, k: number): ReadPart {
  const { status, index } = parseLetter(text, k);
  if (status === "bad_content" && DECLARED_TIE.test(text)) {
    return { ...NOTHING, verdict: { kind: "preference", strength: 0 }, status: "tie" };
  }
  return { ...NOTHING, verdict: index === null ? null : { kind: "letter", place: index }, status };
}

function readScores(text: string, k: number): ReadPart {
  const { status, scores } = parseScores(text, k);
  return { ...NOTHING, verdict: scores === null ? null : { kind: "scores", scores }, status };
}

/** Whether the verifier answered, but with unreadable content. */
export const isUnparsed = ({ status }: Pick<Reading, "status">): boolean =>
  status !== null && status !== "ok" && status !== "tie";

/** Whether at least one answer arrived and none of the answers is readable. */
export const isUnread = (readings: readonly Reading[]): boolean =>
  readings.some(isUnparsed) &&
  readings.every((reading) => !reading.saved && (reading.status === null || isUnparsed(reading)));
