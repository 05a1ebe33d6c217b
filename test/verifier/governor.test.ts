// Holds what the openai adapter guarantees about many generations together: bounds, order, retries.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import { answer, reset, status } from "../harness/mock-behaviours.ts";
import type { Behaviour, Script } from "../harness/mock-verifier.ts";
import { callWith, expectedKeys, judged, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { clock, gate, heldTimer, instantTimer, withMock } from "./setup.ts";

/** An answer that depends only on the question. */
const bySeed: Script = ({ body }) => answer(`\\boxed{${body.seed % 2 === 0 ? "A" : "B"}}`);

describe("bounds", () => {
  it("64 groups of 16 (7,680 comparisons): never more than 6 wait for headers, each reported once", () =>
    withMock(
      bySeed,
      async (mock, verifier) => {
        const session = verifier.session(callWith(new AbortController().signal));
        const jobs = Array.from({ length: 64 }, (_, g) => pairsJob(16, 1, `group ${g}`));
        let reports = 0;
        await Promise.all(
          jobs.map(async (job) => {
            const own: Generation[] = [];
            await session.judge(job, (generation) => own.push(generation));
            expect(reportedKeys(own).sort()).toEqual(expectedKeys(job).sort());
            expect(own.every((g) => g.error === null)).toBe(true);
            reports += own.length;
          }),
        );
        expect(reports).toBe(7680);
        expect(session.stats).toMatchObject({ requests: 7680, retries: 0 });
        expect(session.stats.headers_waiting_max).toBe(LIMITS.headers_waiting_max);
        expect(mock.counters.waiting_for_headers_max).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
      },
      { mock: { keep_bodies: false } },
    ));

  it("early headers free their slot: bodies are read beyond it, up to maxInFlight", () => {
    const { opened, open } = gate();
    return withMock(
      () => answer("\\boxed{A}", { before_body: opened }),
      async (mock, verifier) => {
        const judging = judged(verifier, pairsJob(9));
        await mock.until(({ counters }) => counters.open === 20 && counters.waiting_for_headers === 0);
        open();
        const { reported, stats } = await judging;
        expect(reported).toHaveLength(36);
        expect(stats.in_flight_max).toBe(20);
        expect(mock.counters.open_max).toBe(20);
      },
      { maxInFlight: 20 },
    );
  });

  it("late headers hold their slot: the seventh question waits", () => {
    const { opened, open } = gate();
    return withMock(
      () => answer("\\boxed{A}", { before_headers: opened }),
      async (mock, verifier) => {
        const judging = judged(verifier, pairsJob(8));
        await mock.until(({ counters }) => counters.waiting_for_headers === 6);
        // One round trip of another kind: had a seventh been sent, it would be there by now.
        await verifier.check();
        expect(mock.log).toHaveLength(6);
        open();
        expect((await judging).reported).toHaveLength(28);
      },
    );
  });

  it("asks first come, first served over all jobs", () =>
    withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        const session = verifier.session(callWith(new AbortController().signal));
        await Promise.all(["x", "y", "z"].map((name) => session.judge(pairsJob(4, 2, name), () => {})));
        const asked = mock.log.map(({ body }) => /prints (\w)\?/.exec(body.messages.at(-1)?.content ?? "")?.[1]);
        expect(asked.join("")).toBe("x".repeat(12) + "y".repeat(12) + "z".repeat(12));
      },
      { maxInFlight: 1 },
    ));

  it("reports the same generations whatever order they finish in", async () => {
    const run = async (script: Script) => {
      const got: string[] = [];
      await withMock(script, async (_, verifier) => {
        const { reported } = await judged(verifier, pairsJob(6, 2));
        for (const { latency_ms: _, ...rest } of reported) got.push(JSON.stringify(rest));
      });
      return got;
    };
    // Each question is held until the next has arrived, the last until all have: they finish out of
    // order.
    const waiting: (() => void)[] = [];
    const shuffledFinish: Script = (request) => async (reply) => {
      if (request.index % 3 !== 2) await new Promise<void>((resolve) => waiting.push(resolve));
      await bySeed(request)(reply);
      for (const resume of waiting.splice(0).reverse()) resume();
    };
    const straight = await run(bySeed);
    const turned = await run(shuffledFinish);
    expect(turned).not.toEqual(straight);
    expect([...turned].sort()).toEqual([...straight].sort());
  });
});

describe("retries", () => {
  const then =
    (...behaviours: Behaviour[]): Script =>
    ({ attempt }) =>
      behaviours[Math.min(attempt, behaviours.length) - 1] as Behaviour;
  const good = answer("\\boxed{A}");

  it.each<[string, Behaviour]>([
    ["429", status(429)],
    ["502", status(502)],
    ["503", status(503)],
    ...[408, 409, 425, 460, 499, 520, 521, 524, 525, 526, 527, 529, 530].map((n): [string, Behaviour] => [
      `${n}`,
      status(n),
    ]),
    ["400 for a failed upstream", status(400, {}, { code: 2005, message: "Failed to get response from provider" })],
    ["504", status(504)],
    ["a reset before the headers", reset()],
  ])("asks again after %s, at most twice", async (_, bad) => {
    const { schedule } = instantTimer();
    await withMock(
      then(bad, bad, good),
      async (_, verifier) => {
        const { reported, stats } = await judged(verifier, pairsJob(2));
        expect(reported[0]).toMatchObject({ error: null, answer: "\\boxed{A}" });
        expect(stats).toMatchObject({ requests: 3, retries: 2 });
      },
      { schedule },
    );
  });

  it.each<[string, Behaviour, string]>([
    ["429", status(429), "verifier_overloaded"],
    ["503", status(503), "verifier_overloaded"],
    ["502", status(502), "verifier_unavailable"],
    ["409", status(409), "verifier_unavailable"],
    ["529", status(529), "verifier_overloaded"],
    ["400 for a failed upstream", status(400, {}, { code: 2005 }), "verifier_unavailable"],
    ["504", status(504), "verifier_unavailable"],
    ["resets", reset(), "verifier_unavailable"],
  ])("names %s for ever after the third attempt", async (_, bad, error) => {
    const { schedule } = instantTimer();
    await withMock(
      then(bad),
      async (mock, verifier) => {
        const { reported } = await judged(verifier, pairsJob(2));
        expect(reported).toMatchObject([{ error, answer: null }]);
        expect(mock.log).toHaveLength(3);
      },
      { schedule },
    );
  });

  it("backs off with full jitter: uniform below 100 ms, then below 200 ms", async () => {
    const { schedule, waits } = instantTimer();
    await withMock(
      then(status(503)),
      async (_, verifier) => {
        await judged(verifier, pairsJob(2));
        expect(waits).toEqual([50, 100]);
      },
      { schedule, random: () => 0.5 },
    );
  });

  it("waits as long as Retry-After says, in seconds or as a date", async () => {
    for (const [value, low, high] of [
      ["3", 3000, 3000],
      [new Date(Date.now() + 20_000).toUTCString(), 15_000, 20_000],
      ["nonsense", 0, 200],
    ] as const) {
      const { schedule, waits } = instantTimer();
      await withMock(
        then(status(429, { "retry-after": value }), good),
        async (_, verifier) => {
          const { reported } = await judged(verifier, pairsJob(2));
          expect(reported[0]?.error).toBeNull();
          expect(waits).toHaveLength(1);
          expect(waits[0]).toBeGreaterThanOrEqual(low);
          expect(waits[0]).toBeLessThanOrEqual(high);
        },
        { schedule },
      );
    }
  });

  it("stops at once when Retry-After is beyond its limit or does not fit before the deadline", () =>
    withMock(then(status(429, { "retry-after": "3600" })), async (mock, verifier) => {
      expect((await judged(verifier, pairsJob(2))).reported).toMatchObject([{ error: "verifier_overloaded" }]);
      mock.script = then(status(429, { "retry-after": "5" }));
      const call = callWith(new AbortController().signal, { deadline_at: clock.now() + 2000 });
      const reported: Generation[] = [];
      await verifier.session(call).judge(pairsJob(2, 1, "other"), (g) => reported.push(g));
      expect(reported).toMatchObject([{ error: "verifier_overloaded" }]);
      expect(mock.log).toHaveLength(2);
    }));

  it("holds no slot while it waits, and is asked again when its time has come", async () => {
    const { schedule, held } = heldTimer();
    await withMock(
      ({ index }) => (index === 0 ? status(429, { "retry-after": "9" }) : good),
      async (mock, verifier) => {
        const reported: Generation[] = [];
        const session = verifier.session(callWith(new AbortController().signal));
        const judging = session.judge(pairsJob(4), (g) => reported.push(g));
        await mock.until(({ log }) => log.filter(({ end }) => end === "finished").length === 6);
        await mock.until(({ counters }) => counters.open === 0);
        expect(held.map(({ ms }) => ms)).toEqual([9000]);
        held[0]?.run();
        await judging;
        expect(reported).toHaveLength(6);
        expect(reported.at(-1)).toMatchObject({ question: 0, error: null });
      },
      { schedule, maxInFlight: 1 },
    );
  });

  it("a failed comparison never fails its neighbours", async () => {
    const { schedule } = instantTimer();
    await withMock(
      ({ index }) => (index % 5 === 0 ? status(400) : good),
      async (_, verifier) => {
        const { reported } = await judged(verifier, pairsJob(8));
        expect(reported.filter((g) => g.error === "verifier_rejected")).toHaveLength(6);
        expect(reported.filter((g) => g.error === null)).toHaveLength(22);
      },
      { schedule },
    );
  });
});
