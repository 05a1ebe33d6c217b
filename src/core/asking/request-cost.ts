// Estimates the requests and the input tokens that questions about one group take, without sending any.
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { createRenderer } from "../judges/render.ts";
import { tokensAtMost } from "../text/token-estimate.ts";
import { generationsOf, type JobQuestion, type Question } from "./questions.ts";

/** Assumed lengths of texts in a group, in tokens. */
export interface TextLengths {
  prompt_tokens: number;
  rollout_tokens: number;
}

/** Lengths for estimates without texts. */
export const TYPICAL_LENGTHS: TextLengths = { prompt_tokens: 300, rollout_tokens: 600 };

export interface RequestCost {
  /** Requests to a backend, without retries. */
  calls: number;
  /** Input tokens of all requests together, from above. */
  prompt_tokens: number;
}

/** A verifier's job whose prompt and candidates are stand-ins of a few characters. */
export interface EstimatedJob extends Pick<Question, "to" | "preset" | "slots"> {
  question: string;
  language: null;
  candidates: readonly string[];
  questions: readonly JobQuestion[];
}

/** Questions whose backends count tokens: sandboxes and checkers do not. */
const COUNTS_TOKENS: ReadonlySet<Question["to"]> = new Set(["chat", "decide", "scalar", "prm"]);

/**
 * Estimates one request per generation, each with the prompt and the candidates that it shows.
 * @param form form of the chat prompt
 */
export function requestCost(
  job: EstimatedJob,
  form: JudgeSettings["form"],
  { prompt_tokens, rollout_tokens }: TextLengths,
): RequestCost {
  const render = job.to === "chat" ? createRenderer(job.preset, form, job) : null;
  /** Tokens of a question's own text, by the number of candidates shown. */
  const frames = new Map<number, number>();
  const frameOf = (shown: readonly number[]): number => {
    if (render === null) return 0;
    const tokens =
      frames.get(shown.length) ??
      tokensAtMost(
        render(shown)
          .map(({ content }) => content)
          .join("\n"),
      );
    frames.set(shown.length, tokens);
    return tokens;
  };
  let [calls, tokens] = [0, 0];
  for (const { shown, samples } of job.questions) {
    const generations = generationsOf({ samples, preset: job.preset });
    calls += generations;
    if (!COUNTS_TOKENS.has(job.to)) continue;
    tokens += generations * (frameOf(shown) + prompt_tokens + shown.length * rollout_tokens);
  }
  return { calls, prompt_tokens: tokens };
}
