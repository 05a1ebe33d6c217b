// Owns what a judgement leaves that its room's end broke off: one log entry, of what is answered, with
// what was asked for it. On the clock of test/harness/virtual-time.ts.
import { expect, it } from "vitest";
import { SpecSchema } from "../../../src/core/reward/flat-spec.ts";
import type { GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import { pause } from "../../../src/platform/waiting.ts";
import { Broken, inVirtualTime, LivingRoom, verifierOf } from "./living-room.ts";
import { sampleOf } from "./setup.ts";

/** An entry is in the log after 40 ms, also of a life that has ended, and its append ends after 80. */
const LATE_LOG = () => 0.8;
/** An answer takes so long, ms. */
const ANSWER = 20 + 1_500 * 0.5;

/** Joins as often as the room ends. @param probe_ms how long its client takes to prove that it is there */
async function joined(room: LivingRoom, sample: GatheredSample, probe_ms = 0) {
  for (;;) {
    try {
      const reply = await room.join(sample, () => pause(probe_ms).then(() => true));
      if ("fault" in reply) throw new Error(reply.fault.code);
      return reply.reward;
    } catch (fault) {
      if (!(fault instanceof Broken)) throw fault;
    }
  }
}

const times = { group_size: 2, window_ms: 60_000, answer_within_ms: 120_000, spec: SpecSchema.parse({ judge: {} }) };
const idle = { failing: { early: 0, whole: 0 } };

it("one that took no time at all has the same entry when its room ends before its answers are stored", async () => {
  const room = new LivingRoom(
    verifierOf(() => 0.5, idle),
    LATE_LOG,
  );
  const samples = [sampleOf("", { ...times, body_hash: "a", rollout: { text: "nothing" } }), sampleOf("bb", times)];
  const rewards = await inVirtualTime(async () => {
    const all = Promise.all(samples.map((sample) => joined(room, sample)));
    await pause(60);
    room.restart(false);
    return all;
  });
  expect(room.deps.runLog.entries).toHaveLength(1);
  const [entry] = room.deps.runLog.entries;
  expect(rewards.map(({ request_id }) => request_id)).toEqual([entry?.request_id, entry?.request_id]);
});

it("one that failed has the outcome that was logged when it is taken up, and who asks again is judged anew", async () => {
  const failing = { early: 0, whole: 1 };
  const room = new LivingRoom(
    verifierOf(() => 0.5, { failing }),
    LATE_LOG,
  );
  const samples = ["a", "bb"].map((code) => sampleOf(code, times));
  const [failed, again] = await inVirtualTime(async () => {
    const all = Promise.all(samples.map((sample) => joined(room, sample)));
    await pause(ANSWER + 60);
    failing.whole = 0;
    room.restart(false);
    return [await all, await joined(room, sampleOf("a", times))] as const;
  });
  expect(room.faults).toEqual([]);
  expect(failed.map(({ result }) => result.error)).toEqual(["verifier_unavailable", "verifier_unavailable"]);
  expect(again.result.reward).not.toBeNull();
  const logged = room.deps.runLog.entries.map(({ request_id, groups }) => [request_id, groups[0]?.result.rollouts[0]]);
  expect(logged).toEqual([
    [failed[0]?.request_id, failed[0]?.result],
    [again.request_id, again.result],
  ]);
});

it("what was asked before equal requests are told apart is in its entry, also when the room ends meanwhile", async () => {
  const verifier = verifierOf(() => 0.5, idle);
  const room = new LivingRoom(verifier, LATE_LOG);
  await inVirtualTime(async () => {
    // Of such a schedule nothing is asked early.
    const three = { ...times, group_size: 3, spec: SpecSchema.parse({ judge: { schedule: "swiss" } }) };
    const samples = ["a", "bb"].map((code) => sampleOf(code, three));
    const two = samples.map((sample) => joined(room, sample, 60_000));
    await pause(1_000);
    const twin = joined(room, sampleOf("a", three), 60_000);
    // The verdicts are stored.
    while ([...room.values.list("journal.")].length === 0) await pause(100);
    room.restart(false);
    await Promise.all([...two, twin]);
  });
  const charged = room.deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier.generations);
  expect(charged).toEqual([verifier.generations]);
});
