// How a generation is read: what it says of the candidates, or why it says nothing.
import { VERDICT_STATUSES } from "../contract/replies.ts";
import type { Spec } from "../contract/spec.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { readByPreset } from "../judges/preset-reading.ts";
import { presetNamed } from "../judges/presets/table.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import { parseLetter, parseScores } from "../judges/verdict.ts";
import type { Verdict } from "../judges/verdicts.ts";

/**
 * How an answer was read. `tie`: it says explicitly that none wins. `cut_by_length`: it did not end by
 * itself.
 */
export const READING_STATUSES = [...VERDICT_STATUSES, "tie", "cut_by_length"] as const;
export type ReadingStatus = (typeof READING_STATUSES)[number];

/** What is known of a generation besides what it says. */
export interface GenerationFacts {
  finish_reason: string | null;
  prompt_tokens: number;
  completion_tokens: number;
  latency_ms: number;
  /** The model that answered and the backend's name; null when none answered or it is not known. */
  model: string | null;
  backend: string | null;
  /** The verifier's text, or its reason to refuse; only where the spec says log_verdicts. */
  text?: string;
}

/** For a generation that was not reported, or was read for its meaning alone. */
export const NO_FACTS: GenerationFacts = {
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  latency_ms: 0,
  model: null,
  backend: null,
};

/**
 * One generation, read. Exactly one of `status` and `code` is set, neither when it was saved;
 * `verdict` only where the status is `ok` or `tie`.
 */
export interface Reading extends GenerationFacts {
  sample: number;
  verdict: Verdict | null;
  status: ReadingStatus | null;
  code: ItemErrorCode | null;
  /** Left out because its question's majority was decided. */
  saved: boolean;
  /** The turn that it names of each place shown, null of one without; absent: it names none. */
  turns?: readonly (number | null)[];
}

/** A generation as it comes from a verifier, as far as reading it goes. */
export interface ReadableGeneration {
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  saved?: boolean;
  /** Where a soft vote asked for it: the labels' probabilities, null where none were found. */
  soft?: SoftLabels | null | undefined;
}

export type ReadPart = Pick<Reading, "verdict" | "status" | "code" | "saved">;

/** The content of a reading without a verdict. */
export const NOTHING = { verdict: null, code: null, saved: false } as const;

/** Finish reasons of an answer that did not end by itself; such an answer is never a verdict. */
const CUT: ReadonlySet<string> = new Set(["length", "repetition"]);

/**
 * Reads one answer over k candidates. Thoughts that were never closed, and an answer cut by length or for
 * repeating itself, are not verdicts.
 * @param prompt the preset that asked; a template of `form` when it names none
 */
export function readAnswer(answer: ReadableGeneration, k: number, form: Spec["judge"]["form"], prompt = ""): ReadPart {
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
 * The word in the box of a verifier that finds the candidates equal, as the embedded one does. No
 * prompt offers it.
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

/** Whether the verifier answered and said nothing that can be read. */
export const isUnparsed = ({ status }: Pick<Reading, "status">): boolean =>
  status !== null && status !== "ok" && status !== "tie";

/** Whether some answer came, and none that can be read. */
export const isUnread = (readings: readonly Reading[]): boolean =>
  readings.some(isUnparsed) &&
  readings.every((reading) => !reading.saved && (reading.status === null || isUnparsed(reading)));
