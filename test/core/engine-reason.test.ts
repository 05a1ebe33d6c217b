// Holds what is passed on of an engine's refusal: its sentence in a bound, never a text that it was
// sent, an address or a key.

import { describe, expect, it } from "vitest";
import { ENGINE_REASON_CHARS, engineReason } from "../../src/core/faults/engine-reason.ts";
import fc from "../harness/property.ts";

const openAi = (message: string) => JSON.stringify({ error: { message, type: "BadRequestError", code: 400 } });

/** Engines' sentences, each word and number of which people need. */
const WHOLE = [
  "temperature must be non-negative, got -1.0.",
  "max_tokens must be at least 1, got 0.",
  "top_p must be in (0, 1], got 1.5.",
  "n must be 1 when using greedy sampling, got 4.",
  "Requested sample logprobs of 25, which is greater than max allowed: 20 (parameter=logprobs, value=25)",
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  "Unsupported value: 'temperature' does not support 0.16 with this model. Only the default (1) value is supported.",
  "Unknown parameter: 'reasoning_effort'.",
  "You must provide a model parameter",
  "Conversation roles must alternate user/assistant/user/assistant/...",
  "chat template is not defined for this model",
  "Input validation error: `top_k` must be strictly positive",
  "Input validation error: `best_of` != 1 is not supported for this endpoint",
  "Extra inputs are not permitted",
  "Stream options can only be defined when `stream=True`.",
  "The engine prompt length 16502 exceeds the max_model_len 4096. Please reduce prompt.",
  "This server does not support embeddings. Start it with the option",
  "max_logprobs is 20, but 25 was requested",
  "seed must be an integer",
];

/** Texts that a policy may have written, with words of engines among its own. */
const ROLLOUTS = [
  "def solve(n):\n    return n * 7919  # Zebra-Quartz 31337",
  "The answer is 42, because max(model) = the largest token of all.",
  "the maximum length of the string is 7919 and the model must not exceed it",
  "Zebra 'quartz' \"vixen\" `onyx` jumps {over} [the] <lazy> dog; 100% of 271828 tokens",
  "Größe 答案是四十二 ответ сорок два 🙂 π≈3.14159",
  "x".repeat(200),
  "https://zebra.example/quartz?vixen=1 and /home/zebra/quartz and sk-zebraquartz",
];
const ENCODINGS: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "JSON-escaped twice": (text) => JSON.stringify(text),
  "cut short": (text) => `${text.slice(0, 40)}...`,
  "its middle": (text) => text.slice(8, 60),
  "in capitals": (text) => text.toUpperCase(),
  "in small letters": (text) => text.toLowerCase(),
  "URL-encoded": encodeURIComponent,
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "HTML-escaped": (text) => text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`),
  "without blanks": (text) => text.replace(/\s/g, ""),
  "in dots": (text) => text.replace(/\s/g, "."),
  backwards: (text) => [...text].reverse().join(""),
};
/** Where engines put what they were sent. */
const ECHOES: Record<string, (echo: string) => string> = {
  "vLLM's validator": (echo) =>
    openAi(`1 validation error:\n  {'type': 'value_error', 'loc': ('body',), 'input': '${echo}'}`),
  "vLLM, in a line": (echo) =>
    openAi(`1 validation error for ChatCompletionRequest: input_value='${echo}', input_type=str`),
  SGLang: (echo) => `{"object":"error","message":${JSON.stringify(`Failed to parse request: ${echo}`)},"code":400}`,
  TGI: (echo) =>
    JSON.stringify({
      error: `Template error: invalid operation: ${echo} is not allowed`,
      error_type: "template_error",
    }),
  "llama.cpp": (echo) =>
    JSON.stringify({
      error: { code: 400, message: `Failed to parse messages: ${echo}; messages = [{"content": "${echo}"}]` },
    }),
  OpenAI: (echo) => openAi(`Invalid value: '${echo}'. Supported values are: 'system' and 'user'.`),
  "OpenAI, quoted": (echo) => openAi(`Invalid 'messages[0].content': "${echo}" is too short`),
  Azure: (echo) =>
    JSON.stringify({
      error: { message: `The response was rejected (${echo})`, innererror: { code: "x", message: echo } },
    }),
  LiteLLM: (echo) =>
    openAi(`litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': '${echo}'}}`),
  "LiteLLM, flat": (echo) => openAi(`litellm.BadRequestError: prompt=${echo} not supported`),
  FastAPI: (echo) => JSON.stringify({ detail: [{ loc: ["body"], msg: `value is not valid: ${echo}`, input: echo }] }),
  "the echo first": (echo) => openAi(`${echo} is not a valid input`),
  "the echo alone": (echo) => openAi(echo),
  "a field of the echo": (echo) => JSON.stringify({ input: { message: echo }, error: { message: "bad request" } }),
};

/** Whether this many characters of a text, letters and digits alone, are in another. */
function repeated(told: string, text: string, chars: number): string | undefined {
  const plain = (of: string) => of.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const [within, whole] = [plain(told), plain(text)];
  for (let at = 0; at + chars <= whole.length; at++) {
    if (within.includes(whole.slice(at, at + chars))) return whole.slice(at, at + chars);
  }
  return undefined;
}

describe.each(Object.entries(ECHOES))("a refusal that quotes a candidate, %s", (_, body) => {
  it.each(Object.entries(ENCODINGS))("%s: nothing of it is told", (_, encoding) => {
    for (const rollout of ROLLOUTS) {
      const echo = encoding(rollout);
      const sent = JSON.stringify({
        model: "judge",
        messages: [{ role: "user", content: `Which is right?\n${rollout}` }],
      });
      const told = engineReason(body(echo), sent) ?? "";
      const own = engineReason(body("?"), "{}") ?? "";
      for (const word of [
        "zebra",
        "quartz",
        "vixen",
        "onyx",
        "solve",
        "7919",
        "31337",
        "271828",
        "3.14159",
        "answer",
      ]) {
        expect(told.toLowerCase(), rollout).not.toContain(word);
      }
      const leaked = repeated(told.replaceAll("[..]", "\n"), echo, 20);
      if (leaked !== undefined) expect(repeated(own, leaked, 20), `${rollout}: ${told}`).toBe(leaked);
    }
  });
});

describe("an engine's own sentence", () => {
  it.each(WHOLE)("comes whole: %s", (message) => {
    const sent = JSON.stringify({
      model: "judge",
      max_tokens: 16384,
      messages: [{ role: "user", content: "Sort 16 numbers" }],
    });
    expect(engineReason(openAi(message), sent)).toBe(message);
  });

  it("names the model that was asked for", () => {
    const said = openAi("The model `org/judge-7b` does not exist.");
    expect(engineReason(said, '{"model":"org/judge-7b"}')).toBe("The model [model] does not exist.");
    expect(engineReason(said, '{"model":"m"}')).toBe("The model [..] does not exist.");
  });

  it("is null where four of its words in a row were sent, though all are an engine's", () => {
    const sent = JSON.stringify({ messages: [{ content: "the Model must not exceed it" }] });
    expect(engineReason(openAi("invalid input: the model must not exceed"), sent)).toBeNull();
  });

  it.each([
    [
      "vLLM's",
      openAi("max_tokens=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens."),
      "max_tokens=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens.",
    ],
    ["vLLM's older form", '{"object":"error","message":"no such model","code":404}', "no such model"],
    ["FastAPI's", '{"detail":"Not Found"}', "Not Found"],
    [
      "TEI's",
      '{"error":"batch size 64 > maximum allowed batch size 32","error_type":"Validation"}',
      "batch size 64 > maximum allowed batch size 32",
    ],
    ["one that breaks off", '{"error":{"message":"the prompt is \\u00', "the prompt is"],
    [
      "a validator's, without what it was given",
      openAi("2 validation errors:\n  {'input': 'SECRET'}"),
      "2 validation errors:",
    ],
    [
      "with an address",
      openAi("cannot reach http://10.0.0.7:8000/v1 from 10.0.0.8:4411"),
      "cannot reach [address] from [address]",
    ],
    ["with a path", openAi("no file /root/models/judge/config.json here"), "no file [path] here"],
    ["with a key", openAi("bad key sk-abcdef123456, or Bearer abcdef123456"), "bad [key], or [key]"],
    ["with a long word", openAi(`token ${"a1".repeat(30)} is bad`), "token [..]"],
    ["with a long quotation", openAi(`cannot parse '${"some text of a rollout ".repeat(3)}'`), "cannot parse [..]"],
  ])("is told: %s", (_, said, told) => {
    expect(engineReason(said, "{}")).toBe(told);
  });

  it.each([
    ["no JSON", "<html>Bad gateway</html>"],
    ["nothing said", '{"error":{"code":400}}'],
    ["an empty sentence", openAi("  ")],
  ])("is null for %s", (_, said) => {
    expect(engineReason(said, "{}")).toBeNull();
  });

  it("never repeats 36 characters of what was sent, nor exceeds its bound, wherever the echo stands", () => {
    const text = fc.string({ minLength: 36, maxLength: 300, unit: fc.constantFrom(..."abc d.e") });
    fc.assert(
      fc.property(text, fc.string({ maxLength: 60 }), fc.string(), (echo, before, after) => {
        const told = engineReason(openAi(`${before}${echo}${after}`), JSON.stringify({ content: echo }));
        expect(told?.length ?? 0).toBeLessThanOrEqual(ENGINE_REASON_CHARS);
        for (let at = 0; told !== null && at + 36 <= echo.length; at++) {
          expect(told).not.toContain(echo.slice(at, at + 36));
        }
      }),
    );
  });
});
