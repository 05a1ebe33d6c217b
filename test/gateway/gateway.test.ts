// The whole gateway as a program, with real engine connections: variables, verdicts, cancellation,
// a replica's death, SIGTERM.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { answer, chunk, stall } from "../harness/mock-behaviours.ts";
import { type MockVerifier, type Script, startMockVerifier } from "../harness/mock-verifier.ts";
import { collect, eventsOf } from "./replies.ts";
import { asked, comparison, group, only, pairs, reported, request } from "./requests.ts";

const children: ChildProcess[] = [];
const mocks: MockVerifier[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(mocks.splice(0).map((mock) => mock.close()));
});

async function startMock(script: Script): Promise<MockVerifier> {
  const mock = await startMockVerifier(script);
  mocks.push(mock);
  return mock;
}

/** Runs main.ts until its ready line; rejects with what it printed when it ends before. */
async function startMain(env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ["gpu-backend/gateway/main.ts"], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", ...env },
  });
  children.push(child);
  let said = "";
  child.stderr.on("data", (data) => {
    said += data;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /^ready (http:\/\/\S+)$/.exec(line);
    if (ready !== null) return { child, url: ready[1] as string };
  }
  throw new Error(said);
}

const engine = (...verifiers: MockVerifier[]) => ({
  ENGINE_URL: verifiers.map(({ url }) => url).join(","),
  ENGINE_MODEL: "mock-model",
});

const verify = (url: string, body: unknown, signal?: AbortSignal) =>
  fetch(`${url}/v1/verify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

describe("the gateway's program", () => {
  it("asks the engines for each sample once and passes on what they said", async () => {
    const mock = await startMock(() => answer("\\boxed{B}", { reasoning: "Let me see." }));
    const { url } = await startMain(engine(mock));
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const asks = request([
      group("g", 4, pairs(4, { samples: 3 })),
      group("h", 3, pairs(3, { samples: 7, stop: "majority" })),
    ]);
    const events = await collect(eventsOf((await verify(url, asks)).body));
    expect(reported(events)).toEqual(asked(asks));
    expect(only(events, "error")).toEqual([]);
    expect(
      only(events, "verdict").every(({ answer, thinking }) => answer === "\\boxed{B}" && thinking === "closed"),
    ).toBe(true);
    expect(mock.log.every(({ body }) => body.model === "mock-model" && body.stream)).toBe(true);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("kritai_gateway_generations_total");
  });

  it("leaves no running generation in the engine when the client's connection ends", async () => {
    const mock = await startMock(() => stall([chunk({ content: "so far" })]));
    const { url } = await startMain(engine(mock));
    const client = new AbortController();
    const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: 20 })])]);
    const response = await verify(url, asks, client.signal);
    const events = eventsOf(response.body);
    await events.next();
    await mock.until(({ counters }) => counters.open >= 8);
    client.abort();
    await mock.until(({ counters }) => counters.open === 0);
    expect(mock.counters.client_closed).toBe(mock.log.length);
  });

  it("loses no comparison when one of two engines dies under it", async () => {
    const dying = await startMock(() => stall([]));
    const living = await startMock(() => answer("\\boxed{A}"));
    const { url } = await startMain(engine(dying, living));
    const groups = ["g", "h", "i", "j", "k", "l"].map((id) => group(id, 5, pairs(5)));
    const asks = request(groups);
    const reply = await verify(url, asks);
    await dying.until(({ counters }) => counters.open > 0);
    await dying.close();
    const events = await collect(eventsOf(reply.body));
    expect(reported(events)).toEqual(asked(asks));
    expect(only(events, "error")).toEqual([]);
    expect(only(events, "verdict")).toHaveLength(60);
  });

  it.each([
    ["sglang", true],
    ["vllm", false],
    ["other", false],
  ])("told that the engine is %s, names each generation for it from the first on: %s", async (kind, named) => {
    const mock = await startMock(() => answer("\\boxed{A}"));
    const { url } = await startMain({ ...engine(mock), ENGINE_KIND: kind });
    await collect(eventsOf((await verify(url, request([group("g", 2, pairs(2))]))).body));
    // A busy machine may ask once more.
    expect(new Set(mock.log.map(({ body }) => "rid" in body))).toEqual(new Set([named]));
  });

  it("on SIGTERM finishes what runs and ends with 0", async () => {
    const gate = Promise.withResolvers<void>();
    const mock = await startMock(() => answer("\\boxed{A}", { before_body: gate.promise }));
    const { child, url } = await startMain(engine(mock));
    const reply = await verify(url, request([group("g", 3, pairs(3))]));
    await mock.until(({ counters }) => counters.open === 3);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const events = collect(eventsOf(reply.body));
    gate.resolve();
    expect(only(await events, "verdict")).toHaveLength(3);
    expect((await exited)[0]).toBe(0);
  });

  it("ends with 1 and the names of the variables that are wrong", async () => {
    await expect(startMain({ ENGINE_URL: "ftp://x", PORT: "many" })).rejects.toThrow(
      /ENGINE_URL: must be .*\nENGINE_MODEL: .*\(not set\)\nPORT: /,
    );
  });
});

describe("variables", () => {
  const good = { ENGINE_URL: "http://a:8000, http://b:8000/v1", ENGINE_MODEL: "m" };

  it("have defaults, and an empty one is absent", () => {
    expect(readGatewayEnv({ ...good, PORT: "", GATEWAY_API_KEY: "" }).config).toMatchObject({
      ENGINE_URL: ["http://a:8000", "http://b:8000/v1"],
      HOST: "127.0.0.1",
      ENGINE_MAX_IN_FLIGHT: 256,
    });
  });

  it("demand a key where others than this machine can connect", () => {
    expect(readGatewayEnv({ ...good, HOST: "0.0.0.0" }).faults).toEqual([
      "GATEWAY_API_KEY: required if HOST is not a loopback address",
    ]);
    expect(readGatewayEnv({ ...good, HOST: "0.0.0.0", GATEWAY_API_KEY: "k".repeat(16) }).faults).toBeNull();
    expect(readGatewayEnv({ ...good, HOST: "::1" }).faults).toBeNull();
  });

  it("take the engine's kind from a list, and leave it to be found out without", () => {
    expect(readGatewayEnv(good).config?.ENGINE_KIND).toBeUndefined();
    expect(readGatewayEnv({ ...good, ENGINE_KIND: "sglang" }).config?.ENGINE_KIND).toBe("sglang");
    expect(readGatewayEnv({ ...good, ENGINE_KIND: "trt" }).faults).toEqual([
      "ENGINE_KIND: must be vllm, sglang or other; if omitted, it is read from the engines' metrics",
    ]);
  });

  it.each([
    ["a key", "http://me:word@a:8000"],
    ["a query", "http://a:8000/v1?x=1"],
    ["the same engine twice, in two forms", "http://a:8000,http://a:8000/v1/"],
    ["an empty one", "http://a:8000,"],
    ["no http URL", "a:8000"],
  ])("refuse engine URLs with %s", (_, ENGINE_URL) => {
    expect(readGatewayEnv({ ...good, ENGINE_URL }).faults).toEqual([
      expect.stringMatching(/^ENGINE_URL: must be 1 to/),
    ]);
  });

  it("never show a wrong value", () => {
    const wrong = { GATEWAY_API_KEY: "two words", ENGINE_URL: "secret", ENGINE_API_KEY: "secret\nline" };
    const { faults } = readGatewayEnv({ ...good, ...wrong });
    expect(faults).toHaveLength(3);
    expect(faults?.join()).not.toMatch(/two words|secret/);
  });
});
