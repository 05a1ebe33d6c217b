// Holds what hedging guarantees: one report a sample, the slower copy cancelled, at most 5 % extra,
// never towards a busy backend.
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { hedged, type Launch } from "../../src/verifier/fan-out/hedge.ts";
import { outcome } from "../../src/verifier/fan-out/refusal.ts";
import { answer, silence, status } from "../harness/mock-behaviours.ts";
import { expectedKeys, judged, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { gate, heldTimer, withMock } from "./setup.ts";

/**
 * A backend that has seen enough quick answers to know a straggler, and whose budget allows
 * `hedges` of them.
 */
function seasoned(hedges = 1): Backend {
  const backend = new Backend({ name: "verifier", hedging: true });
  for (let i = 0; i < 32; i++) backend.began(5);
  for (let i = 0; i < 20 * hedges; i++) backend.sent(systemClock.now());
  return backend;
}

const answered = { ...outcome("verifier_unavailable"), backend_failed: false };
const good = { ...answered, answered: { ...answered.generation, answer: "x", error: null } };

/** Two copies under the test's control. */
function copies() {
  const launched: { signal: AbortSignal; begin: () => void; end: (with_: typeof good | typeof answered) => void }[] =
    [];
  const launch: Launch = (signal, onBytes) =>
    new Promise((resolve) => launched.push({ signal, begin: onBytes, end: resolve }));
  const { held, schedule } = heldTimer();
  let won = 0;
  const running = new Set<AbortController>();
  const result = hedged(launch, {
    after_ms: 9,
    schedule,
    whenAllowed: ({ launch: start, isWanted }) => {
      if (isWanted()) start();
    },
    copies: running,
    onWin: () => won++,
  });
  return { launched, held, result, running, won: () => won };
}

describe("two copies of one question", () => {
  it("the one that begins first counts, and the other is cancelled at once", async () => {
    const { launched, held, result, won } = copies();
    expect(held.map(({ ms }) => ms)).toEqual([9]);
    held[0]?.run();
    launched[1]?.begin();
    expect(launched[0]?.signal.aborted).toBe(true);
    launched[0]?.end(answered);
    launched[1]?.end(good);
    expect(await result).toBe(good);
    expect(won()).toBe(1);
  });

  it("the first keeps its place when it begins before the second", async () => {
    const { launched, held, result, won } = copies();
    held[0]?.run();
    launched[0]?.begin();
    expect([launched[0]?.signal.aborted, launched[1]?.signal.aborted]).toEqual([false, true]);
    launched[0]?.end(good);
    expect(await result).toBe(good);
    expect(won()).toBe(0);
  });

  it("one that fails before any began leaves the question to the other; when both fail, that is the outcome", async () => {
    const one = copies();
    one.held[0]?.run();
    one.launched[0]?.end(answered);
    one.launched[1]?.end(good);
    expect(await one.result).toBe(good);
    const both = copies();
    both.held[0]?.run();
    both.launched[1]?.end(answered);
    both.launched[0]?.end(answered);
    expect(await both.result).toBe(answered);
  });

  it("a first that has begun is never asked again, and its timer is taken back", async () => {
    const { launched, held, result } = copies();
    launched[0]?.begin();
    expect(held).toEqual([]);
    launched[0]?.end(good);
    expect(await result).toBe(good);
    expect(launched).toHaveLength(1);
  });

  it("the session's end ends both", () => {
    const { launched, held, running } = copies();
    held[0]?.run();
    for (const copy of running) copy.abort("deadline");
    expect(launched.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });
});

describe("a straggler", () => {
  it("is asked again with the same body and seed, reported once, and its first copy is hung up", async () => {
    const { held, schedule } = heldTimer();
    const backend = seasoned();
    await withMock(
      ({ index }) => (index === 0 ? silence() : answer("\\boxed{B}")),
      async (mock, verifier) => {
        const job = pairsJob(2);
        const judging = judged(verifier, job);
        await mock.until(({ log }) => log.length === 1);
        expect(held[0]?.ms).toBe(250);
        held[0]?.run();
        const { reported, stats } = await judging;
        expect(reportedKeys(reported)).toEqual(expectedKeys(job));
        expect(reported).toMatchObject([{ answer: "\\boxed{B}", error: null }]);
        expect(mock.log[1]?.body).toEqual(mock.log[0]?.body);
        await mock.until(({ counters }) => counters.client_closed === 1);
        expect(stats).toMatchObject({ requests: 2, retries: 0 });
        expect(verifier.backends?.()).toMatchObject([{ hedges: 1, hedges_won: 1 }]);
      },
      { schedule, backend },
    );
  });

  it("is not asked again beyond 5 % of the recent questions", async () => {
    const { held, schedule } = heldTimer();
    const backend = seasoned(1);
    const { opened, open } = gate();
    await withMock(
      ({ index }) => answer("\\boxed{A}", index < 4 ? { before_headers: opened } : {}),
      async (mock, verifier) => {
        const judging = judged(verifier, { ...pairsJob(2), questions: [{ id: 0, shown: [0, 1], samples: 4 }] });
        await mock.until(({ log }) => log.length === 4);
        for (const { run } of [...held]) run();
        await mock.until(({ log }) => log.length === 5);
        open();
        expect((await judging).stats.requests).toBe(5);
      },
      { schedule, backend },
    );
  });

  it("is left alone on a backend that was busy lately", async () => {
    const { held, schedule } = heldTimer();
    const backend = seasoned(2);
    const { opened, open } = gate();
    await withMock(
      ({ index }) => (index === 0 ? status(400) : answer("\\boxed{A}", { before_headers: opened })),
      async (mock, verifier) => {
        backend.refused(systemClock.now());
        const judging = judged(verifier, { ...pairsJob(2), questions: [{ id: 0, shown: [0, 1], samples: 3 }] });
        await mock.until(({ log }) => log.length === 3);
        for (const { run } of [...held]) run();
        open();
        expect((await judging).stats.requests).toBe(3);
      },
      { schedule, backend },
    );
  });
});
