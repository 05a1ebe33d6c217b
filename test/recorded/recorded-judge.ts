// A chat engine for recordings: an in-process `fetch` that answers each question by its text alone, so that a
// record depends neither on the order of questions nor on time. Keeps the bodies that it was sent.
import { hashText } from "../../src/core/math/random.ts";

export type JudgeName = "healthy" | "noisy" | "failing" | "late";

interface ChatBody {
  messages?: { role: string; content: unknown }[];
  prompt?: string;
  logprobs?: boolean;
}

const LETTERS = "ABCDE";

/** The q of each candidate shown, in order. The question's own words have none. */
const qualities = (text: string) => [...text.matchAll(/q=(\d)/g)].map(([, q]) => Number(q));

function reply(text: string, luck: number, { logprobs }: ChatBody): object {
  const shown = qualities(text);
  // Several per candidate where the prompt shows a candidate twice; examples of contracts have none.
  const values = shown.length > 0 ? shown : [...LETTERS.slice(0, 2)].map((_, i) => hashText("value", text, i)[0] % 10);
  const noisy = values.map((value, k) => value + luck * ((hashText("luck", text, k)[0] % 100) / 10 - 5));
  const best = noisy.indexOf(Math.max(...noisy));
  const letter = LETTERS[best] ?? "A";
  const said = answerIn(text, letter, noisy);
  const weights = noisy.slice(0, 5).map((value) => 1.4 ** value);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const top = weights.map((weight, k) => ({ token: LETTERS[k] ?? "A", logprob: Math.log(weight / sum) }));
  return {
    object: "chat.completion",
    model: "recorded",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: logprobs === true ? letter : said },
        text: said,
        finish_reason: "stop",
        logprobs: logprobs === true ? { content: [{ ...top[best], top_logprobs: top }] } : null,
      },
    ],
    usage: { prompt_tokens: text.length, completion_tokens: 7 },
  };
}

/** In the form that the question asks for. */
function answerIn(text: string, letter: string, values: readonly number[]): string {
  if (text.includes("boxed{X}")) return `Because.\n\\boxed{${letter}}`;
  if (text.includes("[[A]]")) return `[[${letter}]]`;
  if (/\byes\b/i.test(text)) return (values[0] ?? 0) >= 5 ? "Yes" : "No";
  return `\\boxed{${values.map((value) => Math.min(10, Math.max(0, Math.round(value)))).join(", ")}}`;
}

/** A plain stream as body: Node's byte streams cannot be read again once they are closed. */
function json(status: number, value: object): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}

/** Refusals of the question itself, which no retry mends. */
const REFUSED = {
  error: {
    message: "This model's maximum context length is 10 tokens.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
};

/** Answers, and the bodies sent so far, each once and in an order of their own. */
export function recordedJudge(name: JudgeName) {
  const bodies = new Set<string>();
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body);
    bodies.add(body);
    const chat = JSON.parse(body) as ChatBody;
    const text = chat.prompt ?? JSON.stringify(chat.messages);
    const [lane] = hashText("lane", body);
    if (name === "failing" && lane % 4 === 0) return json(400, REFUSED);
    if (name === "late" && lane % 3 === 0) await aborted(init?.signal);
    if (name === "noisy" && lane % 9 === 0) return json(200, reply("", 0, {}));
    return json(200, reply(text, name === "noisy" ? 1 : 0, chat));
  };
  return { fetch: fetch as typeof globalThis.fetch, bodies: () => [...bodies].sort() };
}

const aborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
