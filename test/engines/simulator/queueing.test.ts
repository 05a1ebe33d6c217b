// The queueing model against closed forms, without a clock; its cache, its order and its limits.

import { describe, expect, test } from "vitest";
import { type EngineParameters, engineParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import { blockKeys } from "../../../gpu-backend/engines/simulator/prefix-cache.ts";
import type { QueueEvent } from "../../../gpu-backend/engines/simulator/queue-events.ts";
import { QueueModel } from "../../../gpu-backend/engines/simulator/queueing.ts";
import fc from "../../harness/property.ts";

const P = engineParameters("sim-14b", "h200");
const plain: EngineParameters = { ...P, prefix_cache: false };
const job = (prompt_tokens: number, output_tokens: number, priority = 0, blocks: number[] = []) => ({
  prompt_tokens,
  output_tokens,
  priority,
  blocks,
});
const timeOf = (events: QueueEvent[], type: QueueEvent["type"], id: number) =>
  events.find((event) => event.type === type && event.id === id)?.at as number;

/**
 * Seconds in which `streams` with contexts of `context` tokens each generate `tokens` more, by the
 * definition of a step.
 */
function decodeSeconds(p: EngineParameters, streams: number, context: number, tokens: number): number {
  const step = p.step_overhead_s + Math.max(p.weights_read_s, streams * p.token_compute_s);
  // The fluid limit: contexts grow evenly over the steps.
  return tokens * step + p.kv_read_s * streams * (tokens * context + tokens ** 2 / 2);
}

function prefillSeconds(p: EngineParameters, tokens: number): number {
  const steps = Math.ceil(tokens / p.step_tokens_max);
  return steps * (p.step_overhead_s + Math.max(p.weights_read_s, (tokens / steps) * p.token_compute_s));
}

describe("closed forms", () => {
  test.each([
    [1, 100, 1],
    [1, 2_000, 500],
    [1, 20_000, 3_000],
    [4, 2_000, 1_000],
    [64, 100, 2_500],
  ])(
    "%i equal prompts of %i tokens that come together yield %i tokens each in the time the formula says",
    (streams, prompt, tokens) => {
      const model = new QueueModel(plain);
      // The first is alone in its prefill; what comes while it runs goes into the next one.
      model.submit(0, job(1, 1));
      for (let id = 1; id <= streams; id++) model.submit(id, job(prompt, tokens));
      const start = prefillSeconds(plain, 1);
      const events = model.advance(1e6);
      const first = start + prefillSeconds(plain, streams * prompt);
      expect(timeOf(events, "first_token", streams)).toBeCloseTo(first, 9);
      const end = first + (tokens === 1 ? 0 : decodeSeconds(plain, streams, prompt + 1, tokens - 1));
      expect(timeOf(events, "finished", streams)).toBeCloseTo(end, 6);
    },
  );

  test("a stream that is left alone goes on at the pace of one", () => {
    const model = new QueueModel(plain);
    model.submit(0, job(1, 1));
    model.submit(1, job(2_000, 101));
    model.submit(2, job(2_000, 1_001));
    const events = model.advance(1e6);
    const both = timeOf(events, "first_token", 2) + decodeSeconds(plain, 2, 2_001, 100);
    expect(timeOf(events, "finished", 1)).toBeCloseTo(both, 6);
    expect(timeOf(events, "finished", 2)).toBeCloseTo(both + decodeSeconds(plain, 1, 2_101, 900), 6);
  });

  test("a full engine generates slots / (time of one answer) answers a second", () => {
    const p = { ...plain, sequences_max: 32 };
    const model = new QueueModel(p);
    const [prompt, tokens, waves] = [10, 2_000, 12];
    for (let id = 0; id < p.sequences_max * waves; id++) model.submit(id, job(prompt, tokens));
    const events = model.advance(1e6);
    const finished = events.filter(({ type }) => type === "finished");
    expect(finished).toHaveLength(p.sequences_max * waves);
    const rate = finished.length / (finished.at(-1) as QueueEvent).at;
    const expected = p.sequences_max / decodeSeconds(p, p.sequences_max, prompt, tokens);
    // The prefills between the waves are all that the formula leaves out.
    expect(rate).toBeLessThan(expected);
    expect(rate).toBeGreaterThan(expected * 0.98);
  });

  test("prompts alone are computed at the prefill rate", () => {
    const model = new QueueModel(plain);
    for (let id = 0; id < 200; id++) model.submit(id, job(2_048, 1));
    const end = (model.advance(1e6).at(-1) as QueueEvent).at;
    const rate = (200 * 2_048) / end;
    expect(rate).toBeLessThanOrEqual(1 / plain.token_compute_s);
    expect(rate).toBeGreaterThan(0.97 / plain.token_compute_s);
  });

  test("each stream is slower in a larger batch, and all together are faster", () => {
    const rates = [1, 8, 64].map((streams) => 1_000 / decodeSeconds(plain, streams, 2_001, 1_000));
    const measured = [1, 8, 64].map((streams) => {
      const model = new QueueModel(plain);
      for (let id = 0; id < streams; id++) model.submit(id, job(2_000, 1_001));
      const events = model.advance(1e6);
      return 1_000 / (timeOf(events, "finished", 0) - timeOf(events, "first_token", streams - 1));
    });
    expect(measured[0]).toBeCloseTo(rates[0] as number, 6);
    expect(measured[0]).toBeGreaterThan(measured[1] as number);
    expect(measured[1]).toBeGreaterThan(measured[2] as number);
    expect(64 * (measured[2] as number)).toBeGreaterThan(8 * (measured[1] as number));
  });
});

describe("the prefix cache", () => {
  const text = "x".repeat(64).concat("shared ".repeat(1_000));
  const keys = (tail: string) => blockKeys(text + tail, P.block_tokens);
  const tokens = Math.ceil((text.length + 64) / 4);

  test("makes a repeated prefix cheaper by what it shares", () => {
    const model = new QueueModel(P);
    model.submit(1, job(tokens, 1, 0, keys("a".repeat(64))));
    const first = timeOf(model.advance(100), "first_token", 1);
    model.submit(2, job(tokens, 1, 0, keys("b".repeat(64))));
    const second = timeOf(model.advance(200), "first_token", 2) - 100;
    expect(first).toBeCloseTo(prefillSeconds(P, tokens), 9);
    const shared = Math.floor(text.length / 4 / P.block_tokens) * P.block_tokens;
    expect(model.totals).toMatchObject({ prompt_tokens: 2 * tokens, warm_tokens: shared });
    expect(second).toBeCloseTo(prefillSeconds(P, tokens - shared), 9);
  });

  test("counts shared memory once, and evicts what was not used longest", () => {
    const kv_tokens_max = tokens + 600;
    const model = new QueueModel({ ...P, kv_tokens_max, context_tokens_max: kv_tokens_max });
    model.submit(1, job(tokens, 200, 0, keys("a".repeat(64))));
    model.advance(0.1);
    model.submit(2, job(tokens, 200, 0, keys("b".repeat(64))));
    model.advance(0.2);
    expect(model.running).toBe(2);
    expect(model.kv_usage).toBeLessThan(1);
    model.advance(1_000);
    const other = blockKeys("y".repeat(4 * tokens), P.block_tokens);
    model.submit(3, job(tokens, 1, 0, other));
    model.advance(2_000);
    const before = model.totals.warm_tokens;
    model.submit(4, job(tokens, 1, 0, keys("a".repeat(64))));
    model.advance(3_000);
    // Beside the third prompt 600 tokens had room: those with which the first one begins, in whole
    // blocks.
    expect(model.totals.warm_tokens - before).toBeLessThanOrEqual(600);
    expect(model.totals.warm_tokens - before).toBeGreaterThan(600 - 2 * P.block_tokens);
  });

  test("computes at least one token of a prompt that is wholly there", () => {
    const model = new QueueModel(P);
    const blocks = blockKeys("z".repeat(1_600 * 4), P.block_tokens);
    model.submit(1, job(1_600, 1, 0, blocks));
    model.advance(10);
    model.submit(2, job(1_600, 1, 0, blocks));
    expect(model.totals.warm_tokens).toBe(1_599);
  });

  test("equal keys mean equal prefixes", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.string({ maxLength: 400 }), fc.nat(400), (a, b, cut) => {
        const [one, two] = [a, a.slice(0, cut) + b].map((t) => ({ text: t, keys: blockKeys(t, 4) }));
        if (one === undefined || two === undefined) return;
        for (let i = 0; i < Math.min(one.keys.length, two.keys.length); i++) {
          const end = (i + 1) * 16;
          expect(one.keys[i] === two.keys[i]).toBe(one.text.slice(0, end) === two.text.slice(0, end));
        }
      }),
    );
  });
});

describe("order and limits", () => {
  test("slots are never exceeded, and the queue is served by priority, then by arrival", () => {
    const model = new QueueModel({ ...plain, sequences_max: 1 });
    const priorities = [0, 5, 0, -1, 5];
    priorities.forEach((priority, id) => {
      model.submit(id, job(10, 5, priority));
    });
    expect([model.running, model.waiting]).toEqual([1, 4]);
    const order = model.advance(1_000).flatMap((event) => (event.type === "finished" ? [event.id] : []));
    expect(order).toEqual([0, 3, 2, 1, 4]);
  });

  test("an aborted sequence leaves its slot to the next at once, and a waiting one leaves the queue", () => {
    const model = new QueueModel({ ...plain, sequences_max: 1 });
    for (const id of [1, 2, 3]) model.submit(id, job(100, 1_000));
    model.advance(1);
    const generated = model.generated(1);
    expect(generated).toBeGreaterThan(50);
    expect(model.abort(2)).toBe(0);
    expect([model.running, model.waiting]).toEqual([1, 1]);
    expect(model.abort(1)).toBe(generated);
    expect([model.running, model.waiting]).toEqual([1, 0]);
    expect(model.abort(1)).toBe(0);
    model.abort(3);
    expect([model.running, model.waiting, model.kv_usage, model.nextAt()]).toEqual([0, 0, 0, null]);
  });

  test("when memory runs out the youngest is put back and computed anew; no token is lost", () => {
    const p = { ...plain, kv_tokens_max: 10_000, context_tokens_max: 10_000 };
    const model = new QueueModel(p);
    for (let id = 0; id < 8; id++) model.submit(id, job(1_000, 3_000));
    const events = model.advance(1e6);
    const preempted = events.filter(({ type }) => type === "preempted");
    expect(preempted.length).toBeGreaterThan(0);
    expect(model.totals.preemptions).toBe(preempted.length);
    expect(preempted.map(({ id }) => id)).not.toContain(0);
    // Equal work ends in the order it came: what was put back goes before what never ran.
    expect(events.flatMap(({ type, id }) => (type === "finished" ? [id] : []))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("a prompt that is computed anew counts once, and its blocks that stayed warm are no cache hits", () => {
    const model = new QueueModel({ ...P, kv_tokens_max: 10_000, context_tokens_max: 10_000 });
    for (let id = 0; id < 3; id++) {
      const blocks = blockKeys(String(id).repeat(4 * 1_600), P.block_tokens);
      model.submit(id, job(1_600, id === 0 ? 1_750 : 4_000, 0, blocks));
    }
    model.advance(1e6);
    expect(model.totals.preemptions).toBeGreaterThan(0);
    expect(model.totals).toMatchObject({ prompt_tokens: 4_800, warm_tokens: 0 });
  });

  test("what cannot fit is refused", () => {
    expect(() => new QueueModel({ ...P, context_tokens_max: P.kv_tokens_max + 1 })).toThrow(RangeError);
    const model = new QueueModel(P);
    expect(() => model.submit(1, job(P.context_tokens_max, 1))).toThrow(RangeError);
    expect(() => model.submit(1, job(10, 0))).toThrow(RangeError);
  });
});
