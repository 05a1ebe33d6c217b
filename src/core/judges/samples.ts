// Owns what was learnt of one group: its asks, the samples that came back, and how a generation is
// read. Knows no verifier and no wire shape.

import { VERDICT_STATUSES } from "../contract/replies.ts";
import type { Spec } from "../contract/spec.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { parseLetter, parseScores } from "./verdict.ts";

/**
 * How an answer was read. `tie`: it names no winner in so many words. `cut_by_length`: it did not
 * end by itself.
 */
export const SAMPLE_STATUSES = [...VERDICT_STATUSES, "tie", "cut_by_length"] as const;
export type SampleStatus = (typeof SAMPLE_STATUSES)[number];

/**
 * One sample of one ask, read. Exactly one of `status` and `error` is set, neither when it was
 * saved.
 */
export interface Sample {
  sample: number;
  letter: string | null;
  scores: readonly number[] | null;
  /** Position of the winner in the order shown; null when the verdict names nobody. */
  position: number | null;
  status: SampleStatus | null;
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

/** A generation as it comes from a verifier, as far as reading it goes. */
export interface Answer {
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  saved?: boolean;
}

export type Reading = Pick<Sample, "letter" | "scores" | "position" | "status" | "error" | "saved">;

/** What a reading that brought no verdict holds. */
export const NOTHING = { letter: null, scores: null, position: null, saved: false } as const;

/** Finish reasons of an answer that did not end by itself; whatever it holds is no verdict. */
const CUT: ReadonlySet<string> = new Set(["length", "repetition"]);

/**
 * Reads one answer over k candidates. Thoughts that were never closed, and an answer cut by length
 * or for repeating itself, are no verdict.
 */
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

/**
 * The word in the box of a verifier that finds the candidates equal, as the embedded one does. No
 * prompt offers it.
 */
const DECLARED_TIE = /\\boxed\{tie\}\s*$/;

function readLetter(text: string, k: number): Reading {
  const { status, letter, index } = parseLetter(text, k);
  if (status === "bad_content" && DECLARED_TIE.test(text)) return { ...NOTHING, status: "tie", error: null };
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

/** Whether the verifier answered and said nothing that can be read. */
export const isUnparsed = ({ status }: Pick<Sample, "status">): boolean =>
  status !== null && status !== "ok" && status !== "tie";

/** Whether some answer came, and none that can be read. */
export const isUnread = (samples: readonly Sample[]): boolean =>
  samples.some(isUnparsed) &&
  samples.every((sample) => !sample.saved && (sample.status === null || isUnparsed(sample)));
