// Holds what the daily probe says of a decision model: that a cut state is found and a whole one is not
// reported, that no failure becomes a number or a refusal to score, and that a model is probed once a day.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type DecisionFaults,
  type DecisionSimulator,
  startDecisionSimulator,
} from "../../scripts/stack/decision-simulator.ts";
import { DECISION_API_NAMES, DECISION_APIS, type DecisionApiName } from "../../src/core/wire/decision-apis.ts";
import { createReadProbes, type ProbesStub, probeLedger } from "../../src/objects/counts/read-probes.ts";
import { memoryValues } from "../../src/objects/storage/memory.ts";
import { Metrics } from "../../src/platform/counters.ts";
import type { ReadStatus } from "../../src/ports/read-probes.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { setUp } from "../api/routes/harness.ts";
import { clock as system } from "./setup.ts";

const HOUR_MS = 3_600_000;
const strengthOf = (text: string) => Number(/answer (\d+)/.exec(text)?.[1] ?? 0) / 4;

let model: DecisionSimulator;
let values = memoryValues(system, () => {});
let date = Date.UTC(2026, 10, 29);
const clock = { ...system, date: () => new Date(date) };
beforeAll(async () => {
  model = await startDecisionSimulator(strengthOf, "jev-1.13.0");
});
afterAll(() => model.close());
beforeEach(() => {
  values = memoryValues(system, () => {});
});
afterEach(() => {
  for (const name of Object.keys(model.faults)) delete model.faults[name as keyof DecisionFaults];
  model.states.length = 0;
});

/** The object that keeps the outcomes, started anew over the same storage. */
function object(): ProbesStub {
  const ledger = probeLedger(values);
  return {
    probes: async () => ledger.records(),
    claimProbe: async (key, now) => ledger.claim(key, now),
    keepProbe: async (key, outcome, now) => ledger.keep(key, outcome, now),
  };
}

/** A Worker with one decision model, over the deployment's storage. */
function worker(api: DecisionApiName = "systemone", name = "clef") {
  const url = api === "workers-ai" ? `${model.url}/accounts/1/ai` : model.url;
  const verifier = createVerifier(
    [{ protocol: "decision", url, api, model: name } as never],
    { hedging: false },
    clock,
  );
  const metrics = new Metrics();
  const lines: Record<string, unknown>[] = [];
  const readProbes = createReadProbes({
    backends: verifier.probed?.() ?? [],
    namespace: { getByName: object },
    clock,
    metrics,
    report: (line) => lines.push(line),
  });
  const { call, post } = setUp({ verifier, readProbes, clock });
  const ready = async () => {
    const reply = await call("/readyz");
    const { checks } = (await reply.json()) as { checks: { verifier: { detail?: string; reading: ReadStatus[] } } };
    return { status: reply.status, ...checks.verifier };
  };
  return { verifier, readProbes, metrics, lines, ready, post };
}

/** Number of probes received; `/readyz` also asks a short question. */
const probes = () => model.states.filter((state) => state.includes("CHECK WORD 1: ")).length;
const tokensOf = (api: DecisionApiName) => DECISION_APIS[api].state_tokens;

it.each(DECISION_API_NAMES)("a model that reads everything is not reported, in one call by the API %s", async (api) => {
  const { readProbes, lines, ready } = worker(api);
  await readProbes.run();
  expect(probes()).toBe(1);
  const { status, detail, reading } = await ready();
  expect([status, detail, lines]).toEqual([200, undefined, []]);
  const [{ at, age_s, read_tokens, depths, error }] = reading as [ReadStatus];
  expect([at, age_s, error]).toEqual([new Date(date).toISOString(), 0, null]);
  expect(depths.map(({ read }) => read)).toEqual([true, true, true, true, true]);
  // Within the limit, and near it.
  expect(read_tokens).toBeLessThanOrEqual(tokensOf(api));
  expect(read_tokens).toBeGreaterThan(0.9 * tokensOf(api));
});

it.each(DECISION_API_NAMES)(
  "a model that reads three fifths of all tokens is reported with its tokens, by the API %s",
  async (api) => {
    model.faults.reads_tokens = 0.6 * tokensOf(api);
    const { readProbes, lines, ready, metrics } = worker(api);
    await readProbes.run();
    const { status, detail, reading } = await ready();
    const [{ read_tokens, depths }] = reading as [ReadStatus];
    expect(depths.map(({ read }) => read)).toEqual([true, true, true, false, false]);
    expect(read_tokens).toBe(depths[2]?.tokens);
    expect(status).toBe(200);
    expect(detail).toContain(`verifier read ${read_tokens} of ${depths[4]?.tokens} tokens in its probe at `);
    expect(lines).toMatchObject([
      { level: "error", event: "judge_reads_less", read_tokens, tokens: depths[4]?.tokens },
    ]);
    expect(metrics.render()).toContain('kritai_read_probes_total{end="less"} 1\n');
  },
);

it("cuts are found in 100 of 100 probes, and none of 100 whole states is taken for a cut one", async () => {
  const reads = async (share: number) => {
    model.faults.reads = share;
    const { readProbes, ready } = worker();
    await readProbes.run();
    date += 24 * HOUR_MS;
    return (await ready()).reading[0]?.depths.map(({ read }) => read).join();
  };
  for (let k = 0; k < 100; k++) {
    expect(await reads(0.6)).toMatch(/^true,true,(?:true|false),false,false$/);
    expect(await reads(1)).toBe("true,true,true,true,true");
  }
});

it("a server that drops the beginning of a state is found too", async () => {
  const uniform = Object.fromEntries(
    ["amber", "basalt", "cobalt", "drift", "ember", "fjord", "grove", "harbor"].map((word) => [word, 0.125]),
  );
  model.faults.spoils = (sent) => ({
    ...sent,
    answers: { ...(sent.answers as object), "check.1": { probabilities: uniform } },
  });
  const { readProbes, ready } = worker();
  await readProbes.run();
  expect((await ready()).reading).toMatchObject([{ read_tokens: 0, error: null }]);
});

it("a server that counts too few tokens has not read what it was sent, whatever it names", async () => {
  model.faults.spoils = (sent) => ({ ...sent, usage: { input_tokens: 3_200, output_tokens: 0 } });
  const { readProbes, ready } = worker();
  await readProbes.run();
  const [status] = (await ready()).reading;
  expect(status?.depths.map(({ read }) => read)).toEqual([true, true, false, false, false]);
});

it.each([
  ["an overloaded server", () => ({ status: 429, body: {} }), "verifier_overloaded", HOUR_MS],
  ["a server that refuses the size", () => ({ status: 413, body: {} }), "context_exceeded", 24 * HOUR_MS],
  ["a wrong key", () => ({ status: 401, body: {} }), "verifier_misconfigured", 24 * HOUR_MS],
])("%s leaves what is known, is no number, and is asked again in time", async (_, failure, code, wait_ms) => {
  const { readProbes, ready } = worker();
  model.faults.status = failure;
  await readProbes.run();
  expect((await ready()).reading).toMatchObject([{ at: null, read_tokens: null, depths: [], error: code }]);
  date += wait_ms - 1;
  await readProbes.run();
  delete model.faults.status;
  expect(probes()).toBe(0);
  date += 1;
  await readProbes.run();
  expect(probes()).toBe(1);
  const [{ read_tokens }] = (await worker().ready()).reading as [ReadStatus];
  expect(read_tokens).toBeGreaterThan(0);
  date += 24 * HOUR_MS;
  model.faults.status = failure;
  await readProbes.run();
  expect((await worker().ready()).reading).toMatchObject([{ read_tokens, age_s: 86_400, error: code }]);
});

it("an answer that is left out or refused is a code, and costs one probe a day", async () => {
  const { readProbes, ready } = worker("openai");
  model.faults.refuses = (question) => question.includes("CHECK WORD 2");
  await readProbes.run();
  date += 23 * HOUR_MS;
  await readProbes.run();
  expect(probes()).toBe(1);
  expect((await ready()).reading).toMatchObject([{ at: null, read_tokens: null, error: "verifier_bad_reply" }]);
});

it("several Workers probe a model once a day, and a restart keeps the outcome", async () => {
  const workers = [worker(), worker(), worker()];
  await Promise.all(workers.map(({ readProbes }) => readProbes.run()));
  expect(probes()).toBe(1);
  date += HOUR_MS;
  const restarted = worker();
  await restarted.readProbes.run();
  expect((await restarted.ready()).reading).toMatchObject([{ age_s: 3_600, error: null }]);
  expect(probes()).toBe(1);
  date += 23 * HOUR_MS;
  await Promise.all(workers.map(({ readProbes }) => readProbes.run()));
  expect(probes()).toBe(2);
  expect(model.states.at(-1)).not.toBe(model.states[0]);
});

it("another model is probed at once, and has nothing of the old one's outcome", async () => {
  model.faults.reads_tokens = 2_048;
  await worker().readProbes.run();
  delete model.faults.reads_tokens;
  const other = worker("systemone", "jev");
  expect((await other.ready()).reading).toMatchObject([{ model: "jev", at: null, read_tokens: null, error: null }]);
  await other.readProbes.run();
  expect((await worker("systemone", "jev").ready()).detail).toBeUndefined();
});

it("a Worker that is stopped while it probes is followed by another after an hour", async () => {
  const { verifier } = worker();
  const [{ name, subject } = { name: "", subject: "" }] = verifier.probed?.() ?? [];
  expect(await object().claimProbe(`${name}:${subject}`, date)).toBe(true);
  date += HOUR_MS - 1;
  await worker().readProbes.run();
  expect(probes()).toBe(0);
  date += 1;
  await worker().readProbes.run();
  expect(probes()).toBe(1);
});

it("the first /readyz starts the probe and does not wait for it, and scoring does not heed it", async () => {
  model.faults.reads_tokens = 2_048;
  const { ready, post } = worker();
  expect((await ready()).reading).toMatchObject([{ at: null, age_s: null, read_tokens: null }]);
  await expect.poll(async () => (await worker().ready()).reading[0]?.read_tokens).toBe(0);
  const spec = { candidate: { extract: "whole" }, judge: { preset: "decide-pair" } };
  const groups = [{ prompt: "p", rollouts: [{ text: "answer 3" }, { text: "answer 1" }] }];
  expect(await (await post("/v1/rewards", { spec, groups })).json()).toMatchObject({ rewards: [[1, 0]] });
});

it("an object that cannot be reached leaves readiness as it is", async () => {
  const { verifier } = worker();
  const readProbes = createReadProbes({
    ...{ backends: verifier.probed?.() ?? [], clock, metrics: new Metrics(), report: () => {} },
    namespace: {
      getByName: () => {
        throw new Error("gone");
      },
    },
  });
  await readProbes.run();
  const reply = await setUp({ verifier, readProbes, clock }).call("/readyz");
  expect(reply.status).toBe(200);
  expect(((await reply.json()) as { checks: { verifier: object } }).checks.verifier).not.toHaveProperty("reading");
});
