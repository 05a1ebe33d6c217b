// Adapts a job that is sent in a single request: the governor treats it as one sample.
import type { JobQuestion } from "../../core/asking/questions.ts";
import { failed } from "../../core/wire/chat-answer.ts";
import type { Generation } from "../../core/wire/questions.ts";
import type { Governor } from "./fan-out.ts";
import type { Countable } from "./queue.ts";

/** The single question, with one sample, of a job that is sent in a single request. */
export const WHOLE: readonly JobQuestion[] = [{ id: 0, shown: [], samples: 1 }];

/** Fields of a generation without usage or answer, for scores and errors. */
export const NO_ANSWER = {
  answer: null,
  thinking: "none",
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
} as const;

/** Sends the job and returns its single generation. */
export async function askWhole<J extends Countable>(governor: Governor<J>, whole: J): Promise<Generation> {
  let last: Generation = { ...failed("verifier_bad_reply"), question: 0, sample: 0, latency_ms: 0 };
  await governor.judge(whole, (generation) => {
    last = generation;
  });
  return last;
}
