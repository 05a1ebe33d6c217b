// The guarantees of a group that its caller names: whatever came when, and however often the object was
// restarted, its rewards are those of the whole group at once.

import { describe, expect, it } from "vitest";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { NamedMembers } from "../../../src/objects/gathering/gathering.ts";
import { NamedGroup } from "../../../src/objects/gathering/named-group.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { fenced } from "../../api/routes/harness.ts";
import { inVirtualTime, VirtualTime } from "../../harness/virtual-time.ts";
import { JUDGES } from "./histories.ts";
import { Broken, LivingRoom, verifierOf } from "./living-room.ts";
import { never } from "./setup.ts";

const HISTORIES = Number(process.env.NAMED_HISTORIES ?? 150);
const SEED = Number(process.env.NAMED_SEED ?? 1);

type Random = () => number;
type Group = LivingRoom<NamedGroup>;
const pick = <T>(random: Random, from: readonly T[]) => from[Math.floor(random() * from.length)] as T;

const membersOf = (more: Partial<NamedMembers>): NamedMembers => ({
  ...{ room: "0123456789abcdef", group_id: "mine", request_id: "added", prompt: "p", language: null },
  ...{ spec: SpecSchema.parse({}), run_id: "run", step: 3, key_name: "key" },
  ...{ size: null, deadline_ms: 120_000, position: 0, rollouts: [] },
  ...more,
});

/** As a client whose connection broke asks again. */
async function persistently<T>(group: Group, random: Random, call: (named: NamedGroup) => T): Promise<Awaited<T>> {
  for (;;) {
    try {
      return await group.ask(call);
    } catch (fault) {
      if (!(fault instanceof Broken)) throw fault;
      await group.time.sleep(5 + 50 * random());
    }
  }
}

async function added(group: Group, random: Random, members: NamedMembers) {
  const reply = await persistently(group, random, (named) => named.add(members));
  if ("fault" in reply) throw new Error(reply.fault.code);
  return reply.added;
}

/** Closed until it lacks nothing that may come. */
async function closed(group: Group, random: Random) {
  for (let tries = 0; tries < 50; tries++) {
    const reply = await persistently(group, random, (named) => named.close({ deadline_ms: 120_000 }));
    if ("fault" in reply) throw new Error(reply.fault.code);
    if (reply.reply.groups[0]?.rollouts.every(({ retryable }) => retryable !== true)) return reply.reply;
  }
  throw new Error("closed too often");
}

function textsOf(random: Random, count: number): string[] {
  const equal = fenced("x = 0");
  return Array.from({ length: count }, (_, i) =>
    pick(random, [fenced(`x = ${i}`), fenced(`x = ${i}`), equal, "no code"]),
  );
}

/** A group's rollouts, each added once or twice in any order, between restarts; then the close. */
async function lived(time: VirtualTime, seed: number) {
  const random = createRandom(hashText("named", seed));
  const { judge, facts } = pick(random, JUDGES);
  const spec = SpecSchema.parse({ judge, reward: pick(random, ["win_rate", "strength"]) });
  const verifier = verifierOf(time, random, {
    failing: { early: pick(random, [0, 0.3]), whole: pick(random, [0, 0.05]) },
  });
  const group: Group = new LivingRoom(time, verifier, random, NamedGroup);
  const texts = textsOf(random, 2 + Math.floor(random() * 7));
  // Its last member may never come, and its size may be left out.
  const size = pick(random, [texts.length, texts.length, texts.length + 1, null]);
  const shared = { spec, size, ...(facts && { facts }) };
  const spread = pick(random, [0, 3_000, 10_000]);
  for (let i = pick(random, [0, 0, 1, 3]); i > 0; i--)
    void time.sleep(spread * 1.5 * random()).then(() => group.restart(random() < 0.3));
  await Promise.all(
    texts.flatMap((text, position) =>
      Array.from({ length: pick(random, [1, 1, 2]) }, async () => {
        await time.sleep(spread * random());
        await added(group, random, membersOf({ ...shared, position, rollouts: [{ text }] }));
      }),
    ),
  );
  await time.sleep(pick(random, [0, 500, 5_000]));
  const reply = await closed(group, random);
  const again = await closed(group, random);
  return { group, spec, facts, texts, size, reply, again };
}

async function expectAsAtOnce({ group, spec, facts, texts, size, reply, again }: Awaited<ReturnType<typeof lived>>) {
  const deps = { verifier: verifierOf(group.time, () => 0), clock: group.deps.clock };
  const request = {
    spec,
    deadline_ms: 60_000,
    groups: [{ prompt: "p", ...facts, rollouts: texts.map((text) => ({ text })) }],
  };
  const whole = await scoreBatch(deps, { request, spec, started_ms: group.time.now, signal: never() });
  const [{ positions, early, rollouts, win_counts, points, group_id }] = reply.groups as [
    (typeof reply.groups)[number],
  ];
  expect(again).toEqual(reply);
  expect(group.faults).toEqual([]);
  // Where an answer failed and a reward was had without it, another time may come to another.
  if (reply.groups[0]?.verifier.failed !== 0) return 0;
  expect(reply.rewards).toEqual(whole.reply.rewards);
  expect({ win_counts, points }).toEqual({
    win_counts: whole.reply.groups[0]?.win_counts,
    points: whole.reply.groups[0]?.points,
  });
  expect(rollouts.map(({ duplicate_of }) => duplicate_of)).toEqual(
    whole.reply.groups[0]?.rollouts.map(({ duplicate_of }) => duplicate_of),
  );
  expect({ positions, group_id }).toEqual({ positions: texts.map((_, i) => i), group_id: "mine" });
  const incomplete = size !== null && size > texts.length ? [`group_incomplete: ${texts.length} of ${size}`] : [];
  expect(group.deps.runLog.entries.at(-1)?.warnings.filter((text) => text.startsWith("group_"))).toEqual(incomplete);
  return early ?? 0;
}

describe("a group that is named, filled and closed", () => {
  it("has the rewards of the whole group at once", async () => {
    let early = 0;
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      try {
        const history = await inVirtualTime((time) => lived(time, seed));
        early += await history.group.time.until(() => expectAsAtOnce(history), 1);
      } catch (fault) {
        throw new Error(`history ${seed}: NAMED_SEED=${seed} NAMED_HISTORIES=1`, { cause: fault });
      }
    }
    if (HISTORIES > 100) expect(early).toBeGreaterThan(HISTORIES);
  });

  it("is judged when its size is reached, though nobody closes it", async () => {
    const time = new VirtualTime();
    const group: Group = new LivingRoom(
      time,
      verifierOf(time, () => 0.5),
      () => 0,
      NamedGroup,
    );
    const rollouts = ["a", "b"].map((code) => ({ text: fenced(code) }));
    const lives = async () => {
      expect(await added(group, () => 0, membersOf({ size: 2, rollouts: rollouts.slice(0, 1) }))).toMatchObject({
        state: "gathering",
        members: 1,
      });
      const second = membersOf({ size: 2, position: 1, rollouts: rollouts.slice(1) });
      expect(await added(group, () => 0, second)).toMatchObject({ state: "judging", members: 2 });
      await time.sleep(5_000);
      expect(group.deps.runLog.entries).toHaveLength(1);
      expect(await added(group, () => 0, second)).toMatchObject({ state: "judged", members: 2 });
    };
    await time.until(lives, 1);
  });

  it("is forgotten an hour after anybody asked for it", async () => {
    const time = new VirtualTime();
    const group: Group = new LivingRoom(
      time,
      verifierOf(time, () => 0.5),
      () => 0,
      NamedGroup,
    );
    const lives = async () => {
      await added(group, () => 0, membersOf({ rollouts: [{ text: fenced("a") }, { text: fenced("b") }] }));
      await time.sleep(3_500_000);
      await closed(group, () => 0);
      await time.sleep(3_500_000);
      expect((await closed(group, () => 0)).rewards).toHaveLength(1);
      await time.sleep(3_700_000);
      const late = await group.ask((named) => named.close({ deadline_ms: 1_000 }));
      expect(late).toMatchObject({ fault: { code: "not_found" } });
      expect([...group.values.list("")]).toEqual([]);
    };
    await time.until(lives, 1);
  });
});
