// Conservation laws of the queueing model for any workload, without a clock.

import { describe, expect, test } from "vitest";
import { engineParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import type { QueueEvent } from "../../../gpu-backend/engines/simulator/queue-events.ts";
import { QueueModel } from "../../../gpu-backend/engines/simulator/queueing.ts";
import fc from "../../harness/property.ts";

const P = engineParameters("sim-14b", "h200");

describe("conservation, for any workload", () => {
  const arrivals = fc.array(
    fc.record({
      gap: fc.double({ min: 0, max: 3, noNaN: true }),
      prompt: fc.integer({ min: 1, max: 3_000 }),
      output: fc.integer({ min: 1, max: 3_000 }),
      priority: fc.integer({ min: 0, max: 2 }),
      prefix: fc.integer({ min: 0, max: 3 }),
      abortAfter: fc.option(fc.double({ min: 0, max: 20, noNaN: true })),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const small = { ...P, kv_tokens_max: 12_000, context_tokens_max: 6_000, sequences_max: 6, step_tokens_max: 512 };

  function play(
    list: {
      gap: number;
      prompt: number;
      output: number;
      priority: number;
      prefix: number;
      abortAfter: number | null;
    }[],
    stops: number,
  ) {
    const model = new QueueModel(small);
    let now = 0;
    const acts: { at: number; run: () => void }[] = [];
    list.forEach(({ gap, prompt, output, priority, prefix, abortAfter }, id) => {
      now += gap;
      const blocks = Array.from({ length: Math.floor(prompt / 16) }, (_, i) => prefix * 1_000 + i);
      acts.push({
        at: now,
        run: () => model.submit(id, { prompt_tokens: prompt, output_tokens: output, priority, blocks }),
      });
      if (abortAfter !== null) acts.push({ at: now + abortAfter, run: () => void model.abort(id) });
    });
    acts.sort((a, b) => a.at - b.at);
    const events: QueueEvent[] = [];
    let from = 0;
    for (const { at, run } of [...acts, { at: 1e5, run: () => {} }]) {
      for (let i = 1; i <= stops; i++) {
        events.push(...model.advance(from + ((at - from) * i) / stops));
        expect(model.running).toBeLessThanOrEqual(small.sequences_max);
        expect(model.kv_usage).toBeLessThanOrEqual(1);
      }
      run();
      from = at;
    }
    return { model, events };
  }

  test("everything that is not aborted finishes once, events are in order, and the engine ends empty", () => {
    fc.assert(
      fc.property(arrivals, (list) => {
        const { model, events } = play(list, 3);
        const finished = events.flatMap(({ type, id }) => (type === "finished" ? [id] : []));
        expect(new Set(finished).size).toBe(finished.length);
        for (const [id, { abortAfter }] of list.entries()) if (abortAfter === null) expect(finished).toContain(id);
        expect(events.every(({ at }, i) => i === 0 || at >= (events[i - 1] as QueueEvent).at)).toBe(true);
        expect([model.running, model.waiting, model.kv_usage, model.nextAt()]).toEqual([0, 0, 0, null]);
        expect(model.totals.prompt_tokens).toBe(list.reduce((sum, { prompt }) => sum + prompt, 0));
        expect(model.totals.warm_tokens).toBeLessThan(model.totals.prompt_tokens);
      }),
      { numRuns: 100 },
    );
  });

  test("how often it is looked at changes nothing", () => {
    fc.assert(
      fc.property(arrivals, (list) => {
        const [once, often] = [play(list, 1).events, play(list, 7).events];
        expect(often.map(({ type, id }) => [type, id])).toEqual(once.map(({ type, id }) => [type, id]));
        for (const [i, { at }] of once.entries()) expect((often[i] as QueueEvent).at).toBeCloseTo(at, 5);
      }),
      { numRuns: 60 },
    );
  });
});
