// What tests of rooms in virtual time share: a room over storage that outlives it, and a verifier of
// certain answers. Must not hold any test.
import { hashText } from "../../../src/core/math/random.ts";
import type { Generation } from "../../../src/core/wire/questions.ts";
import type { GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import { createEarlyJudge, createGroupJudge } from "../../../src/objects/gathering/judge-group.ts";
import { Room } from "../../../src/objects/gathering/room.ts";
import { createRoomStore, type RoomStore } from "../../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { Metrics } from "../../../src/platform/counters.ts";
import { pause } from "../../../src/platform/waiting.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../../../src/ports/ports.ts";
import { fakeRunLog } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";

/** Says the same of the same texts in the same order for ever; what is asked early fails by chance. */
export function verifierOf(random: () => number, failing: number): Verifier & { generations: number } {
  function answer(shown: readonly string[], sample: number): Partial<Generation> {
    const [lane] = hashText("verdict", ...shown, sample);
    const letter = lane % 10 === 0 ? "no idea" : `\\boxed{${lane % 2 === 0 ? "A" : "B"}}`;
    return { answer: letter, error: null, finish_reason: "stop" };
  }
  async function ask(call: VerifierCall, shown: readonly string[], sample: number): Promise<Partial<Generation>> {
    const aborted = Promise.withResolvers<void>();
    call.signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    if (!call.signal.aborted) await Promise.race([pause(20 + 1_500 * random()), aborted.promise]);
    const nothing = { answer: null, finish_reason: null } as const;
    if (call.signal.aborted) return { ...nothing, error: call.signal.reason };
    const fails = (call.priority ?? 0) > 0 && random() < failing;
    return fails ? { ...nothing, error: "verifier_unavailable" } : answer(shown, sample);
  }
  const verifier = {
    generations: 0,
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

/** One room over storage that outlives it; what was not stored at its end is lost. */
export class LivingRoom {
  readonly values = memoryValues(() => undefined);
  readonly deps;
  #ids = 0;
  #ended = Promise.withResolvers<never>();
  #life = { alive: true };
  #room: Room;

  constructor(verifier: Verifier) {
    const clock = { now: () => Date.now(), date: () => new Date(Date.now()) };
    const report = (line: Record<string, unknown>) => {
      throw new Error(JSON.stringify(line));
    };
    this.deps = { verifier, runLog: fakeRunLog(), clock, metrics: new Metrics(), report };
    this.#room = this.#begin();
  }

  restart(forgetsVerdicts: boolean): void {
    this.#life.alive = false;
    this.#ended.reject(new Broken());
    if (forgetsVerdicts) for (const [name] of [...this.values.list("journal.")]) this.values.delete(name);
    this.#ended = Promise.withResolvers();
    this.#ended.promise.catch(() => undefined);
    this.#room = this.#begin();
  }

  join(sample: GatheredSample) {
    return Promise.race([this.#room.join(sample, null), this.#ended.promise]);
  }

  leave(waiterId: string): void {
    this.#room.leave(waiterId);
  }

  #begin(): Room {
    const life = { alive: true };
    this.#life = life;
    this.#ended.promise.catch(() => undefined);
    const kept = createRoomStore(this.values);
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
    const judge = createGroupJudge(this.deps);
    const early = createEarlyJudge(this.deps);
    return new Room({
      store,
      judge: (work) => whileAlive(judge(work)),
      early: { allows: early.allows, ask: (work) => whileAlive(early.ask(work)) },
      now: () => Date.now(),
      nextRequestId: () => `request-${this.#ids++}`,
      report: (line) => life.alive && this.deps.report(line),
    });
  }
}

/** What nothing else than time keeps waiting. */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  const time = new VirtualTime();
  time.install();
  try {
    let ended: { value: T } | { fault: unknown } | null = null;
    work().then(
      (value) => {
        ended = { value };
      },
      (fault) => {
        ended = { fault };
      },
    );
    await time.run(() => ended !== null);
    const how = ended as { value: T } | { fault: unknown } | null;
    if (how === null) throw new Error("nothing is left to happen, and somebody still waits");
    if ("fault" in how) throw how.fault;
    return how.value;
  } finally {
    time.restore();
  }
}
