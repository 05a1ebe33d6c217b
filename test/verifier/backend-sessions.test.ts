// Holds what a backend remembers over sessions: its breaker, its budget of retries, who judged.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { answer, status } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { judged, pairsJob } from "../port-contracts/verifier.contract.ts";
import { clock, heldTimer, instantTimer, withMock } from "./setup.ts";

describe("the breaker over sessions", () => {
  it("spares a dead backend after one large session, and one probe finds it back", async () => {
    const { held, schedule } = heldTimer();
    const time = { at: 0 };
    const moving = { ...systemClock, now: () => time.at, date: () => new Date(time.at) };
    const backend = new Backend({ name: "verifier", hedging: false });
    const mock = await startMockVerifier(() => status(502));
    const verifier = createOpenAiVerifier({ url: mock.url, model: "m", apiKey: null, backend, schedule }, moving);
    try {
      for (let i = 0; i < LIMITS.breaker_volume_min; i++) backend.ended(false, time.at, false);
      expect(backend.status(time.at).breaker).toBe("open");
      const { reported } = await judged(verifier, pairsJob(6));
      expect(reported.map(({ error }) => error)).toEqual(Array(15).fill("verifier_unavailable"));
      expect(mock.log).toHaveLength(0);

      time.at = LIMITS.breaker_open_ms;
      await judged(verifier, pairsJob(6));
      expect(mock.log).toHaveLength(1);
      expect(backend.status(time.at).breaker).toBe("open");

      time.at += 2 * LIMITS.breaker_open_ms;
      mock.script = () => answer("\\boxed{A}");
      const back = await judged(verifier, pairsJob(6));
      expect(back.reported.every(({ error }) => error === null)).toBe(true);
      expect(backend.status(time.at).breaker).toBe("closed");
      expect(held).toEqual([]);
    } finally {
      await mock.close();
    }
  });

  it("does not open for a backend that is only busy", async () => {
    const { schedule } = instantTimer();
    await withMock(
      () => status(429),
      async (_, verifier) => {
        for (let i = 0; i < 4; i++) await judged(verifier, pairsJob(16));
        expect(verifier.backends?.()[0]?.breaker).toBe("closed");
      },
      { schedule },
    );
  });

  it("retries no more than the budget allows over all sessions of a backend", async () => {
    const { schedule } = instantTimer();
    await withMock(
      () => status(429),
      async (mock) => {
        // With a clock that does not move, or the budget would fill again.
        const config = { url: mock.url, model: "m", apiKey: null, schedule };
        const verifier = createOpenAiVerifier(config, { ...clock, now: () => 0 });
        for (let i = 0; i < 50; i++) await judged(verifier, pairsJob(2));
        expect(mock.log.length).toBe(50 + LIMITS.retry_budget_floor);
        expect(verifier.backends?.()).toMatchObject([{ requests: 50, retries: 20, retries_denied: 40 }]);
      },
    );
  });
});

describe("the model that judged", () => {
  it("is what the engine says, else what was configured, and stands on each generation with the backend", async () => {
    const named = 'data: {"model":"release-2","choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n';
    await withMock(
      ({ index }) =>
        async (reply) =>
          reply.whole(
            200,
            { "content-type": "text/event-stream" },
            index === 0 ? named : named.replace('"model":"release-2",', ""),
          ),
      async (_, verifier) => {
        const first = await judged(verifier, pairsJob(2));
        const second = await judged(verifier, pairsJob(2));
        expect(first.reported).toMatchObject([{ model: "release-2", backend: "verifier" }]);
        expect(second.reported).toMatchObject([{ model: "mock-model", backend: "verifier" }]);
      },
    );
  });
});
