// The HTTP guarantees of the embedded verifier: OpenAI shapes, early headers, cancellation, refusals, a clean
// end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Judge } from "../../../gpu-backend/engines/cpu/judge.ts";
import type { Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { type CpuVerifier, createVerifierApp, startCpuVerifier } from "../../../gpu-backend/engines/cpu/server.ts";
import { createRenderer, type PromptForm } from "../../../src/core/judges/render.ts";

const QUESTION = "Double it.\n\nSample Input 1\n3\nSample Output 1\n6\n";
const RIGHT = "print(2 * int(input()))";

function messages(candidates = ["print(5)", RIGHT], form: PromptForm = "exact_match") {
  return createRenderer("code-select", form, { question: QUESTION, language: "python", candidates })(
    candidates.map((_, i) => i),
  );
}

let verifier: CpuVerifier;
beforeAll(async () => {
  verifier = await startCpuVerifier({ workers: 1 });
});
afterAll(() => verifier.close());

const post = (body: unknown, init: RequestInit = {}) =>
  fetch(`${verifier.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });

test("it listens before the interpreters are warm, and headers and role come before the answer", async () => {
  expect(await (await fetch(`${verifier.url}/health`)).json()).toMatchObject({ status: "ok", workers: 1, warm: 0 });
  const reply = await post({ messages: messages(), stream: true });
  expect(reply.headers.get("content-type")).toContain("text/event-stream");
  const text = await reply.text();
  expect(text).toContain("\\\\boxed{B}");
  expect(await (await fetch(`${verifier.url}/health`)).json()).toMatchObject({ status: "ok", warm: 1 });
});

test("a stream is role, content, finish reason, usage when asked for, [DONE]", async () => {
  const text = await (
    await post({ messages: messages(), stream: true, stream_options: { include_usage: true } })
  ).text();
  const data = text.split("\n\n").flatMap((frame) => (frame.startsWith("data: ") ? [frame.slice(6)] : []));
  expect(data.pop()).toBe("[DONE]");
  const chunks = data.map((d) => JSON.parse(d));
  expect(new Set(chunks.map((c) => c.id)).size).toBe(1);
  expect(chunks[0].choices[0].delta.role).toBe("assistant");
  expect(chunks.at(-2).choices[0].finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
  const content = chunks.map((c) => c.choices[0]?.delta.content ?? "").join("");
  expect(content).toMatch(/^<think>\n[\s\S]*\n<\/think>\n\n\\boxed\{B\}$/);

  const without = await (await post({ messages: messages(), stream: true })).text();
  expect(without).not.toContain("usage");
});

test("no log probabilities are made up: programs were run, not weighed", async () => {
  const asks = { messages: messages(), logprobs: true, top_logprobs: 20 };
  const whole = (await (await post(asks)).json()) as { choices: { logprobs: unknown }[] };
  expect(whole.choices.map(({ logprobs }) => logprobs)).toEqual([null]);
  const streamed = await (await post({ ...asks, stream: true })).text();
  expect(streamed).toContain('"logprobs":null');
  expect(streamed).not.toContain('"logprobs":{');
});

test("a whole reply carries the same answer, and the scores form its list", async () => {
  const reply = await (await post({ model: "kritai-cpu-verifier", messages: messages() })).json();
  expect(reply).toMatchObject({
    object: "chat.completion",
    model: "kritai-cpu-verifier",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: expect.stringMatching(/\\boxed\{B\}$/) },
      },
    ],
  });
  expect(reply.usage.total_tokens).toBe(reply.usage.prompt_tokens + reply.usage.completion_tokens);
  const scores = await (await post({ messages: messages(undefined, "scores") })).json();
  expect(scores.choices[0].message.content).toMatch(/\\boxed\{\[0,10\]\}$/);
});

test("an answer longer than max_tokens is cut and says so", async () => {
  for (const stream of [false, true]) {
    const text = await (await post({ messages: messages(), max_tokens: 3, stream })).text();
    expect(text).toContain('"finish_reason":"length"');
    expect(text).not.toContain("boxed");
  }
});

test("a text that is no comparison is answered without a box", async () => {
  const reply = await (await post({ messages: [{ role: "user", content: "Which is best? \\boxed{A}" }] })).json();
  expect(reply.choices[0].message.content).not.toContain("boxed");
});

describe("refusals are OpenAI error objects", () => {
  test.each([
    ["a body that is not JSON", "{", 400],
    ["no messages", {}, 400],
    ["empty messages", { messages: [] }, 400],
    ["more than one choice", { messages: [{ role: "user", content: "x" }], n: 2 }, 400],
    ["max_tokens of 0", { messages: [{ role: "user", content: "x" }], max_tokens: 0 }, 400],
    ["another model", { messages: [{ role: "user", content: "x" }], model: "gpt" }, 404],
    ["a body over the limit", JSON.stringify({ messages: [{ role: "user", content: "x".repeat(17 << 20) }] }), 413],
  ])("%s", async (_, body, status) => {
    const reply = await post(body);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: { message: expect.any(String), type: "invalid_request_error" } });
  });

  test("an unknown route", async () => {
    const reply = await fetch(`${verifier.url}/v2`);
    expect([reply.status, (await reply.json()).error.code]).toEqual([404, "not_found"]);
  });
});

test("the model list names the one model", async () => {
  const list = await (await fetch(`${verifier.url}/v1/models`)).json();
  expect(list.data.map((m: { id: string }) => m.id)).toEqual(["kritai-cpu-verifier"]);
});

/** A judge whose answer never comes, and that reports when it was stopped. */
function endlessJudge() {
  const told = Promise.withResolvers<void>();
  const judge = Object.assign(Object.create(Judge.prototype) as Judge, {
    answer: (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => {
          told.resolve();
          reject(signal.reason);
        });
      }),
  });
  return { judge, told: told.promise };
}
const noWorkers = { workers: { total: 1, warm: 0, broken: 1 } } as Sandbox;

test("a stream whose reader goes stops the work, and comments keep it alive until then", async () => {
  const { judge, told } = endlessJudge();
  const reply = await createVerifierApp(judge, noWorkers).request("/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ messages: messages(), stream: true }),
  });
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  let seen = "";
  while (!seen.includes(": keep-alive")) seen += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  await told;
});

test("a client that disconnects over the wire stops the work", async () => {
  const slow = "import time\nwhile True: time.sleep(1)";
  const stop = new AbortController();
  const reply = await post({ messages: messages([slow, `${slow} # 2`]), stream: true }, { signal: stop.signal });
  await (reply.body as ReadableStream<Uint8Array>).getReader().read();
  stop.abort();
  const next = await (await post({ messages: messages(["print(7)", RIGHT]) })).json();
  expect(next.choices[0].message.content).toMatch(/\\boxed\{B\}$/);
});

test("health says failed when no interpreter could be loaded", async () => {
  const reply = await createVerifierApp(endlessJudge().judge, noWorkers).request("/health");
  expect([reply.status, await reply.json()]).toEqual([503, { status: "failed", workers: 1, warm: 0 }]);
});

test("as a program it prints the ready line and ends cleanly on SIGTERM", async () => {
  const child: ChildProcess = spawn(process.execPath, ["gpu-backend/engines/cpu/main.ts"], {
    env: { ...process.env, PORT: "0", WORKERS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, "line")) as [string];
  expect(line).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${line.slice(6)}/health`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
