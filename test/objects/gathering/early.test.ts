// The guarantee of what is asked before a group is complete: rewards and questions are those of the whole
// group at once, over random histories on the clock of test/harness/virtual-time.ts.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { GroupEntry } from "../../../src/ports/log-entry.ts";
import { mayBeginEarly } from "../../../src/scoring/early.ts";
import { type ScoredBatch, scoreBatch } from "../../../src/scoring/score-batch.ts";
import { inVirtualTime, VirtualTime } from "../../harness/virtual-time.ts";
import { type History, JUDGES, lived } from "./histories.ts";
import { LivingRoom, verifierOf } from "./living-room.ts";
import { never, sampleOf } from "./setup.ts";

const HISTORIES = Number(process.env.EARLY_HISTORIES ?? 200);
const SEED = Number(process.env.EARLY_SEED ?? 1);
/** Seeds a test: ten thousand take minutes. */
const PART = 1_000;
const PARTS = Array.from({ length: Math.ceil(HISTORIES / PART) }, (_, i) => {
  const from = SEED + i * PART;
  return { from, to: Math.min(from + PART, SEED + HISTORIES) };
});

const shownIn = (groups: ScoredBatch["entry"]["groups"]) =>
  groups
    .flatMap(({ verdicts }) => verdicts)
    .map(({ comparison, order, sample, letter, status, error }) =>
      JSON.stringify([comparison, order, sample, letter, status, error]),
    )
    .sort();

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Whether its verifier left none of its questions without an answer. */
const isAnswered = ({ verdicts }: GroupEntry) => verdicts.every(({ error }) => error === null);

/** Each group of the log against the same members scored at once. */
async function expectAsAtOnce({ room, spec, facts, rewards }: History): Promise<void> {
  const texts = new Map(rewards.map(({ client: { text } }) => [sha256(text), text]));
  const judged = new Set<string | null>();
  for (const { request_id, groups } of room.deps.runLog.entries) {
    const [logged] = groups as [GroupEntry];
    const rollouts = logged.rollouts.map(({ text_hash }) => ({ text: texts.get(text_hash) as string }));
    const deps = { verifier: verifierOf(room.time, () => 0), clock: room.deps.clock };
    const request = { spec, deadline_ms: 60_000, groups: [{ prompt: "p", ...facts, rollouts }] };
    const { reply, entry } = await scoreBatch(deps, { request, spec, started_ms: room.time.now, signal: never() });
    const whole = reply.groups[0] as (typeof reply.groups)[number];
    for (const { client, reward } of rewards) {
      if (reward.request_id !== request_id || reward.result.reward === null) continue;
      const places = rollouts.flatMap(({ text }, i) => (text === client.text ? [i] : []));
      expect(places.map((i) => logged.result.rollouts[i])).toContainEqual(reward.result);
    }
    const isFirst = !judged.has(logged.result.group_id);
    judged.add(logged.result.group_id);
    if (!isAnswered(logged)) continue;
    expect(logged.result.rollouts).toEqual(whole.rollouts);
    // The questions of an earlier judgement of the group are at its cost.
    if (isFirst) expect({ ...logged.result.verifier, latency_ms: 0 }).toEqual({ ...whole.verifier, latency_ms: 0 });
    expect(shownIn(groups)).toEqual(shownIn(entry.groups));
  }
}

/** Each client has one reward of the log; a group is logged again for more members or for what failed. */
function expectLoggedOnce({ room, rewards, smooth }: History): void {
  const { entries } = room.deps.runLog;
  expect(room.faults).toEqual([]);
  for (const { reward } of rewards) {
    // One beside its equal, whose text has no reward, is refused before its group is judged.
    if (reward.result.reward === null) continue;
    expect(entries.map(({ request_id }) => request_id)).toContain(reward.request_id);
    expect(reward.logged).toBe(true);
  }
  const byGroup = Map.groupBy(
    entries.map(({ groups: [group] }) => group as GroupEntry),
    ({ result }) => result.group_id,
  );
  for (const logged of byGroup.values()) {
    for (const [i, before] of logged.slice(0, -1).entries()) {
      const failed = before.result.rollouts.some(({ reward }) => reward === null);
      const after = logged[i + 1] as GroupEntry;
      if (!failed) expect(after.rollouts.length).toBeGreaterThan(before.rollouts.length);
      expect(after.rollouts.slice(0, before.rollouts.length)).toEqual(before.rollouts);
    }
  }
  const charged = [...byGroup.values()].flat().reduce((sum, { result }) => sum + result.verifier.generations, 0);
  const { generations, protocol } = room.deps.verifier;
  expect(charged).toBeLessThanOrEqual(generations);
  const early = rewards.every((reward) => reward.early);
  if (smooth && early && protocol !== "verify") expect(charged).toBe(generations);
}

describe("a group that is asked about before it is complete", () => {
  it.each(PARTS)(
    "has the questions and the rewards of the whole group at once, whatever came when: %o",
    async (part) => {
      const { from, to } = part;
      let asked = 0;
      for (let seed = from; seed < to; seed++) {
        try {
          const history = await inVirtualTime((time) => lived(time, seed));
          await history.room.time.until(() => expectAsAtOnce(history), 1);
          expectLoggedOnce(history);
          for (const { reward, early } of history.rewards) {
            if (!early) expect(reward.early).toBe(0);
            asked += reward.early ?? 0;
          }
        } catch (fault) {
          throw new Error(`history ${seed}: EARLY_SEED=${seed} EARLY_HISTORIES=1`, { cause: fault });
        }
      }
      // One alone may have nothing to ask early.
      if (to - from > 100) expect(asked).toBeGreaterThan(to - from);
    },
  );
});

it("begins early where the schedule asks the same of some as of all, and nowhere else", () => {
  const verifier = verifierOf(new VirtualTime(), () => 0);
  for (const { judge, early } of JUDGES) expect(mayBeginEarly(SpecSchema.parse({ judge }), 8, verifier)).toBe(early);
});

it.each([{}, { samples: { min: 1, max: 4, confidence: 0.9 } }])(
  "asks each question once, those of the last member alone when it has come: %j",
  async (judge) => {
    const spec = SpecSchema.parse({ judge });
    const time = new VirtualTime();
    const verifier = verifierOf(time, () => 0.9);
    const room = new LivingRoom(time, verifier, () => 0);
    const asked: number[] = [];
    const rewards = await time.until(() =>
      Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          await time.sleep(5_000 * i);
          asked.push(verifier.generations);
          const base = { spec, group_size: 8, answer_within_ms: 120_000, window_ms: 60_000 };
          const reply = await room.join(sampleOf(`x = ${i}`, base), null);
          if ("fault" in reply) throw new Error(reply.fault.code);
          return reply.reward;
        }),
      ),
    );
    const generations = room.deps.runLog.entries[0]?.groups[0]?.result.verifier.generations;
    expect(verifier.generations).toBe(generations);
    expect(asked.slice(0, 3)).toEqual([0, 0, asked[2]]);
    expect(asked[7]).toBeGreaterThanOrEqual(21);
    expect(rewards.map(({ early }) => early)).toEqual(Array(8).fill(asked[7]));
  },
);
