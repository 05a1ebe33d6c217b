// A simulated Kritai for trainers in virtual time: real rooms over storage that outlives them, a judge whose
// rewards are known, restarts.

import type { RolloutResult } from "../../src/core/contract/group-reply.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { hashText } from "../../src/core/math/random.ts";
import type { ClientProbe, GatheredSample } from "../../src/objects/gathering/gathering.ts";
import { groupStorage } from "../../src/objects/gathering/group-storage.ts";
import type { GroupWork } from "../../src/objects/gathering/judge-group.ts";
import type { RoomReply } from "../../src/objects/gathering/reply.ts";
import { Room } from "../../src/objects/gathering/room.ts";
import { createRoomStore, type RoomStore } from "../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../src/objects/storage/memory.ts";
import { Metrics } from "../../src/platform/counters.ts";
import type { VirtualTime } from "../harness/virtual-time.ts";

/** A text's worth, the same for ever: the share of the others that are worth less, ties a half. */
export function rewardAmong(text: string, group: readonly string[]): number {
  const worth = (one: string) => hashText(one)[0];
  const own = worth(text);
  const won = group.map((other) => (worth(other) < own ? 1 : worth(other) === own ? 0.5 : 0));
  return (won.reduce<number>((sum, share) => sum + share, 0) - 0.5) / (group.length - 1);
}

interface Life {
  alive: boolean;
  room: Room;
  ended: Promise<never>;
  end(): void;
}

/** The call to a room broke, for the room has begun another life. */
export class Broken extends Error {}

export class SimulatedServer {
  readonly #stores = new Map<string, RoomStore>();
  readonly #lives = new Map<string, Life>();
  readonly #time: VirtualTime;
  readonly #judgeMs: () => number;
  #ids = 0;
  /** For each judgement that asked: when, of which room, how many members, why. */
  readonly judgements: { at: number; room: string; members: number }[] = [];

  constructor(time: VirtualTime, judgeMs: () => number) {
    this.#time = time;
    this.#judgeMs = judgeMs;
  }

  /** As the Durable Object does it; rejects with `Broken` when the room's life ends. */
  join(sample: GatheredSample, probe: ClientProbe): Promise<RoomReply> {
    const life = this.#lives.get(sample.room) ?? this.#begin(sample.room);
    return Promise.race([life.room.join(sample, probe), life.ended]);
  }

  leave(room: string, waiterId: string): void {
    this.#lives.get(room)?.room.leave(waiterId);
  }

  rooms(): string[] {
    return [...this.#lives.keys()];
  }

  /** The room's object ends, and begins again from what it stored. */
  restart(name: string): void {
    this.#end(name);
    this.#begin(name);
  }

  restartAll(): void {
    for (const name of this.rooms()) this.restart(name);
  }

  #end(name: string): void {
    this.#lives.get(name)?.end();
    this.#lives.delete(name);
  }

  #begin(name: string): Life {
    const life = { alive: true } as Life;
    const ending = Promise.withResolvers<never>();
    ending.promise.catch(() => undefined);
    life.ended = ending.promise;
    life.end = () => {
      life.alive = false;
      ending.reject(new Broken());
    };
    const { clock } = this.#time;
    const values = () => ({ ...memoryValues(clock, () => undefined), wakeAt: () => undefined });
    const kept = this.#stores.get(name) ?? createRoomStore(values(), clock);
    this.#stores.set(name, kept);
    // A dead room's actions reach nothing.
    const store = new Proxy(kept, {
      get: (target, key) => {
        const method = target[key as keyof RoomStore] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => (life.alive ? method(...given) : null);
      },
    });
    const judge = async (work: GroupWork) => {
      await this.#time.sleep(this.#judgeMs());
      if (!life.alive) return new Promise<never>(() => {});
      if (work.logs) this.judgements.push({ at: this.#time.now, room: name, members: work.members.length });
      return { reply: replyOf(work), retry_after_ms: null };
    };
    const nextRequestId = () => `request-${this.#ids++}`;
    const report = (line: object) => {
      if (!life.alive) return;
      throw new Error(JSON.stringify(line));
    };
    this.#lives.set(name, life);
    const storage = groupStorage({ keyLimits: null, metrics: new Metrics() });
    life.room = new Room({ store, judge, timers: clock, nextRequestId, report, storage });
    return life;
  }
}

function replyOf({ request_id, members }: GroupWork): RewardsReply {
  const texts = members.map(({ rollout }) => rollout.text);
  const results = texts.map((text): Partial<RolloutResult> => {
    if (texts.length === 1) return { reward: null, error: "group_too_small" };
    return { reward: rewardAmong(text, texts), error: null };
  });
  const reply = { request_id, warnings: [], spec_hash: "", logged: true, groups: [{ rollouts: results, metrics: {} }] };
  return reply as unknown as RewardsReply;
}
