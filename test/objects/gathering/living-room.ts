// Helpers shared by tests of rooms in virtual time: a room over storage that outlives it, and a verifier of
// certain answers. Must not hold any test.

import { hashText } from "../../../src/core/math/random.ts";
import type { Generation } from "../../../src/core/wire/questions.ts";
import type { ClientProbe, GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import { groupStorage } from "../../../src/objects/gathering/group-storage.ts";
import { createEarlyJudge, createGroupJudge } from "../../../src/objects/gathering/judge-group.ts";
import type { NamedGroup } from "../../../src/objects/gathering/named-group.ts";
import { Room } from "../../../src/objects/gathering/room.ts";
import type { RoomParts } from "../../../src/objects/gathering/room-listing.ts";
import { createRoomStore, type RoomStore } from "../../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../../../src/ports/ports.ts";
import { completeJudging } from "../../../src/scoring/complete-judging.ts";
import { fakeRunLog } from "../../harness/fakes.ts";
import type { VirtualTime } from "../../harness/virtual-time.ts";

/** A verifier's troubles. */
interface Troubles {
  /** The failing shares of early questions, and of those of a judgement. */
  failing: { early: number; whole: number };
}

interface LivingVerifier extends Verifier {
  /** Asked of it so far. */
  generations: number;
  /** What is asked early and not answered fails, and the rest takes as long again. */
  restart(): void;
}

/** Says the same of the same texts in the same order for ever. */
export function verifierOf(
  time: VirtualTime,
  random: () => number,
  { failing }: Troubles = { failing: { early: 0, whole: 0 } },
): LivingVerifier {
  let restarted = Promise.withResolvers<void>();
  function answer(shown: readonly string[], sample: number): Partial<Generation> {
    const [lane] = hashText("verdict", ...shown, sample);
    const letter = lane % 10 === 0 ? "no idea" : `\\boxed{${lane % 2 === 0 ? "A" : "B"}}`;
    return { answer: letter, error: null, finish_reason: "stop" };
  }
  async function ask(call: VerifierCall, shown: readonly string[], sample: number): Promise<Partial<Generation>> {
    const nothing = { answer: null, finish_reason: null } as const;
    const isEarly = (call.priority ?? 0) > 0;
    const aborted = Promise.withResolvers<void>();
    call.signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    for (let cut = true; cut && !call.signal.aborted; ) {
      const working = time.sleep(20 + 1_500 * random()).then(() => false);
      const cutting = restarted.promise.then(() => true);
      cut = await Promise.race([working, cutting, aborted.promise.then(() => false)]);
      if (cut && isEarly) return { ...nothing, error: "verifier_unavailable" };
    }
    if (call.signal.aborted) return { ...nothing, error: call.signal.reason };
    const fails = random() < (isEarly ? failing.early : failing.whole);
    return fails ? { ...nothing, error: "verifier_unavailable" } : answer(shown, sample);
  }
  const verifier = {
    generations: 0,
    restart() {
      restarted.resolve();
      restarted = Promise.withResolvers();
    },
    protocol: random() < 0.5 ? "verify" : "openai",
    generations_max: 8_192,
    check: async () => ({ ok: true, latency_ms: 0 }),
    session: (call: VerifierCall): VerifierSession => ({
      stats: { headers_waiting_max: 1, in_flight_max: 1, requests: 0, retries: 0 },
      async judge(job, sink) {
        const asked = job.questions.flatMap(({ id, shown, samples, first_sample = 0 }) =>
          Array.from({ length: samples }, async (_, k) => {
            const sample = first_sample + k;
            verifier.generations++;
            const texts = shown.map((i) => job.candidates[i] as string);
            const said = await ask(call, texts, sample);
            const cost = { prompt_tokens: 10, completion_tokens: 2, latency_ms: 1 };
            sink({ question: id, sample, thinking: "none", ...cost, ...said } as Generation);
          }),
        );
        await Promise.all(asked);
      },
    }),
  };
  return verifier;
}

/** The call to a room broke, for the room has begun another life. */
export class Broken extends Error {}

type AnyRoom = Room | NamedGroup;

interface RoomLife<R> {
  alive: boolean;
  room: R;
  ended: PromiseWithResolvers<never>;
}

/** One room over storage that outlives it; what was not stored at its end is lost. */
export class LivingRoom<R extends AnyRoom = Room> {
  readonly time: VirtualTime;
  readonly values;
  readonly deps;
  /** Reports, and entries of one id that are not the same. */
  readonly faults: object[] = [];
  readonly #random: () => number;
  readonly #kind: new (
    parts: RoomParts,
  ) => R;
  #ids = 0;
  #life: RoomLife<R>;

  /** @param random how long the run log takes, and whether it has what a life sent at its end */
  constructor(
    time: VirtualTime,
    verifier: LivingVerifier,
    random: () => number,
    kind: new (parts: RoomParts) => R = Room as never,
  ) {
    this.time = time;
    this.#random = random;
    this.#kind = kind;
    this.values = memoryValues(time.clock, () => void this.#alarm());
    const { clock } = time;
    const report = (line: Record<string, unknown>) => void this.faults.push(line);
    const parts = { verifier, runLog: fakeRunLog(), clock, timers: clock, report };
    this.deps = { ...completeJudging(parts), ...parts };
    this.#life = this.#begin();
  }

  restart(forgetsVerdicts: boolean): void {
    this.#life.alive = false;
    this.#life.ended.reject(new Broken());
    if (forgetsVerdicts) for (const [name] of [...this.values.list("journal.")]) this.values.delete(name);
    this.#life = this.#begin();
  }

  /** The answer of its life now, unless that ends before. */
  ask<T>(call: (room: R) => T): Promise<Awaited<T>> {
    return Promise.race([call(this.#life.room), this.#life.ended.promise]) as Promise<Awaited<T>>;
  }

  join(this: LivingRoom, sample: GatheredSample, probe: ClientProbe | null) {
    return this.ask((room) => room.join(sample, probe));
  }

  leave(this: LivingRoom, waiterId: string): void {
    this.#life.room.leave(waiterId);
  }

  /** As the Durable Object does it. */
  async #alarm(): Promise<void> {
    const life = this.#life;
    await life.room.wake();
    if (!life.alive || !life.room.isEmpty) return;
    await this.values.clear();
    this.#life = this.#begin();
  }

  /** An entry sent before a life ended arrives or does not. */
  async #append(life: RoomLife<R>, entry: LogEntry): Promise<void> {
    if (!life.alive) return new Promise(() => {});
    await this.time.sleep(50 * this.#random());
    if (!life.alive && this.#random() < 0.5) return;
    const before = this.deps.runLog.entries.find(({ request_id }) => request_id === entry.request_id);
    const outcome = ({ groups }: LogEntry) => JSON.stringify(groups.map(({ result }) => result.rollouts));
    if (before !== undefined && outcome(before) !== outcome(entry))
      this.faults.push({ before: outcome(before), after: outcome(entry) });
    await this.deps.runLog.append(entry);
    await this.time.sleep(50 * this.#random());
  }

  #begin(): RoomLife<R> {
    const life = { alive: true, ended: Promise.withResolvers() } as RoomLife<R>;
    life.ended.promise.catch(() => undefined);
    const kept = createRoomStore(this.values, this.time.clock);
    const store = new Proxy(kept, {
      get: (target, key) => {
        const method = target[key as keyof RoomStore] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => (life.alive ? method(...given) : null);
      },
    });
    const whileAlive = async <T>(work: Promise<T>): Promise<T> => {
      const done = await work;
      return life.alive ? done : new Promise(() => {});
    };
    const runLog = { ...this.deps.runLog, append: (entry: LogEntry) => this.#append(life, entry) };
    const report = (line: Record<string, unknown>) => life.alive && this.deps.report(line);
    const judge = createGroupJudge({ ...this.deps, runLog, report });
    const early = createEarlyJudge(this.deps);
    life.room = new this.#kind({
      store,
      storage: groupStorage(this.deps),
      judge: (work) => whileAlive(judge(work)),
      early: { allows: early.allows, ask: (work) => whileAlive(early.ask(work)) },
      timers: this.time.clock,
      nextRequestId: () => `request-${this.#ids++}`,
      report,
    });
    return life;
  }
}
