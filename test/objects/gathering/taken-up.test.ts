// Defines what a judgement leaves that its room's end broke off: one log entry, of what is answered, with
// what was asked for it. On the clock of test/harness/virtual-time.ts.

import { expect, it } from "vitest";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import { NamedGroup } from "../../../src/objects/gathering/named-group.ts";
import { fenced } from "../../api/routes/harness.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { Broken, LivingRoom, verifierOf } from "./living-room.ts";
import { sampleOf } from "./setup.ts";

/** An entry is in the log after 40 ms, also of a life that has ended, and its append ends after 80. */
const LATE_LOG = () => 0.8;
/** An answer takes so long, ms. */
const ANSWER = 20 + 1_500 * 0.5;

/** Joins as often as the room ends. @param probe_ms how long its client takes to prove that it is there */
async function joined(room: LivingRoom, sample: GatheredSample, probe_ms = 0) {
  for (;;) {
    try {
      const reply = await room.join(sample, () => room.time.sleep(probe_ms).then(() => true));
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
  const time = new VirtualTime();
  const room = new LivingRoom(
    time,
    verifierOf(time, () => 0.5, idle),
    LATE_LOG,
  );
  const samples = [sampleOf("", { ...times, body_hash: "a", rollout: { text: "nothing" } }), sampleOf("bb", times)];
  const rewards = await time.until(async () => {
    const all = Promise.all(samples.map((sample) => joined(room, sample)));
    await time.sleep(60);
    room.restart(false);
    return all;
  }, 1);
  expect(room.deps.runLog.entries).toHaveLength(1);
  const [entry] = room.deps.runLog.entries;
  expect(rewards.map(({ request_id }) => request_id)).toEqual([entry?.request_id, entry?.request_id]);
});

it("one that failed has the outcome that was logged when it is taken up, and who asks again is judged anew", async () => {
  const failing = { early: 0, whole: 1 };
  const time = new VirtualTime();
  const room = new LivingRoom(
    time,
    verifierOf(time, () => 0.5, { failing }),
    LATE_LOG,
  );
  const samples = ["a", "bb"].map((code) => sampleOf(code, times));
  const [failed, again] = await time.until(async () => {
    const all = Promise.all(samples.map((sample) => joined(room, sample)));
    await time.sleep(ANSWER + 60);
    failing.whole = 0;
    room.restart(false);
    return [await all, await joined(room, sampleOf("a", times))] as const;
  }, 1);
  expect(room.faults).toEqual([]);
  expect(failed.map(({ result }) => result.error)).toEqual(["verifier_unavailable", "verifier_unavailable"]);
  expect(again.result.reward).not.toBeNull();
  const logged = room.deps.runLog.entries.map(({ request_id, groups }) => [request_id, groups[0]?.result.rollouts[0]]);
  expect(logged).toEqual([
    [failed[0]?.request_id, failed[0]?.result],
    [again.request_id, again.result],
  ]);
});

/** When the room ends: what is asked early is answered, and what is unreadable is asked once more. */
const ENDS_MS = [2 * ANSWER + 500, 2 * ANSWER + 3_000, 2 * ANSWER + 7_000];

it.each(ENDS_MS)("what was asked early and answered counts once when the room ends after %i ms", async (ends_ms) => {
  const time = new VirtualTime();
  const verifier = verifierOf(time, () => 0.5, idle);
  const room = new LivingRoom(time, verifier, LATE_LOG);
  const four = { ...times, group_size: 4 };
  let before = 0;
  const rewards = await time.until(async () => {
    const early = ["a", "bb", "ccc"].map((code) => joined(room, sampleOf(code, four)));
    await time.sleep(ends_ms);
    before = verifier.generations;
    room.restart(false);
    await time.sleep(1_000);
    return Promise.all([...early, joined(room, sampleOf("dddd", four))]);
  }, 1);
  const logged = room.deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier);
  expect(logged).toMatchObject([{ generations: verifier.generations, prompt_tokens: 10 * verifier.generations }]);
  expect(rewards.map(({ early }) => early)).toEqual([before, before, before, before]);
  expect(before).toBeGreaterThanOrEqual(3);
});

it.each(ENDS_MS)("so does what was asked of a named group when it ends after %i ms", async (ends_ms) => {
  const time = new VirtualTime();
  const verifier = verifierOf(time, () => 0.5, idle);
  const group = new LivingRoom<NamedGroup>(time, verifier, LATE_LOG, NamedGroup);
  const about = { room: "r", group_id: "g", prompt: "p", language: null, run_id: null, step: null, key_name: null };
  const members = { ...about, request_id: "q", spec: times.spec, size: null, deadline_ms: 120_000 };
  const add = (position: number) =>
    group.ask((named) => named.add({ ...members, position, rollouts: [{ text: fenced("x".repeat(position + 1)) }] }));
  const closed = await time.until(async () => {
    for (const position of [0, 1, 2]) await add(position);
    await time.sleep(ends_ms);
    group.restart(false);
    await add(3);
    return group.ask((named) => named.close({ deadline_ms: 120_000 }));
  }, 1);
  const { generations } = verifier;
  expect(closed).toMatchObject({ reply: { groups: [{ early: 3, verifier: { generations } }] } });
  expect(group.deps.runLog.entries).toMatchObject([{ groups: [{ result: { verifier: { generations } } }] }]);
});

it("what was asked before equal requests are told apart is in its entry, also when the room ends meanwhile", async () => {
  const time = new VirtualTime();
  const verifier = verifierOf(time, () => 0.5, idle);
  const room = new LivingRoom(time, verifier, LATE_LOG);
  await time.until(async () => {
    // Such a schedule asks nothing early.
    const three = { ...times, group_size: 3, spec: SpecSchema.parse({ judge: { schedule: "swiss" } }) };
    const samples = ["a", "bb"].map((code) => sampleOf(code, three));
    const two = samples.map((sample) => joined(room, sample, 60_000));
    await time.sleep(1_000);
    const twin = joined(room, sampleOf("a", three), 60_000);
    // The verdicts are stored.
    while ([...room.values.list("journal.")].length === 0) await time.sleep(100);
    room.restart(false);
    await Promise.all([...two, twin]);
  }, 1);
  const charged = room.deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier.generations);
  expect(charged).toEqual([verifier.generations]);
});
