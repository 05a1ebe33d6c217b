// Holds that a reply says what its questions cost where the deployment knows prices, and that a key's
// dollars of a day are a limit.
import { describe, expect, it } from "vitest";
import { readEnv } from "../../../src/env.ts";
import { parseKeyLimits } from "../../../src/objects/key-limits/ledger.ts";
import { createKeyLimits } from "../../../src/objects/key-limits/remote.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { memoryCounters } from "../../objects/key-limits/memory-counters.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

/** A question of the fake verifier has 10 tokens, its answer 2. */
const PRICES = new Map([["judge", { input: 100, output: 1_000 }]]);
const USD = 0.003;

const answering = (model: string | null) => ({
  ...fakeVerifier(() => ({ answer: "\\boxed{A}", model })),
  model: "asked",
});

async function cost(model: string | null, body: object = twoRollouts(), headers = {}) {
  const { post } = setUp({ verifier: answering(model), prices: PRICES });
  const reply = await post("/v1/rewards", body, headers);
  expect(reply.status).toBe(200);
  return reply;
}

describe("a reply's cost", () => {
  it("is that of all its questions, by the model that answered", async () => {
    const reply = await (await cost("judge")).json();
    expect(reply).toMatchObject({ cost: { calls: 1, prompt_tokens: 10, usd: USD, unpriced_tokens: 0 } });
  });

  it("is unknown where a model that answered has no price", async () => {
    expect(await (await cost("other")).json()).toMatchObject({ cost: { usd: null, unpriced_tokens: 12 } });
    expect(await (await cost(null)).json()).toMatchObject({ cost: { usd: null, unpriced_tokens: 12 } });
  });

  it("is in a stream's last line", async () => {
    const text = await (await cost("judge", twoRollouts(), { accept: "application/x-ndjson" })).text();
    expect(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ type: "done", cost: { usd: USD } });
  });

  it("holds what an audit asked", async () => {
    const spec = { audit: { judge: { preset: "mtbench-ab" }, share: 1 } };
    const reply = (await (await cost("judge", { ...twoRollouts(), spec })).json()) as {
      cost: { usd: number };
      audit: { generations: number };
    };
    expect(reply.audit.generations).toBeGreaterThan(0);
    expect(reply.cost.usd).toBeCloseTo(USD * (1 + reply.audit.generations), 12);
  });

  it("is logged where it is known, and each step of a run says its own", async () => {
    const { post, call, runLog } = setUp({ verifier: answering("judge"), prices: PRICES });
    for (let i = 0; i < 2; i++) await post("/v1/rewards", { ...twoRollouts(), run_id: "r", step: 4 });
    expect(runLog.entries.map(({ usd }) => usd)).toEqual([USD, USD]);
    expect(await (await call("/v1/runs/r/steps")).json()).toMatchObject({ steps: [{ step: 4, usd: 2 * USD }] });
    const other = setUp({ verifier: answering("other"), prices: PRICES });
    await other.post("/v1/rewards", twoRollouts());
    expect(other.runLog.entries[0]).not.toHaveProperty("usd");
  });

  it("is not told by a deployment without prices", async () => {
    const { post } = setUp({ verifier: answering("judge") });
    expect(await (await post("/v1/rewards", twoRollouts())).json()).not.toHaveProperty("cost");
  });
});

describe("a spec's cost", () => {
  type Checked = { cost: { prompt_tokens: number; usd?: number | null }; step: { usd?: number | null } };
  async function checked(judge: object, prices: typeof PRICES | undefined = PRICES): Promise<Checked> {
    const { post } = setUp({ verifier: { ...answering("judge"), model: "judge" }, prices });
    const reply = await post("/v1/specs/check?n=2&groups=5", { judge: { max_tokens: 10, ...judge } });
    expect(reply.status).toBe(200);
    return (await reply.json()) as Checked;
  }

  it("is in dollars for a group and a step, by the same prices", async () => {
    const { cost, step } = await checked({});
    expect(cost.usd).toBeCloseTo((cost.prompt_tokens * 100 + 10 * 1_000) / 1e6, 12);
    expect(step.usd).toBeCloseTo(5 * (cost.usd as number), 12);
  });

  it("is null for a model without a price, and absent without prices", async () => {
    expect(await checked({ model: "other" })).toMatchObject({ cost: { usd: null }, step: { usd: null } });
    const { post } = setUp({ verifier: answering("judge") });
    const { cost, step } = (await (await post("/v1/specs/check", {})).json()) as Checked;
    expect([cost, step].every((of) => !("usd" in of))).toBe(true);
  });
});

describe("a key's dollars of a day", () => {
  function limited(text: string, model: string) {
    const counters = memoryCounters();
    const keyLimits = createKeyLimits({
      limits: parseKeyLimits(text),
      counters,
      timers: systemClock,
      onUnreachable: () => {},
    });
    const verifier = answering(model);
    return { ...setUp({ keyLimits, verifier, prices: PRICES }), counters, verifier };
  }

  it.each(["judge", "a model without a price"])(
    "refuse once they are spent, and nothing is asked (%s)",
    async (model) => {
      const { post, counters, verifier } = limited(`*:usd_per_day=${USD}`, model);
      const booked = counters.booked();
      const first = await post("/v1/rewards", twoRollouts());
      expect(first.headers.get("ratelimit-policy")).toBe('"usd_per_day";q=3000;w=86400;qu="micro-usd"');
      expect(first.headers.get("ratelimit")).toMatch(/^"usd_per_day";r=3000;t=\d+$/);
      await first.text();
      await booked;
      const asked = verifier.jobs.length;
      const second = await post("/v1/rewards", twoRollouts());
      expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await problemOf(second)).toMatchObject({ code: "budget_spent", status: 429, retryable: true });
      expect(verifier.jobs).toHaveLength(asked);
    },
  );

  it("let go on what costs less", async () => {
    const { post, counters } = limited("*:usd_per_day=0.0031", "judge");
    const booked = counters.booked();
    await (await post("/v1/rewards", twoRollouts())).text();
    await booked;
    expect((await post("/v1/rewards", twoRollouts())).headers.get("ratelimit")).toContain("r=100;");
  });

  it("need prices", () => {
    const given = { KEY_LIMITS: "*:usd_per_day=1", KEY_COUNTERS: {} };
    expect(readEnv(given).faults).toMatchObject([{ path: "PRICES", message: expect.stringContaining("usd_per_day") }]);
    const PRICES = '{"judge": {"input": 1, "output": 2}}';
    expect(readEnv({ ...given, PRICES }).faults).toEqual([]);
    expect(readEnv({ PRICES: "judge:1" }).faults).toMatchObject([{ path: "PRICES" }]);
  });
});
