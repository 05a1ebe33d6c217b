// The simulator's HTTP contract, the same in Node and in workerd: OpenAI shapes, determinism,
// faults, cancellation of streams.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SimulatorStats } from "../../../gpu-backend/engines/simulator/engine.ts";
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { startSimulatorInWorkerd } from "../../../gpu-backend/engines/simulator/workerd.ts";
import { parseLetter, parseScores } from "../../../src/core/judges/verdict.ts";
import { ask, messages, readEvents } from "./setup.ts";

interface Running {
  url: string;
  close(): Promise<void>;
}

/** Asks for the statistics until they are as wished; the test's own time limit ends it. */
async function statsUntil(url: string, wished: (stats: SimulatorStats) => boolean): Promise<SimulatorStats> {
  for (;;) {
    const stats = (await (await fetch(`${url}/stats`)).json()) as SimulatorStats;
    if (wished(stats)) return stats;
  }
}

const quick = { scale: 1_000, noise: { thinking_median_tokens: 60, parse_rate: 1, loop_rate: 0 } };
// Answers of minutes on two slots: nothing ends by itself while a test looks.
const slow = {
  scale: 1,
  noise: { thinking_median_tokens: 8_000, thinking_sigma: 0 },
  engine: { sequences_max: 2, step_overhead_s: 0.02 },
};

describe.each([
  ["Node", startSimulator],
  ["workerd", startSimulatorInWorkerd],
] as const)("in %s", (runtime, start) => {
  let simulator: Running;
  beforeAll(async () => {
    simulator = await start(quick);
  });
  afterAll(() => simulator.close());

  test("a stream is role, text, finish reason, usage when asked for, [DONE]; the whole reply says the same", async () => {
    const streamed = await ask(simulator.url, { stream: true, stream_options: { include_usage: true } });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const { chunks, content, done } = readEvents(await streamed.text());
    expect(done).toBe(true);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const whole = await (await ask(simulator.url)).json();
    expect(whole).toMatchObject({
      object: "chat.completion",
      model: "simulated-sim-14b",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop", logprobs: null }],
      usage: chunks.at(-1)?.usage,
    });
    expect(whole.usage.total_tokens).toBe(whole.usage.prompt_tokens + whole.usage.completion_tokens);
    expect(parseLetter(content, 2).status).toBe("ok");
    expect(readEvents(await (await ask(simulator.url, { stream: true })).text()).chunks.every((c) => !c.usage)).toBe(
      true,
    );
  });

  test("equal questions with equal seeds get equal answers; other seeds and no seed do not", async () => {
    const text = async (body: object) =>
      (await (await ask(simulator.url, { ...body })).json()).choices[0].message.content;
    expect(await text({ seed: 7 })).toBe(await text({ seed: 7 }));
    expect(await text({ seed: 7 })).not.toBe(await text({ seed: 8 }));
    expect(await text({ seed: null })).not.toBe(await text({ seed: null }));
    expect(await text({ seed: 1, temperature: 0 })).toBe(await text({ seed: 2, temperature: 0 }));
  });

  test("it answers the scores form, and texts that hold no comparison without a box", async () => {
    const content = async (body: object) =>
      (await (await ask(simulator.url, { ...body })).json()).choices[0].message.content as string;
    expect(parseScores(await content({ messages: messages(undefined, "scores") }), 2).status).toBe("ok");
    expect(parseLetter(await content({ messages: [{ role: "user", content: "hello" }] }), 2).status).toBe("no_box");
  });

  test("log probabilities come with the option letter, streamed or not", async () => {
    const wanted = { logprobs: true, top_logprobs: 5 };
    const whole = await (await ask(simulator.url, wanted)).json();
    const { chunks } = readEvents(await (await ask(simulator.url, { ...wanted, stream: true })).text());
    const streamed = chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? []);
    expect(streamed).toEqual(whole.choices[0].logprobs.content);
    const tokens = streamed.map(({ token }) => token);
    expect(tokens.join("")).toBe(whole.choices[0].message.content);
    expect(tokens).toHaveLength(whole.usage.completion_tokens);
    const letter = streamed[tokens.lastIndexOf("{") + 1];
    expect(["A", "B"]).toContain(letter?.token);
    expect(letter?.top_logprobs.map(({ token }) => token)).toEqual(expect.arrayContaining(["A", "B"]));
  });

  test("max_tokens cuts with finish reason length", async () => {
    const reply = await (await ask(simulator.url, { max_tokens: 20 })).json();
    expect(reply.usage.completion_tokens).toBe(20);
    expect(reply.choices[0].finish_reason).toBe("length");
  });

  test.each([
    [{ n: 2 }, 400],
    [{ messages: [] }, 400],
    [{ top_logprobs: 21 }, 400],
    [{ max_tokens: 0 }, 400],
    [{ max_tokens: 100_000 }, 400],
    [{ priority: 1 }, 400],
    [{ model: "other" }, 404],
    [{ model: "sim-14b+fault:fire" }, 400],
  ])("%j is refused with %i and a vLLM error", async (body, status) => {
    const reply = await ask(simulator.url, body);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: { message: expect.any(String), code: status } });
  });

  test.each([
    ["429", 429, null],
    ["429-retry-after;seconds=3", 429, "3"],
    ["500", 500, null],
    ["503", 503, null],
    ["flapping", 503, null],
    ["context-too-long", 400, null],
  ])("fault %s refuses with %i", async (fault, status, retryAfter) => {
    const reply = await ask(simulator.url, { model: `sim-14b+fault:${fault}` });
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([status, retryAfter]);
    await reply.text();
  });

  test("a fault can come by header, and is over for a repeated body when its times are used up", async () => {
    const headers = { "x-simulator-fault": "500;times=2" };
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(simulator.url, { seed: 99 }, { headers })).status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  test("a content filter ends the answer early with its reason, and a wrong usage is no usage, streamed or not", async () => {
    const model = "sim-14b+fault:content-filter";
    const { chunks, done } = readEvents(await (await ask(simulator.url, { stream: true, model })).text());
    expect([chunks.at(-1)?.choices[0]?.finish_reason, done]).toEqual(["content_filter", true]);
    const whole = await (await ask(simulator.url, { model })).json();
    expect(whole.choices[0].finish_reason).toBe("content_filter");
    const wrong = { model: "sim-14b+fault:wrong-usage" };
    const usage = { prompt_tokens: -3, completion_tokens: Number.MAX_SAFE_INTEGER, total_tokens: "many" };
    expect((await (await ask(simulator.url, wrong)).json()).usage).toEqual(usage);
    const streamed = await ask(simulator.url, { ...wrong, stream: true, stream_options: { include_usage: true } });
    expect(readEvents(await streamed.text()).chunks.at(-1)?.usage).toEqual(usage);
  });

  test("a drip brings the rest of the answer byte by byte, and loses nothing", async () => {
    const model = "sim-14b+fault:slow-drip;delay_ms=0";
    const dripped = readEvents(await (await ask(simulator.url, { stream: true, model })).text());
    const { content, done } = readEvents(await (await ask(simulator.url, { stream: true })).text());
    expect([dripped.content, dripped.done]).toEqual([content, done]);
  });

  test("a comment in a candidate strikes the comparisons that show it, and no others", async () => {
    const struck = messages(["# pass_rate=1  # simulator_fault=503\nprint(1)", "print(2)"]);
    expect((await ask(simulator.url, { messages: struck })).status).toBe(503);
    const reply = await ask(simulator.url);
    expect(reply.status).toBe(200);
    await reply.text();
  });

  test("stream faults leave out the end, each in its way", async () => {
    const stream = (fault: string) => ask(simulator.url, { stream: true, model: `sim-14b+fault:${fault}` });
    await expect((await stream("cut-stream")).text()).rejects.toThrow();
    const ended = readEvents(await (await stream("ended-stream")).text());
    expect([ended.done, ended.chunks.some(({ choices }) => choices[0]?.finish_reason)]).toEqual([false, false]);
    const doneless = readEvents(await (await stream("missing-done")).text());
    expect([doneless.done, doneless.chunks.at(-1)?.choices[0]?.finish_reason]).toEqual([false, "stop"]);
    const malformed = await (await stream("malformed-stream")).text();
    expect(() => readEvents(malformed)).toThrow(SyntaxError);
    const late = await stream("slow-first-token;delay_ms=50");
    expect(readEvents(await late.text()).done).toBe(true);
  });

  test("health, models, metrics under both engines' names, and no other route", async () => {
    expect((await fetch(`${simulator.url}/health`)).status).toBe(200);
    expect(await (await fetch(`${simulator.url}/v1/models`)).json()).toMatchObject({
      data: [{ id: "simulated-sim-14b" }, { id: "sim-14b" }],
    });
    const vllm = await (await fetch(`${simulator.url}/metrics`)).text();
    for (const name of ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"]) {
      expect(vllm).toMatch(new RegExp(`^vllm:${name}\\{engine="0",model_name="sim-14b"\\} \\d`, "m"));
    }
    const sglang = await (await fetch(`${simulator.url}/metrics?names=sglang`)).text();
    for (const name of ["num_running_reqs", "num_queue_reqs", "token_usage"]) {
      expect(sglang).toMatch(new RegExp(`^sglang:${name}\\{model_name="sim-14b"\\} \\d`, "m"));
    }
    expect((await fetch(`${simulator.url}/nope`)).status).toBe(404);
  });

  test("what was counted adds up", async () => {
    const stats = await statsUntil(simulator.url, ({ running, waiting }) => running + waiting === 0);
    expect(stats.started).toBe(stats.finished + stats.aborted);
    expect(stats.requests).toBe(stats.started + stats.refused);
    expect(stats.warm_tokens).toBeGreaterThan(0);
  });

  test("a client that goes frees its slot, and what waited gets it; one that waits leaves the queue", async () => {
    const busy = await start(slow);
    try {
      const clients = Array.from({ length: 4 }, () => new AbortController());
      for (const [seed, { signal }] of clients.entries()) await ask(busy.url, { stream: true, seed }, { signal });
      await statsUntil(busy.url, ({ running, waiting }) => running === 2 && waiting === 2);
      clients[0]?.abort();
      await statsUntil(busy.url, ({ running, waiting, aborted }) => running === 2 && waiting === 1 && aborted === 1);
      clients[3]?.abort();
      await statsUntil(busy.url, ({ running, waiting, aborted }) => running === 2 && waiting === 0 && aborted === 2);
      clients[1]?.abort();
      clients[2]?.abort();
      const end = await statsUntil(busy.url, ({ running }) => running === 0);
      expect(end).toMatchObject({ started: 4, finished: 0, aborted: 4, kv_usage: 0 });
    } finally {
      await busy.close();
    }
  });

  test("/abort_request ends the generation of that rid with finish reason abort, and abort_all the rest", async () => {
    const busy = await start(slow);
    const abort = (body: object) => fetch(`${busy.url}/abort_request`, { method: "POST", body: JSON.stringify(body) });
    try {
      const [one, two] = [ask(busy.url, { stream: true, rid: "one" }), ask(busy.url, { rid: "two" })];
      await statsUntil(busy.url, ({ running, tokens_generated }) => running === 2 && tokens_generated > 2);
      expect((await abort({ rid: "none" })).status).toBe(200);
      expect((await abort({})).status).toBe(400);
      await abort({ rid: "one" });
      const { chunks, done } = readEvents(await (await one).text());
      expect([chunks.at(-1)?.choices[0]?.finish_reason, done]).toEqual(["abort", true]);
      await abort({ abort_all: true });
      const whole = await (await two).json();
      expect(whole.choices[0].finish_reason).toBe("abort");
      expect(whole.usage.completion_tokens).toBeGreaterThan(0);
      expect(await statsUntil(busy.url, () => true)).toMatchObject({ running: 0, aborted: 2 });
    } finally {
      await busy.close();
    }
  });

  test(`a reset is ${runtime === "Node" ? "seen by the client" : "refused as impossible"}`, async () => {
    const reply = ask(simulator.url, { model: "sim-14b+fault:reset" });
    if (runtime === "Node") await expect(reply).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    else expect((await reply).status).toBe(501);
  });
});
