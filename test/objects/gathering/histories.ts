// Random histories of a prompt's samples in virtual time: arrivals, losses, cuts noticed late or never,
// retries, restarts of the room and of the gateway, equal and malformed members, later epochs. Must not hold
// any test.

import { createHash } from "node:crypto";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { Spec } from "../../../src/core/reward/spec.ts";
import type { GatheredReward, GatheredSample, GroupFacts } from "../../../src/objects/gathering/gathering.ts";
import { mayBeginEarly } from "../../../src/scoring/early.ts";
import { fenced } from "../../api/routes/harness.ts";
import type { VirtualTime } from "../../harness/virtual-time.ts";
import { Broken, LivingRoom, verifierOf } from "./living-room.ts";
import { sampleOf } from "./setup.ts";

type Random = () => number;

/** Judges' settings; whether they let a group's judging begin before it is complete. */
export const JUDGES: readonly { judge: object; early: boolean; facts?: GroupFacts }[] = [
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

/** One sample's way to its reward. Durations in ms. */
interface Client {
  text: string;
  comes_at: number;
  /** Its connection is cut so long after it has come, and its retry comes so long after that. */
  cut: { after: number; pause: number; noticed: number | null } | null;
}

/** The result of a history. */
interface Rewarded {
  client: Client;
  reward: GatheredReward;
  /** Its group might have been asked about before it was complete. */
  early: boolean;
}

export interface History {
  room: LivingRoom;
  spec: Spec;
  facts: GroupFacts | undefined;
  rewards: Rewarded[];
  /** Nothing is asked in vain and nothing is forgotten in it. */
  smooth: boolean;
}

const pick = <T>(random: Random, from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
const chance = (random: Random, share: number) => random() < share;

/** Where a client's samples go, and how long things take there. */
interface Sending {
  room: LivingRoom;
  random: Random;
  base: Partial<GatheredSample>;
}

/** A failure that asking again may mend; what cannot be read stays so. */
const mendable = ({ result: { error } }: GatheredReward) => error === "verifier_unavailable" || error === "partial";

/** Sends until it has a reward, or has been refused several times. */
async function rewarded(sending: Sending, client: Client): Promise<GatheredReward> {
  const { random } = sending;
  const { time } = sending.room;
  let { cut } = client;
  let failures = 0;
  for (let tries = 0; ; tries++) {
    if (tries > 100) throw new Error("asked too often");
    const reply = await attempt(sending, client.text, cut);
    if (reply === "cut") {
      await time.sleep(cut?.pause ?? 0);
      cut = null;
    } else if (reply === "gathering") await time.sleep(1_000);
    else if (mendable(reply) && failures++ < 4) await time.sleep(500 * random());
    else return reply;
  }
}

/** One request from its begin to the end of its reply, which takes a little to arrive. */
async function attempt(
  { room, random, base }: Sending,
  text: string,
  cut: Client["cut"],
): Promise<GatheredReward | "gathering" | "cut"> {
  const { time } = room;
  const body_hash = createHash("sha256")
    .update(JSON.stringify([text, base.room]))
    .digest("hex");
  const sample = sampleOf("", { ...base, body_hash, rollout: { text } });
  let open = true;
  const leave = () => room.leave(sample.waiter_id);
  const cutting =
    cut === null
      ? new Promise<"cut">(() => {})
      : time.sleep(cut.after).then(() => {
          open = false;
          if (cut.noticed !== null) void time.sleep(cut.noticed).then(leave);
          return "cut" as const;
        });
  const late = time.sleep(sample.answer_within_ms).then(() => "late" as const);
  const probe = async () => {
    await time.sleep(100);
    return open;
  };
  for (;;) {
    try {
      const reply = await Promise.race([room.join(sample, probe), cutting, late]);
      if (reply === "cut") return reply;
      if (reply === "late") {
        leave();
        return "gathering";
      }
      if ("fault" in reply) {
        if (reply.fault.code !== "gathering") throw new Error(reply.fault.code);
        return "gathering";
      }
      const arrived = time.sleep(20 * random()).then(() => reply.reward);
      return await Promise.race([arrived, cutting]);
    } catch (fault) {
      if (!(fault instanceof Broken)) throw fault;
      if (!open) return "cut";
      await time.sleep(5 + 50 * random());
    }
  }
}

const MALFORMED = "I do not know";

function textsOf(random: Random, count: number, epoch: number): string[] {
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const kind = random();
    if (kind < 0.1) texts.push(`${MALFORMED} ${i}`);
    // Equal candidates of bodies that differ; another client's body; a text of the epoch before.
    else if (kind < 0.2) texts.push(`${fenced("x = 1")}${" ".repeat(i)}`);
    else if (kind < 0.25 && i > 0) texts.push(pick(random, texts));
    else if (kind < 0.5 && epoch > 0) texts.push(fenced(`x = 0.${i}`));
    else texts.push(fenced(`x = ${epoch}.${i}`));
  }
  return texts;
}

function clientsOf(random: Random, count: number, spread: number, epoch: number): Client[] {
  return textsOf(random, count, epoch).map((text) => {
    const noticed = pick(random, [0, 0, 500 * random(), null]);
    const cut = { after: 4_000 * random(), pause: 3_000 * random(), noticed };
    return { text, comes_at: spread * random(), cut: chance(random, 0.2) ? cut : null };
  });
}

/** One to three epochs of a prompt's group, of which all but the lost samples come. */
export async function lived(time: VirtualTime, seed: number): Promise<History> {
  const random = createRandom(hashText("early", seed));
  const { judge, facts } = pick(random, JUDGES);
  const spec = SpecSchema.parse({ judge, reward: chance(random, 0.5) ? "win_rate" : "strength" });
  const failing = { early: pick(random, [0, 0.3]), whole: pick(random, [0, 0, 0.02]) };
  const verifier = verifierOf(time, random, { failing });
  const room = new LivingRoom(time, verifier, random);
  const spread = pick(random, [0, 500, 3_000, 10_000]);
  const rewards: Rewarded[] = [];
  let group_size: number | null | undefined;
  // Without the reported failures a judgement that goes on has another outcome.
  const forgets = failing.whole === 0;
  let smooth = failing.early + failing.whole === 0;
  const epochs = pick(random, [1, 1, 2, 3]);
  /** Epochs may begin before the last one is over. */
  const between = pick(random, [60_000, 60_000, 2_000]);
  const begun: Promise<void>[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    const clients = clientsOf(random, 3 + Math.floor(random() * 6), spread, epoch);
    const lost = chance(random, 0.2) ? 1 : 0;
    // It is in a room's name.
    if (group_size === undefined) group_size = chance(random, 0.15) ? null : clients.length + lost;
    const times = {
      window_ms: group_size === null ? 4_000 : 60_000,
      answer_within_ms: 120_000,
      retain_ms: 1_200_000,
      tries: chance(random, 0.3) ? 10 : 1,
    };
    const base = { ...times, group_size, spec, room: `0123456789abcdef-${seed}`, ...(facts && { facts }) };
    const ends = (most: number) =>
      Array.from({ length: most }, () => pick(random, [spread, spread + 4_000]) * random());
    const roomEnds = chance(random, 0.4) ? ends(3) : [];
    const gatewayEnds = chance(random, 0.2) ? ends(2) : [];
    // Equal requests are distinguished by a scoring that may ask more than the judgement after it.
    smooth &&= new Set(clients.map(({ text }) => text)).size === clients.length;
    smooth &&= roomEnds.length + gatewayEnds.length === 0;
    for (const at of roomEnds) void time.sleep(at).then(() => room.restart(forgets && chance(random, 0.5)));
    for (const at of gatewayEnds) void time.sleep(at).then(() => verifier.restart());
    const early = mayBeginEarly(spec, base.group_size, verifier);
    const asked = clients.map(async (client) => {
      await time.sleep(client.comes_at);
      rewards.push({ client, early, reward: await rewarded({ room, random, base }, client) });
    });
    begun.push(Promise.all(asked).then(() => undefined));
    if (between > 2_000) await begun.at(-1);
    await time.sleep(between);
  }
  await Promise.all(begun);
  // Longer than anybody may ask again.
  await time.sleep(1_800_000);
  return { room, spec, facts, rewards, smooth };
}
