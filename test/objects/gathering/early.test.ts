// Owns the guarantee of what is asked before a group is complete: rewards and questions are those of
// the whole group at once, over random histories on the clock of test/harness/virtual-time.ts.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import type { AnySpec } from "../../../src/core/reward/compiled-spec.ts";
import { SpecSchema } from "../../../src/core/reward/flat-spec.ts";
import type { GatheredReward, GatheredSample, GroupFacts } from "../../../src/objects/gathering/gathering.ts";
import { pause } from "../../../src/platform/waiting.ts";
import { mayBeginEarly } from "../../../src/scoring/early.ts";
import { type ScoredBatch, scoreBatch } from "../../../src/scoring/score-batch.ts";
import { fenced } from "../../api/routes/harness.ts";
import { Broken, inVirtualTime, LivingRoom, verifierOf } from "./living-room.ts";
import { never, sampleOf } from "./setup.ts";

const HISTORIES = Number(process.env.EARLY_HISTORIES ?? 200);
const SEED = Number(process.env.EARLY_SEED ?? 1);

type Random = () => number;

/** By name, a judge's settings; whether they let a group's judging begin before it is complete. */
const JUDGES: readonly { judge: object; early: boolean; facts?: GroupFacts }[] = [
  { judge: {}, early: true },
  { judge: { both_orders: true, reask: 1 }, early: true },
  { judge: { both_orders: "when_close", samples: { min: 1, max: 4, confidence: 0.9 } }, early: true },
  { judge: { samples: 3 }, early: true },
  { judge: { schedule: { name: "circular", degree: 4 } }, early: true },
  { judge: { schedule: { name: "anchored", anchor: "reference" } }, early: true, facts: { reference: fenced("ref") } },
  { judge: { schedule: "circular" }, early: false },
  { judge: { schedule: "anchored" }, early: false },
  { judge: { schedule: "swiss" }, early: false },
  { judge: { schedule: "knockout" }, early: false },
  { judge: { budget: { ratio: 0.5 } }, early: false },
];

interface Client {
  text: string;
  comes_at: number;
  /** Its connection is cut so long after it has come, and its retry comes so long after that. */
  cut: { after: number; pause: number } | null;
}

/** Sends until it has a reward, or has been told that there is none. */
async function rewarded(room: LivingRoom, client: Client, base: Partial<GatheredSample>): Promise<GatheredReward> {
  let { cut } = client;
  const body_hash = createHash("sha256")
    .update(JSON.stringify([client.text, base.room]))
    .digest("hex");
  for (let sample = sampleOf("", { ...base, body_hash, rollout: { text: client.text } }), tries = 0; ; tries++) {
    if (tries > 60) throw new Error("asked too often");
    const again = () => sampleOf("", { ...base, body_hash, rollout: { text: client.text } });
    const cutting = cut === null ? new Promise<null>(() => {}) : pause(cut.after).then(() => null);
    try {
      const reply = await Promise.race([room.join(sample), cutting]);
      if (reply === null) {
        room.leave(sample.waiter_id);
        await pause(cut?.pause ?? 0);
        cut = null;
        sample = again();
        continue;
      }
      if ("reward" in reply) return reply.reward;
      if (reply.fault.code !== "gathering") throw new Error(reply.fault.code);
      await pause(1_000);
      sample = again();
    } catch (fault) {
      if (!(fault instanceof Broken)) throw fault;
      await pause(5);
    }
  }
}

const MALFORMED = "I do not know";

function clientsOf(random: Random, count: number, spread: number, epoch: number): Client[] {
  const texts = Array.from({ length: count }, (_, i) => {
    const kind = random();
    if (kind < 0.1) return `${MALFORMED} ${i}`;
    // Equal candidates of bodies that differ; or a text of the epoch before.
    if (kind < 0.25) return `${fenced("x = 1")}${" ".repeat(i)}`;
    return epoch > 0 && kind < 0.5 ? fenced(`x = 0.${i}`) : fenced(`x = ${epoch}.${i}`);
  });
  return [...new Set(texts)].map((text) => ({
    text,
    comes_at: spread * random(),
    cut: random() < 0.2 ? { after: 2_000 * random(), pause: 3_000 * random() } : null,
  }));
}

interface History {
  room: LivingRoom;
  spec: AnySpec;
  facts: GroupFacts | undefined;
  rewards: { client: Client; reward: GatheredReward; early: boolean }[];
}

/** One or two epochs of a prompt's group, of which all but the lost samples come. */
async function lived(seed: number): Promise<History> {
  const random = createRandom(hashText("early", seed));
  const { judge, facts } = JUDGES[Math.floor(random() * JUDGES.length)] as (typeof JUDGES)[number];
  const spec = SpecSchema.parse({ judge, reward: random() < 0.5 ? "win_rate" : "strength" });
  const room = new LivingRoom(verifierOf(random, random() < 0.5 ? 0 : 0.3));
  const spread = [0, 500, 3_000, 10_000][Math.floor(random() * 4)] as number;
  const rewards: History["rewards"] = [];
  let group_size: number | null | undefined;
  for (let epoch = 0; epoch < (random() < 0.3 ? 2 : 1); epoch++) {
    const clients = clientsOf(random, 3 + Math.floor(random() * 6), spread, epoch);
    const lost = random() < 0.2 ? 1 : 0;
    // It is in a room's name.
    if (group_size === undefined) group_size = random() < 0.15 ? null : clients.length + lost;
    const tries = random() < 0.3 ? 10 : 1;
    const times = {
      window_ms: group_size === null ? 4_000 : 60_000,
      answer_within_ms: 120_000,
      retain_ms: 1_200_000,
      tries,
    };
    const base = { ...times, group_size, spec, room: `0123456789abcdef-${seed}`, ...(facts && { facts }) };
    const restarts = random() < 0.3 ? [spread * random(), spread + 2_000 * random()] : [];
    for (const at of restarts) void pause(at).then(() => room.restart(random() < 0.5));
    const asked = clients.map(async (client) => {
      await pause(client.comes_at);
      const early = mayBeginEarly(spec, base.group_size, room.deps.verifier);
      rewards.push({ client, early, reward: await rewarded(room, client, base) });
    });
    await Promise.all(asked);
    await pause(60_000);
  }
  return { room, spec, facts, rewards };
}

const shownIn = (groups: ScoredBatch["entry"]["groups"]) =>
  groups
    .flatMap(({ verdicts }) => verdicts)
    .map(({ comparison, order, sample, letter, status, error }) =>
      JSON.stringify([comparison, order, sample, letter, status, error]),
    )
    .sort();

/** Each group of the log against the same members scored at once. */
async function expectAsAtOnce({ room, spec, facts, rewards }: History): Promise<void> {
  const texts = new Map(rewards.map(({ client: { text } }) => [createHash("sha256").update(text).digest("hex"), text]));
  const judged = new Set<string | null>();
  for (const { request_id, groups } of room.deps.runLog.entries) {
    const [logged] = groups as [(typeof groups)[number]];
    const rollouts = logged.rollouts.map(({ text_hash }) => ({ text: texts.get(text_hash) as string }));
    const deps = { verifier: verifierOf(() => 0, 0), clock: room.deps.clock };
    const request = { spec, deadline_ms: 60_000, groups: [{ prompt: "p", ...facts, rollouts }] };
    const { reply, entry } = await scoreBatch(deps, { request, spec, started_ms: Date.now(), signal: never() });
    const whole = reply.groups[0] as (typeof reply.groups)[number];
    expect(logged.result.rollouts).toEqual(whole.rollouts);
    // What a judgement before late members asked is at its cost.
    if (!judged.has(logged.result.group_id)) {
      expect({ ...logged.result.verifier, latency_ms: 0 }).toEqual({ ...whole.verifier, latency_ms: 0 });
    }
    judged.add(logged.result.group_id);
    expect(shownIn(groups)).toEqual(shownIn(entry.groups));
    for (const { client, reward } of rewards) {
      if (reward.request_id !== request_id) continue;
      expect(reward.result).toEqual(whole.rollouts[rollouts.findIndex(({ text }) => text === client.text)]);
    }
  }
}

beforeAll(() => {
  // As at once as nothing else is: its thread knows no virtual time.
  const digest = async (_: unknown, bytes: BufferSource) =>
    new Uint8Array(
      createHash("sha256")
        .update(bytes as Uint8Array)
        .digest(),
    ).buffer;
  vi.spyOn(crypto.subtle, "digest").mockImplementation(digest as typeof crypto.subtle.digest);
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe("a group that is asked about before it is complete", () => {
  it(`has the questions and the rewards of the whole group at once, whatever came when (${HISTORIES} histories)`, async () => {
    let asked = 0;
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      try {
        const history = await inVirtualTime(() => lived(seed));
        await inVirtualTime(() => expectAsAtOnce(history));
        for (const { reward, early } of history.rewards) {
          if (!early) expect(reward.early).toBe(0);
          asked += reward.early ?? 0;
        }
      } catch (fault) {
        throw new Error(`history ${seed}: EARLY_SEED=${seed} EARLY_HISTORIES=1`, { cause: fault });
      }
    }
    expect(asked).toBeGreaterThan(HISTORIES);
  });
});

it("begins early where the schedule asks the same of some as of all, and nowhere else", () => {
  const verifier = verifierOf(() => 0, 0);
  for (const { judge, early } of JUDGES) expect(mayBeginEarly(SpecSchema.parse({ judge }), 8, verifier)).toBe(early);
});

it.each([{}, { samples: { min: 1, max: 4, confidence: 0.9 } }])(
  "asks each question once, those of the last member alone when it has come: %j",
  async (judge) => {
    const spec = SpecSchema.parse({ judge });
    const verifier = verifierOf(() => 0.9, 0);
    const room = new LivingRoom(verifier);
    const texts = Array.from({ length: 8 }, (_, i) => fenced(`x = ${i}`));
    const asked: number[] = [];
    const rewards = await inVirtualTime(() =>
      Promise.all(
        texts.map(async (text, i) => {
          await pause(5_000 * i);
          asked.push(verifier.generations);
          const base = { spec, group_size: 8, answer_within_ms: 120_000, window_ms: 60_000 };
          return rewarded(room, { text, comes_at: 0, cut: null }, base);
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
