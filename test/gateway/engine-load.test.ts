// Holds that the cap on a replica stays in bounds, follows its engine's gauges or refusals, and
// that gauges are read from real pages.

import { describe, expect, it } from "vitest";
import { Aimd, KV_USE_HIGH } from "../../gpu-backend/gateway/engines/aimd.ts";
import { type EngineKind, type Gauges, parseGauges } from "../../gpu-backend/gateway/engines/gauges.ts";
import fc from "../harness/property.ts";

const gauges = (waiting: number, kv_use: number, kind: EngineKind = "vllm"): Gauges => ({ kind, waiting, kv_use });
const CALM = gauges(0, 0.1);

describe("the cap", () => {
  const inFlight = fc.nat(2_000);
  const step = fc.oneof(
    fc.record({
      what: fc.constant("sample" as const),
      waiting: fc.nat(50),
      kv_use: fc.double({ min: 0, max: 1, noNaN: true }),
      inFlight,
    }),
    fc.record({ what: fc.constant("none" as const), inFlight }),
    fc.record({ what: fc.constant("refused" as const), inFlight: fc.integer({ min: 1, max: 2_000 }) }),
    fc.record({ what: fc.constant("completed" as const), inFlight }),
  );

  it("is a whole number in 1..max, grows only on calm samples and completions, and shrinks only on pressure", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_024 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
        const aimd = new Aimd(max);
        for (const each of steps) {
          const before = aimd.cap;
          let mayGrow = each.what === "completed";
          let mayShrink = each.what === "refused";
          if (each.what === "sample") {
            const calm = each.waiting === 0 && each.kv_use < KV_USE_HIGH;
            mayGrow = calm;
            mayShrink = !calm;
            aimd.sample(gauges(each.waiting, each.kv_use), each.inFlight);
          } else if (each.what === "none") aimd.sample(null, each.inFlight);
          else if (each.what === "refused") aimd.refused(each.inFlight);
          else aimd.completed();
          expect(Number.isInteger(aimd.cap) && aimd.cap >= 1 && aimd.cap <= max).toBe(true);
          if (!mayGrow) expect(aimd.cap).toBeLessThanOrEqual(before);
          if (!mayShrink) expect(aimd.cap).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });

  it("settles around what an engine can run, from wherever it starts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 900 }), (slots) => {
        const aimd = new Aimd(1_024);
        const caps: number[] = [];
        // The engine runs `slots`, the rest waits; all that is in flight is replaced between two
        // samples.
        for (let i = 0; i < 400; i++) {
          aimd.sample(gauges(Math.max(0, aimd.cap - slots), Math.min(1, aimd.cap / slots / 2)), aimd.cap);
          if (i >= 100) caps.push(aimd.cap);
        }
        expect(Math.max(...caps)).toBeLessThanOrEqual(slots + 1_024 / 32);
        expect(Math.min(...caps)).toBeGreaterThanOrEqual(Math.floor(slots * 0.7));
      }),
      { numRuns: 50 },
    );
  });

  it("is cut once for one crowd: while more is in flight than it allows, it waits", () => {
    const aimd = new Aimd(100);
    aimd.sample(gauges(60, 0.5), 100);
    expect(aimd.cap).toBe(70);
    aimd.sample(gauges(50, 0.5), 90);
    aimd.refused(90);
    expect(aimd.cap).toBe(70);
    aimd.sample(gauges(1, 0.5), 70);
    expect(aimd.cap).toBe(49);
  });

  it("is cut by a full KV cache though nothing waits", () => {
    const aimd = new Aimd(100);
    aimd.sample(gauges(0, 0.95), 100);
    expect(aimd.cap).toBe(70);
  });

  it("does not grow while it is not used", () => {
    const aimd = new Aimd(100);
    aimd.sample(gauges(9, 0), 100);
    for (let i = 0; i < 100; i++) aimd.sample(CALM, 10);
    expect(aimd.cap).toBe(70);
    for (let i = 0; i < 100; i++) aimd.sample(CALM, aimd.cap);
    expect(aimd.cap).toBe(100);
  });

  it("without gauges is halved by a refusal and grown back by answers", () => {
    const aimd = new Aimd(64);
    aimd.refused(64);
    expect(aimd.cap).toBe(32);
    for (let i = 0; i < 2_000; i++) aimd.completed();
    expect(aimd.cap).toBe(64);
  });

  it("with gauges is not grown by answers", () => {
    const aimd = new Aimd(64);
    aimd.sample(gauges(9, 0), 64);
    for (let i = 0; i < 2_000; i++) aimd.completed();
    expect(aimd.cap).toBe(44);
  });
});

describe("gauges", () => {
  it("of vLLM are summed and maximised over its engines; lookalikes and comments are no gauge", () => {
    const page = [
      "# HELP vllm:num_requests_waiting Number of requests waiting to be processed.",
      "# TYPE vllm:num_requests_waiting gauge",
      'vllm:num_requests_waiting{engine="0",model_name="a}b"} 3.0',
      'vllm:num_requests_waiting{engine="1",model_name="a}b"} 4.0',
      'vllm:num_requests_waiting_by_reason{engine="0"} 99.0',
      'vllm:kv_cache_usage_perc{engine="0",model_name="a}b"} 0.25',
      'vllm:kv_cache_usage_perc{engine="1",model_name="a}b"} 0.5 1700000000',
    ].join("\n");
    expect(parseGauges(page)).toEqual({ kind: "vllm", waiting: 7, kv_use: 0.5 });
  });

  it("of an older vLLM and of SGLang are read", () => {
    expect(parseGauges("vllm:num_requests_waiting 2\nvllm:gpu_cache_usage_perc 0.75\n")).toEqual(gauges(2, 0.75));
    const page = 'sglang:num_queue_reqs{tp_rank="0"} 5.0\nsglang:token_usage{tp_rank="0"} 0.31\n';
    expect(parseGauges(page)).toEqual(gauges(5, 0.31, "sglang"));
  });

  it("that are missing or no number are none", () => {
    expect(parseGauges("")).toBeNull();
    expect(parseGauges("http_requests_total 5\n")).toBeNull();
    expect(parseGauges("vllm:num_requests_waiting NaN\n")).toBeNull();
    expect(parseGauges("vllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc NaN\n")).toEqual(gauges(0, 0));
  });

  it("of any page whatever do not fail", () => {
    fc.assert(fc.property(fc.string(), (page) => void parseGauges(`vllm:num_requests_waiting${page}`)));
  });
});
