// Helpers shared by the simulator's HTTP tests: questions, posts, and reading streams.
import { createRenderer, type PromptForm } from "../../../src/core/judges/render.ts";

export const CANDIDATES = ["# pass_rate=0.1\nprint(5)", "# pass_rate=1\nprint(2 * int(input()))"];

/** A comparison's messages, as the adapters send them. */
export function messages(candidates = CANDIDATES, form: PromptForm = "exact_match") {
  const job = { question: "Double it.", language: "python", candidates };
  return createRenderer("code-select", form, job)(candidates.map((_, i) => i));
}

/** Posts one question. */
export function ask(url: string, body: Record<string, unknown> = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "sim-14b", messages: messages(), seed: 1, ...body }),
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
  });
}

interface Chunk {
  id: string;
  choices: {
    delta: { role?: string; content?: string; reasoning?: string };
    logprobs: { content: { token: string; top_logprobs: { token: string; logprob: number }[] }[] } | null;
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

export interface ReadStream {
  chunks: Chunk[];
  content: string;
  done: boolean;
  comments: number;
}

/** A complete event stream, taken apart. */
export function readEvents(text: string): ReadStream {
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  const data = frames.filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice(6));
  const chunks = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one) as Chunk);
  return {
    chunks,
    content: chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
    done: data.at(-1) === "[DONE]",
    comments: frames.filter((frame) => frame.startsWith(":")).length,
  };
}
