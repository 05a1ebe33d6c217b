// The guarantees of a room that lives again over what it stored, and of its rewards against the native
// route's scoring.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { Generation } from "../../../src/core/wire/questions.ts";
import type { GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import type { GroupState } from "../../../src/objects/gathering/group-state.ts";
import { groupStorage } from "../../../src/objects/gathering/group-storage.ts";
import { createGroupJudge } from "../../../src/objects/gathering/judge-group.ts";
import { rewardOf } from "../../../src/objects/gathering/reply.ts";
import { Room } from "../../../src/objects/gathering/room.ts";
import { createRoomStore } from "../../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import type { Verifier } from "../../../src/ports/ports.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { fenced, longest } from "../../api/routes/harness.ts";
import fc from "../../harness/property.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { judgingDeps, never, sampleOf } from "./setup.ts";

it("gives a new group an epoch after all others', also after a restart with more than ten", () => {
  const values = memoryValues(systemClock, () => undefined);
  const store = createRoomStore(values, systemClock);
  const epochs = [...Array(12).keys()];
  for (const epoch of epochs) store.saveGroup({ epoch } as GroupState);
  store.flush();
  expect(
    createRoomStore(values, systemClock)
      .groups()
      .map(({ epoch }) => epoch),
  ).toEqual(epochs);
});

/** Rooms over one storage, one after the other; each can be forsaken as a crash would. */
function lives(given: ReturnType<typeof judgingDeps>, verifier: Verifier = given.verifier) {
  const alarms: number[] = [];
  const { timers } = given;
  const values = { ...memoryValues(timers, () => undefined), wakeAt: (at: number) => void alarms.push(at) };
  const store = createRoomStore(values, timers);
  let ids = 0;
  let dead = () => {};
  const begin = (by: Verifier = verifier) => {
    dead();
    let alive = true;
    dead = () => {
      alive = false;
    };
    const judge = createGroupJudge({ ...given, verifier: by });
    const room = new Room({
      store,
      storage: groupStorage(given),
      // A dead room judges nothing further, and its judgement under way is dropped.
      judge: async (work) => {
        const reply = alive ? await judge(work) : undefined;
        return reply !== undefined && alive ? reply : new Promise(() => {});
      },
      timers,
      nextRequestId: () => `request-${ids++}`,
      report: given.report,
    });
    return {
      room,
      join: async (sample: GatheredSample) => rewardOf(await room.join(sample, null)),
    };
  };
  return { store, alarms, begin };
}

/**
 * Answers the first `k` comparisons by `longest`, and leaves the others open until the signal's
 * abort.
 */
function stallingAfter(k: number): Verifier & { asked: number } {
  const verifier = {
    ...judgingDeps().verifier,
    asked: 0,
    session: ({ signal }: { signal: AbortSignal }) => ({
      stats: { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 },
      async judge(job: Parameters<ReturnType<Verifier["session"]>["judge"]>[0], sink: (g: Generation) => void) {
        verifier.asked += job.questions.length;
        for (const question of job.questions.slice(0, k)) {
          const answer = longest(
            question.shown.map((i) => job.candidates[i] as string),
            { question, sample: 0, job },
          );
          const told = { answer: answer as string, thinking: "none", finish_reason: "stop", error: null } as const;
          sink({
            question: question.id,
            sample: 0,
            ...told,
            prompt_tokens: 1,
            completion_tokens: 1,
            latency_ms: 1,
          });
        }
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    }),
  };
  return verifier as Verifier & { asked: number };
}

describe("a room that lives again", () => {
  it("asks only what was not judged, logs once, and answers as if nothing had happened", async () => {
    const deps = judgingDeps();
    const { begin, store } = lives(deps);
    const stalling = stallingAfter(4);
    const first = begin(stalling);
    const four = ["a", "bb", "ccc", "dddd"].map((code) => sampleOf(code, { group_size: 4, window_ms: 60_000 }));
    for (const sample of four) void first.join(sample);
    await expect.poll(() => store.journal(0).size).toBe(4);
    const second = begin();
    const got = await Promise.all(four.map(second.join));
    expect(got.map(({ result, attached }) => [result.wins, attached])).toEqual(
      [0, 1, 2, 3].map((wins) => [wins, false]),
    );
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([2]);
    expect(deps.runLog.entries.map(({ request_id }) => request_id)).toEqual(["request-0"]);
    // All six answers were paid for in this one judgement, in whichever life of the room.
    expect(deps.runLog.entries[0]?.groups[0]?.result.verifier.generations).toBe(6);
  });

  it("closes a group of unknown size that nobody asks for again", async () => {
    const deps = judgingDeps();
    const { begin, store, alarms } = lives(deps);
    void begin().join(sampleOf("a", { answer_within_ms: 60_000, window_ms: 100 }));
    store.flush();
    const closes = alarms.at(-1) as number;
    expect(closes).toBeLessThanOrEqual(Date.now() + 100);
    const { room } = begin();
    await expect.poll(() => deps.runLog.entries.length).toBe(1);
    await room.wake();
    expect(alarms.at(-1)).toBeGreaterThan(closes);
  });

  it("ends its alarm's work in time however long it judges, and has set the next", async () => {
    const time = new VirtualTime();
    const { begin, alarms } = lives(judgingDeps(longest, { gate: new Promise(() => {}) }, time.clock));
    const { room } = begin();
    const long = { group_size: 2, answer_within_ms: 4 * LIMITS.room_alarm_ms };
    for (const code of ["a", "bb"]) void room.join(sampleOf(code, long), null);
    let ended = false;
    const woken = room.wake().then(() => {
      ended = true;
    });
    await time.advance(LIMITS.room_alarm_ms - 1);
    expect(ended).toBe(false);
    const before = alarms.length;
    await time.advance(1);
    await woken;
    expect(alarms.length).toBeGreaterThan(before);
  });

  it("takes an equal sample for a retry unless the one who waited joins again in time", async () => {
    const deps = judgingDeps();
    const { begin } = lives(deps);
    const lost = sampleOf("a", { group_size: 2 });
    void begin().join(lost);
    const { join } = begin();
    const retry = join(sampleOf("a", { group_size: 2 }));
    expect((await Promise.all([retry, join(sampleOf("bb", { group_size: 2 }))]))[0]).toMatchObject({ attached: true });
    const again = lives(deps);
    void again.begin().join(lost);
    const third = again.begin();
    const twin = third.join(sampleOf("a", { group_size: 2 }));
    const back = third.join(lost);
    expect((await Promise.all([twin, back])).map(({ attached, members }) => [attached, members])).toEqual([
      [false, 2],
      [false, 2],
    ]);
  });

  it("reports a judgement that broke in an unforeseen way without its texts, and a retry is judged", async () => {
    const deps = judgingDeps();
    let broken = true;
    const session = deps.verifier.session;
    const { begin } = lives(deps, {
      ...deps.verifier,
      session: (call) => {
        if (broken) throw new TypeError("secret text");
        return session(call);
      },
    });
    const { join } = begin();
    const two = ["a", "bb"].map((code) => join(sampleOf(code, { group_size: 2 })));
    for (const { reason } of (await Promise.allSettled(two)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: "internal" });
    }
    expect(deps.lines).toMatchObject([{ event: "unexpected_error", name: "TypeError" }]);
    expect(JSON.stringify(deps.lines)).not.toContain("secret");
    broken = false;
    expect((await join(sampleOf("bb", { group_size: 2 }))).result.reward).toBe(1);
  });
});

it("every reward is the one a native request over the same members gives, however they came and whatever was asked before", async () => {
  const arrivals = fc.array(fc.record({ code: fc.nat(5), pause: fc.constantFrom(0, 0, 0, 1, 8) }), {
    minLength: 2,
    maxLength: 9,
  });
  const size = fc.option(fc.integer({ min: 2, max: 5 }), { nil: null });
  await fc.assert(
    fc.asyncProperty(arrivals, size, fc.boolean(), async (sent, group_size, restarts) => {
      const deps = judgingDeps();
      const { begin } = lives(deps);
      let life = begin();
      const waiting = [];
      for (const [i, { code, pause }] of sent.entries()) {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        const times = { group_size, window_ms: 4, answer_within_ms: 60_000 };
        const sample = sampleOf("x".repeat(code + 1), { ...times, body_hash: `${i}` });
        waiting.push(life.join(sample).then((reward) => ({ reward, sample })));
        if (restarts && i === sent.length - 2) {
          await Promise.all(waiting);
          life = begin();
        }
      }
      const answered = await Promise.all(waiting);
      for (const { request_id, groups } of deps.runLog.entries) {
        const [logged] = groups as [(typeof groups)[0]];
        const texts = sent.map(({ code }) => fenced("x".repeat(code + 1)));
        const hashes = new Map(await Promise.all(texts.map(async (text) => [await sha256Hex(text), text] as const)));
        const rollouts = logged.rollouts.map(({ text_hash }) => ({ text: hashes.get(text_hash) as string }));
        const [
          {
            sample: { spec },
          },
        ] = answered as [(typeof answered)[0]];
        const request = { spec, deadline_ms: 60_000, groups: [{ prompt: "p", rollouts }] };
        const native = await scoreBatch(deps, { request, spec, started_ms: 0, signal: never() });
        expect(logged.result.rollouts).toEqual(native.reply.groups[0]?.rollouts);
        for (const { reward, sample } of answered) {
          if (reward.request_id !== request_id) continue;
          const places = rollouts.flatMap(({ text }, i) => (text === sample.rollout.text ? [i] : []));
          const rewards = places.map((i) => native.reply.rewards[0]?.[i]);
          expect(rewards).toContain(reward.result.reward);
        }
      }
    }),
    { numRuns: 40 },
  );
});
