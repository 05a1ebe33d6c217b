// The job that one request brings whole: to the governor it is one sample. Must not know what it holds.
import type { JobQuestion } from "../../core/asking/questions.ts";
import { failed } from "../../core/wire/chat-answer.ts";
import type { Generation } from "../../core/wire/questions.ts";
import type { Governor } from "./fan-out.ts";
import type { Countable } from "./queue.ts";

/** A whole's one question, which asks for one sample. */
export const WHOLE: readonly JobQuestion[] = [{ id: 0, shown: [], samples: 1 }];

/** A generation's fields for a number of a whole, or the fault in its place. */
export const NO_ANSWER = {
  answer: null,
  thinking: "none",
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
} as const;

/** The result of the whole. */
export async function askWhole<J extends Countable>(governor: Governor<J>, whole: J): Promise<Generation> {
  let last: Generation = { ...failed("verifier_bad_reply"), question: 0, sample: 0, latency_ms: 0 };
  await governor.judge(whole, (generation) => {
    last = generation;
  });
  return last;
}
