// Parts that only the Node runner can show: the clock, cancellation of whole replies, silence, flavours, the
// program itself.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { createSimulator, type SimulatorOptions } from "../../../gpu-backend/engines/simulator/simulator.ts";
import { ask, messages, readEvents } from "./setup.ts";

async function running(options: SimulatorOptions) {
  const simulator = await startSimulator(options);
  return { ...simulator, [Symbol.asyncDispose]: simulator.close };
}

const fixed = { thinking_median_tokens: 400, thinking_sigma: 0, parse_rate: 1, loop_rate: 0 };

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe("time", () => {
  test("a generation takes as long as the queueing model says, divided by the scale", async () => {
    // 411 tokens at 10 s each: more than an hour, at scale 20,000 a fifth of a second.
    const engine = { step_overhead_s: 10, weights_read_s: 0, token_compute_s: 0, kv_read_s: 0 };
    await using simulator = await running({ scale: 20_000, engine, noise: fixed });
    const start = performance.now();
    const { usage } = await (await ask(simulator.url)).json();
    const took = performance.now() - start;
    // Exact below; above, a busy machine adds to it, but an hour would not end in time.
    expect(took).toBeGreaterThanOrEqual((usage.completion_tokens * 10_000) / 20_000 - 2);
  });

  test("headers come before the first token, and keep-alive comments while it waits", async () => {
    const engine = { step_overhead_s: 60 };
    await using simulator = await running({ engine, keep_alive_ms: 5 });
    const stop = new AbortController();
    const reply = await ask(simulator.url, { stream: true }, { signal: stop.signal });
    expect(reply.status).toBe(200);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^: keep-alive\n\n/);
    stop.abort();
  });

  test("instant mode answers at once, streamed or not, and counts", async () => {
    await using simulator = await running({ scale: "instant", noise: fixed, stream_tokens: 1_000 });
    const whole = await (await ask(simulator.url)).json();
    const { content, done } = readEvents(await (await ask(simulator.url, { stream: true })).text());
    expect([content, done]).toEqual([whole.choices[0].message.content, true]);
    const tokens_generated = 2 * whole.usage.completion_tokens;
    expect(simulator.stats()).toMatchObject({ started: 2, finished: 2, running: 0, tokens_generated });
  });
});

describe("the client's going", () => {
  const slow = { noise: { thinking_median_tokens: 8_000, thinking_sigma: 0 } };

  test("stops a generation whose reply is in one piece", async () => {
    await using simulator = await running(slow);
    const stop = new AbortController();
    const reply = ask(simulator.url, {}, { signal: stop.signal });
    await until(() => simulator.stats().tokens_generated > 0);
    stop.abort();
    await expect(reply).rejects.toThrow();
    await until(() => simulator.stats().running === 0);
    expect(simulator.stats()).toMatchObject({ aborted: 1, finished: 0, kv_usage: 0 });
  });

  test("before its question was read leaves nothing running", async () => {
    const simulator = createSimulator({ scale: 1 }, "shared");
    const body = JSON.stringify({ model: "sim-14b", messages: messages(), stream: true });
    const asked = { method: "POST", body, signal: AbortSignal.abort() };
    await simulator.fetch(new Request("http://localhost/v1/chat/completions", asked), null);
    expect(simulator.stats()).toMatchObject({ started: 1, running: 0, waiting: 0, aborted: 1 });
    simulator.close();
  });

  test("is noticed late by an engine told to, which /abort_request need not wait for", async () => {
    await using simulator = await running({ ...slow, flavour: "sglang", disconnect_notice_ms: 3_600_000 });
    const stop = new AbortController();
    await ask(simulator.url, { stream: true, rid: "r1" }, { signal: stop.signal });
    stop.abort();
    const before = simulator.stats().tokens_generated;
    await until(() => simulator.stats().tokens_generated > before + 2);
    expect(simulator.stats().running).toBe(1);
    await fetch(`${simulator.url}/abort_request`, { method: "POST", body: JSON.stringify({ rid: "r1" }) });
    expect(simulator.stats()).toMatchObject({ running: 0, aborted: 1 });
  });

  test("ends a silent and a stalled reply", async () => {
    await using simulator = await running({ ...slow, scale: 100 });
    for (const fault of ["no-answer", "stalled-stream"]) {
      const stop = new AbortController();
      const model = `sim-14b+fault:${fault}`;
      const reply = ask(simulator.url, { stream: true, model, seed: 4 }, { signal: stop.signal });
      const text = reply.then((r) => r.text());
      await until(() => simulator.stats().requests > 0);
      stop.abort();
      await expect(text).rejects.toThrow();
    }
    await until(() => simulator.stats().running === 0);
  });
});

test("a full queue is refused with 503", async () => {
  await using simulator = await running({ engine: { sequences_max: 1 }, waiting_max: 1 });
  const stop = new AbortController();
  const { signal } = stop;
  for (const seed of [1, 2]) await ask(simulator.url, { stream: true, seed }, { signal });
  expect((await ask(simulator.url, { stream: true, seed: 3 })).status).toBe(503);
  stop.abort();
});

test("SGLang's flavour: flat errors, its metric names, reasoning in its own field", async () => {
  await using simulator = await running({
    scale: "instant",
    flavour: "sglang",
    thinking_field: "reasoning_content",
    noise: fixed,
  });
  expect(await (await ask(simulator.url, { model: "x" })).json()).toMatchObject({ object: "error", code: 404 });
  expect(await (await fetch(`${simulator.url}/metrics`)).text()).toContain("sglang:num_queue_reqs");
  const { message } = (await (await ask(simulator.url)).json()).choices[0];
  expect(message.content).toMatch(/^\n\n\\boxed\{[AB]\}$/);
  expect(message.reasoning_content).not.toContain("think>");
  const { chunks, content } = readEvents(await (await ask(simulator.url, { stream: true })).text());
  expect(content).toBe(message.content);
  const deltas = chunks.map(({ choices }) => (choices[0]?.delta ?? {}) as Record<string, string>);
  expect(deltas.map((delta) => delta.reasoning_content ?? "").join("")).toBe(message.reasoning_content);
});

test("options out of range are refused", async () => {
  for (const scale of [0, -1, Number.NaN]) await expect(startSimulator({ scale })).rejects.toThrow(RangeError);
  await expect(startSimulator({ stream_tokens: 0 })).rejects.toThrow(RangeError);
  await using first = await running({ scale: "instant" });
  await expect(startSimulator({ port: Number(new URL(first.url).port) })).rejects.toThrow("EADDRINUSE");
});

describe("the program", () => {
  const path = new URL("../../../gpu-backend/engines/simulator/main.ts", import.meta.url).pathname;
  const launch = (env: Record<string, string>): ChildProcess =>
    spawn(process.execPath, [path], {
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });

  test("prints where it is ready, serves its model, and ends on SIGTERM", async () => {
    const child = launch({ PORT: "0", MODEL: "sim-7b", SCALE: "instant", SEED: "3" });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [line] = (await once(lines, "line")) as [string];
    expect(line).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(line.slice("ready ".length), { model: "sim-7b" })).status).toBe(200);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  test("names what is wrong with its variables and exits with 2", async () => {
    const child = launch({ PORT: "0", MODEL: "sim-3b", SCALE: "fast", FAULT: "slow-drip;after=x" });
    let said = "";
    child.stderr?.on("data", (part) => {
      said += part;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    for (const name of ["MODEL", "SCALE", "FAULT"]) expect(said).toContain(`at ${name}`);
    expect(said).toContain('a number above 0 or "instant"');
    expect(said).toContain("fault option after must be a number");
  });
});
