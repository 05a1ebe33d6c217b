// Holds what the openai adapter guarantees about many generations together: when they are
// cancelled, and when the backend is dead, dying or busy.
import { describe, expect, it } from "vitest";
import type { Generation } from "../../src/core/wire/questions.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { answer, reset, silence, stall, status } from "../harness/mock-behaviours.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { callWith, expectedKeys, judged, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { clock, deadUrl, heldTimer, instantTimer, withMock } from "./setup.ts";

describe("cancellation", () => {
  it.each<[string, Behaviour]>([
    ["waits for headers", silence()],
    ["has stalled in the middle of its answer", stall()],
  ])("closes the connection of a backend that %s", (_, behaviour) =>
    withMock(
      () => behaviour,
      async (mock, verifier) => {
        const controller = new AbortController();
        const judging = judged(verifier, pairsJob(4), controller.signal);
        await mock.until(({ counters }) => counters.open === 6);
        controller.abort(new Error("cancelled"));
        const { reported } = await judging;
        expect(reported.map((g) => g.error)).toEqual(Array(6).fill("cancelled"));
        await mock.until(({ counters }) => counters.client_closed === 6);
        expect(mock.counters.open).toBe(0);
      },
    ),
  );

  it("keeps what was decided and reports the rest, waiting retries included", async () => {
    const { schedule, held } = heldTimer();
    const behaviours = [answer("\\boxed{A}"), status(429), silence()];
    await withMock(
      ({ index }) => behaviours[Math.min(index, 2)] as Behaviour,
      async (mock, verifier) => {
        const controller = new AbortController();
        const judging = judged(verifier, pairsJob(6), controller.signal);
        await mock.until(({ log, counters }) => log.length >= 4 && counters.open === log.length - 2);
        controller.abort("deadline");
        const { reported } = await judging;
        expect(held).toEqual([]);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(pairsJob(6)).sort());
        expect(reported.filter((g) => g.error === null)).toHaveLength(1);
        expect(reported.filter((g) => g.error === "deadline")).toHaveLength(14);
      },
      { schedule },
    );
  });

  it("gives a reply up as soon as it is known to be useless", () =>
    withMock(
      () => stall([`data: {oops\n\n${": filler\n\n".repeat(2000)}`]),
      async (mock, verifier) => {
        expect((await judged(verifier, pairsJob(2))).reported).toMatchObject([{ error: "verifier_bad_reply" }]);
        await mock.until(({ counters }) => counters.client_closed === 1);
      },
    ));
});

describe("a backend in trouble", () => {
  it("7,680 comparisons against a dead host end within 3 s, with a handful of attempts", async () => {
    const verifier = createOpenAiVerifier({ url: await deadUrl(), model: "m", apiKey: null }, clock);
    const session = verifier.session(callWith(new AbortController().signal));
    const codes = new Map<string | null, number>();
    const start = clock.now();
    await Promise.all(
      Array.from({ length: 64 }, () =>
        session.judge(pairsJob(16), ({ error }) => {
          codes.set(error, (codes.get(error) ?? 0) + 1);
        }),
      ),
    );
    expect(clock.now() - start).toBeLessThan(3000);
    expect([...codes]).toEqual([["verifier_unavailable", 7680]]);
    expect(session.stats.requests).toBeLessThanOrEqual(60);
    // Later answers find the session closed.
    const late: Generation[] = [];
    await session.judge(pairsJob(2), (g) => late.push(g));
    expect(late).toMatchObject([{ error: "verifier_unavailable", latency_ms: 0 }]);
  });

  it("a backend that dies in the middle leaves the decided answers and nulls for the rest", async () => {
    const { schedule } = instantTimer();
    await withMock(
      ({ index }) => (index < 30 ? answer("\\boxed{A}") : reset()),
      async (_, verifier) => {
        const { reported } = await judged(verifier, pairsJob(16));
        expect(reported.filter((g) => g.error === null)).toHaveLength(30);
        expect(reported.filter((g) => g.error === "verifier_unavailable")).toHaveLength(90);
      },
      { schedule },
    );
  });

  it("a backend that refuses for load for ever is asked a bounded number of times", async () => {
    const { schedule } = instantTimer();
    await withMock(
      () => status(503),
      async (mock, verifier) => {
        const { reported } = await judged(verifier, pairsJob(40));
        expect(new Set(reported.map((g) => g.error))).toEqual(new Set(["verifier_overloaded"]));
        expect(reported).toHaveLength(780);
        expect(mock.log.length).toBeLessThan(100);
      },
      { schedule },
    );
  });

  it("a backend that admits 10 at a time gets its load lowered, and most answers come", async () => {
    const { schedule } = instantTimer();
    await withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        mock.script = () => async (reply) => {
          if (mock.counters.open > 10) return status(429)(reply);
          reply.head(200, { "content-type": "text/event-stream" });
          await new Promise<void>((resolve) => setImmediate(resolve));
          reply.end('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n');
        };
        const { reported } = await judged(verifier, pairsJob(25));
        expect(reported).toHaveLength(300);
        expect(reported.filter((g) => g.error === null).length).toBeGreaterThan(270);
      },
      { schedule, mock: { keep_bodies: false } },
    );
  });

  it("a backend that comes back during the probes is used again", async () => {
    const { schedule } = instantTimer();
    await withMock(
      ({ index }) => (index < 20 ? reset() : answer("\\boxed{A}")),
      async (_, verifier) => {
        const { reported } = await judged(verifier, pairsJob(16));
        expect(reported.filter((g) => g.error === null).length).toBeGreaterThanOrEqual(108);
      },
      { schedule },
    );
  });
});
