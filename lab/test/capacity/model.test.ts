// Tests invariants of the capacity model: its comparisons, and the effects of more GPUs, connections,
// early stop and an autoscaler.
import { describe, expect, it } from "vitest";
import { Model } from "../../capacity/model.ts";
import { gpusFor, measured } from "../../capacity/needed.ts";
import { type Setting, STANDARD } from "../../capacity/setting.ts";

const SMALL: Setting = { ...STANDARD, groups: 4, rollouts: 6, gpus: 2 };
const PAIRS = (6 * 5) / 2;
const step = (more: Partial<Setting>) => new Model({ ...SMALL, ...more }).step();
const judge = (more: Partial<Setting["judge"]>) => ({ judge: { ...STANDARD.judge, ...more } });

describe("one step", () => {
  it("sends the comparisons of the schedule, equal for equal seeds and different for others", async () => {
    const first = await step({});
    expect(first.generations).toBe(4 * PAIRS);
    expect(first.prompt_tokens).toBe(4 * PAIRS * (200 + 400 + 2 * 700));
    expect(first.warm_tokens).toBeGreaterThan(0);
    expect(await step({})).toEqual(first);
    expect((await step({ seed: 2 })).seconds).not.toBe(first.seconds);
  });

  it("stops samples that cannot change a majority, only through the gateway", async () => {
    const [verify, openai] = [
      await step(judge({ samples: 5 })),
      await step({ ...judge({ samples: 5 }), protocol: "openai" }),
    ];
    expect([verify.generations, openai.generations]).toEqual([4 * PAIRS * 5, 4 * PAIRS * 5]);
    expect(verify.saved / verify.generations).toBeGreaterThan(0.15);
    expect(openai.saved).toBe(0);
    expect(verify.completion_tokens).toBeLessThan(openai.completion_tokens);
  });

  it("costs one round trip per six generations through openai and one per wave through verify", async () => {
    const engine = { ...STANDARD.engine, token_compute_s: 0 };
    const quick = { engine, tokens: { ...STANDARD.tokens, law: "fixed", mean: 1, max: 16 } } as const;
    const far = { ...quick, groups: 1, backend_rtt_s: 1 };
    const near = { ...quick, groups: 1, backend_rtt_s: 0 };
    const extra = async (protocol: Setting["protocol"], more = {}) =>
      (await step({ ...far, ...more, protocol })).seconds - (await step({ ...near, ...more, protocol })).seconds;
    expect(await extra("verify")).toBeCloseTo(1, 1);
    // 15 generations are three sendings of six; the last one's answer comes a round trip later.
    expect(await extra("openai")).toBeCloseTo(3, 1);
    expect(await extra("verify", judge({ schedule: "swiss" }))).toBeGreaterThan(1.9);
  });

  it("takes at least the gateway's CPU time and at least the longest answer", async () => {
    const { seconds, generations } = await step({ gateway_cpu_s: 10 });
    expect(seconds).toBeGreaterThanOrEqual(10 * generations);
    const fixed = { tokens: { ...STANDARD.tokens, law: "fixed", mean: 1_000 } } as const;
    const alone = (await step({ ...fixed, gpus: 32 })).seconds;
    expect(alone).toBeGreaterThan(1_000 * (STANDARD.engine.step_overhead_s + STANDARD.engine.weights_read_s));
  });

  it("waits for a slot if the gateway allows few in-flight generations", async () => {
    const wide = await step({ gpus: 1, in_flight: 64 });
    const narrow = await step({ gpus: 1, in_flight: 2 });
    expect(narrow.seconds).toBeGreaterThan(3 * wide.seconds);
  });
});

describe("the autoscaler", () => {
  const rule = { min: 1, max: 4, every_s: 5, wait_s: 10, up: 1, start_s: 30, idle_s: 60 };
  const queued = { gpus: 1, in_flight: 4, groups: 8 };

  it("adds engines up to the limit, which take work after their start and cost from the request on", async () => {
    const fixed = await step(queued);
    const scaled = await step({ ...queued, autoscaler: rule });
    expect(scaled.gpus).toBe(4);
    expect(scaled.seconds).toBeLessThan(0.6 * fixed.seconds);
    expect(scaled.gpu_s).toBeGreaterThan(scaled.seconds);
    expect(scaled.gpu_s).toBeLessThan(4 * scaled.seconds);
    const late = await step({ ...queued, autoscaler: { ...rule, start_s: 10_000 } });
    expect(late.seconds).toBeCloseTo(fixed.seconds, 6);
    expect(late.gpus).toBe(1);
    expect(late.gpu_s).toBeGreaterThan(2 * fixed.gpu_s);
  });

  it("removes engines once nothing has waited for long", async () => {
    const model = new Model({ ...SMALL, ...queued, autoscaler: rule });
    await model.step();
    expect(model.paid).toBe(4);
    await model.timeline.until(model.timeline.wait(130));
    expect([model.paid, model.working]).toEqual([2, 2]);
    await model.timeline.until(model.timeline.wait(1_000));
    expect([model.paid, model.working]).toEqual([1, 1]);
  });
});

describe("GPUs for a step", () => {
  const quick: Setting = { ...SMALL, groups: 16, tokens: { ...STANDARD.tokens, max: 512 } };

  it("is the fewest whose interval meets the target", async () => {
    const target_s = 1.1 * (await measured({ ...quick, gpus: 6 }, 3)).ci95[1];
    const { gpus, at } = await gpusFor(quick, { target_s, seeds: 3, max_gpus: 64 });
    expect(gpus).toBeLessThanOrEqual(6);
    expect(at.ci95[1]).toBeLessThanOrEqual(target_s);
    expect(at.seconds).toHaveLength(3);
    const fewer = await measured({ ...quick, gpus: (gpus as number) - 1 }, 3);
    expect(fewer.ci95[1]).toBeGreaterThan(target_s);
  });

  it("is null if the longest answer alone exceeds the target", async () => {
    const { gpus, at } = await gpusFor(SMALL, { target_s: 5, seeds: 2, max_gpus: 256 });
    expect(gpus).toBeNull();
    expect(at.mean_s).toBeGreaterThan(5);
  });
});
