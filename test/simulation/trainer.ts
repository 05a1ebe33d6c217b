// A simulated trainer in virtual time: steps of prompts and rollouts, a pool of connections, tries and pauses
// as its tool has them, cuts and restarts.

import { createRandom, shuffled } from "../../src/core/math/random.ts";
import { BUILT_IN_DEFAULT } from "../../src/core/reward/default-spec.ts";
import type { ClientProbe, GatheredSample } from "../../src/objects/gathering/gathering.ts";
import type { RoomReply } from "../../src/objects/gathering/reply.ts";
import type { VirtualTime } from "../harness/virtual-time.ts";
import { Broken, rewardAmong, SimulatedServer } from "./server.ts";

/** A tool's reward client. Durations in ms. */
export interface Tool {
  /** Open at once; null: one for every sample. */
  connections: number | null;
  tries: number;
  backoff(failures: number, random: () => number): number;
  /** Timeout of one try, from when it has a connection. */
  timeout_ms: number;
  answer_within_ms: number;
  retain_ms: number;
  patience_ms: number;
  /** The samples of a group are asked for when the last of them is generated. */
  group_rm: boolean;
}

const MINUTE = 60_000;

export const SLIME: Tool = {
  connections: 64,
  tries: 10,
  backoff: (failures, random) => Math.min(2 ** failures, 30) * 1_000 + random() * 1_000,
  timeout_ms: 120_000,
  answer_within_ms: 96_000,
  retain_ms: 24 * MINUTE,
  patience_ms: 1_000,
  group_rm: true,
};

export const OPENRLHF: Tool = {
  connections: null,
  tries: 5,
  backoff: () => 1_000,
  timeout_ms: 180_000,
  answer_within_ms: 144_000,
  retain_ms: 16 * MINUTE,
  patience_ms: 144_000,
  group_rm: false,
};

export interface World {
  tool: Tool;
  seed: number;
  groups: number;
  size: number;
  /** Prompts there are: a step takes the next `groups` of them, so that epochs come round. */
  prompts: number;
  /** Ends with the step that is under way then. */
  until_ms: number;
  /** A rollout's generation, ms. */
  generation: (random: () => number) => number;
  judge: (random: () => number) => number;
  /** A rollout repeats one of its prompt's last epoch, or of its group, with this chance. */
  repeats: number;
  /**
   * Mean times between, ms; null: never. Restarts of everything, of one room's object; cuts of one
   * connection.
   */
  restarts: number | null;
  room_restarts: number | null;
  cuts: number | null;
  /** Called when the first step's requests are under way; for a restart at a chosen time. */
  begun?: (time: VirtualTime, restart: () => void) => void;
}

export interface Outcome {
  steps: number;
  samples: number;
  wrong: number;
  split: number;
  lost: number;
  /**
   * Longest time from the first arrival of a group's last sample to its judgement's beginning, plus
   * the judging, ms.
   */
  slowest_ms: number;
  restarts: number;
  cuts: number;
  groups_judged: number;
  /** Replies that had begun, to prove that their client was there, and brought no reward. */
  broken: number;
}

interface Connection {
  open: boolean;
  /** Ends the client's wait; the server may notice later. */
  cut: () => void;
}

/** Runs the world to its end. */
export async function simulate(time: VirtualTime, world: World): Promise<Outcome> {
  const trainer = new SimulatedTrainer(time, world);
  return trainer.run();
}

class SimulatedTrainer {
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #random: () => number;
  readonly #server: SimulatedServer;
  readonly #open = new Set<Connection>();
  readonly #queue: (() => void)[] = [];
  readonly #outcome: Outcome = {
    steps: 0,
    samples: 0,
    wrong: 0,
    split: 0,
    lost: 0,
    slowest_ms: 0,
    restarts: 0,
    cuts: 0,
    groups_judged: 0,
    broken: 0,
  };
  /** The texts of each prompt's last epoch. */
  readonly #last = new Map<number, string[]>();
  #free: number;
  #waiters = 0;
  #over = false;

  constructor(time: VirtualTime, world: World) {
    this.#time = time;
    this.#world = world;
    this.#random = createRandom(world.seed);
    this.#server = new SimulatedServer(time, () => world.judge(this.#random));
    this.#free = world.tool.connections ?? Number.POSITIVE_INFINITY;
  }

  async run(): Promise<Outcome> {
    const { until_ms, restarts, room_restarts, cuts } = this.#world;
    const ends = this.#time.now + until_ms;
    this.#again(restarts, () => this.#restart());
    this.#again(room_restarts, () => this.#restartRoom());
    this.#again(cuts, () => this.#cutOne());
    for (let step = 0; this.#time.now < ends; step++) await this.#step(step);
    this.#over = true;
    this.#outcome.groups_judged = this.#server.judgements.length;
    return this.#outcome;
  }

  #again(mean: number | null, what: () => void): void {
    if (mean === null) return;
    // Between a quarter and seven quarters of the mean.
    this.#time.schedule(
      () => {
        if (this.#over) return;
        what();
        this.#again(mean, what);
      },
      mean * (0.25 + 1.5 * this.#random()),
    );
  }

  #restart(): void {
    this.#outcome.restarts++;
    for (const connection of [...this.#open]) connection.cut();
    this.#server.restartAll();
  }

  #restartRoom(): void {
    const rooms = this.#server.rooms();
    const room = rooms[Math.floor(this.#random() * rooms.length)];
    if (room !== undefined) this.#server.restart(room);
  }

  #cutOne(): void {
    const connections = [...this.#open];
    const one = connections[Math.floor(this.#random() * connections.length)];
    if (one === undefined) return;
    this.#outcome.cuts++;
    one.cut();
  }

  async #step(step: number): Promise<void> {
    const { groups, size, prompts, begun } = this.#world;
    const asked = Array.from({ length: groups }, (_, g) => {
      const prompt = (step * groups + g) % prompts;
      return { prompt, texts: this.#texts(prompt, step, size) };
    });
    const samples = asked.flatMap(({ prompt, texts }) => {
      const times = texts.map(() => this.#world.generation(this.#random));
      const last = Math.max(...times);
      const whole = { arrived: texts.map(() => 0), texts };
      return texts.map((text, i) => ({
        prompt,
        text,
        i,
        whole,
        ready: this.#world.tool.group_rm ? last : (times[i] as number),
      }));
    });
    const order = shuffled(samples, this.#random);
    const running = Promise.all(order.map((sample) => this.#sample(sample)));
    if (step === 0) begun?.(this.#time, () => this.#restart());
    await running;
    for (const { prompt, texts } of asked) this.#last.set(prompt, texts);
    this.#outcome.steps++;
    await this.#time.sleep(20_000);
  }

  #texts(prompt: number, step: number, size: number): string[] {
    const texts: string[] = [];
    for (let i = 0; i < size; i++) {
      const known = [...(this.#last.get(prompt) ?? []), ...texts];
      const repeat = known.length > 0 && this.#random() < this.#world.repeats;
      texts.push(repeat ? (known[Math.floor(this.#random() * known.length)] as string) : `${prompt}/${step}/${i}`);
    }
    return texts;
  }

  async #sample(sample: { prompt: number; text: string; ready: number; i: number; whole: Whole }): Promise<void> {
    await this.#time.sleep(sample.ready);
    const { tries, backoff } = this.#world.tool;
    this.#outcome.samples++;
    for (let failures = 0; failures < tries; failures++) {
      if (failures > 0) await this.#time.sleep(backoff(failures - 1, this.#random));
      await this.#slot();
      const reply = await this.#attempt(sample).finally(() => this.#release());
      if (reply === null || !("reward" in reply) || reply.reward.result.reward === null) continue;
      this.#check(sample, reply.reward);
      return;
    }
    this.#outcome.lost++;
  }

  #check(
    { text, whole }: { text: string; whole: Whole },
    reward: { members: number; result: { reward: number | null } },
  ) {
    const { texts, arrived } = whole;
    if (reward.members !== texts.length) this.#outcome.split++;
    else if (reward.result.reward !== rewardAmong(text, texts)) this.#outcome.wrong++;
    if (!arrived.includes(0)) {
      whole.answered ??= this.#time.now - Math.max(...arrived);
      this.#outcome.slowest_ms = Math.max(this.#outcome.slowest_ms, whole.answered);
    }
  }

  #slot(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  /** One try; null when it brought nothing. */
  #attempt(sample: { prompt: number; text: string; i: number; whole: Whole }): Promise<RoomReply | null> {
    const { promise, resolve } = Promise.withResolvers<RoomReply | null>();
    const waiterId = `w${this.#waiters++}`;
    const room = `room ${sample.prompt}`;
    const connection: Connection = {
      open: true,
      cut: () => {
        if (!this.#open.delete(connection)) return;
        connection.open = false;
        resolve(null);
        // Noticed at once, at the next heartbeats, or never.
        const noticed = [0, 9_000 * this.#random(), null][Math.floor(this.#random() * 3)] as number | null;
        if (noticed !== null) this.#time.schedule(() => this.#server.leave(room, waiterId), noticed);
      },
    };
    this.#open.add(connection);
    const disarm = this.#time.schedule(connection.cut, this.#world.tool.timeout_ms);
    void this.#served(sample, room, waiterId, connection).then((reply) => {
      disarm();
      if (this.#open.delete(connection)) resolve(reply);
    });
    return promise;
  }

  /** The request at the server, from its arrival to the end of its reply. */
  async #served(
    { prompt, text, i, whole }: { prompt: number; text: string; i: number; whole: Whole },
    room: string,
    waiterId: string,
    connection: Connection,
  ): Promise<RoomReply | null> {
    await this.#time.sleep(1 + 19 * this.#random());
    if (!connection.open) return null;
    whole.arrived[i] ||= this.#time.now;
    const ends = this.#time.now + this.#world.tool.answer_within_ms;
    let begun = false;
    const probe: ClientProbe = async () => {
      begun = true;
      await this.#time.sleep(100);
      return connection.open;
    };
    const sample = { ...this.#request(room, prompt, text), waiter_id: waiterId };
    const deadline = this.#time.sleep(ends - this.#time.now).then(() => null);
    for (;;) {
      try {
        const joined = this.#server.join({ ...sample, answer_within_ms: Math.max(1, ends - this.#time.now) }, probe);
        const reply = await Promise.race([joined, deadline]);
        if (reply === null) this.#server.leave(room, waiterId);
        const rewarded = reply !== null && "reward" in reply && reply.reward.result.reward !== null;
        if (begun && connection.open && !rewarded) this.#outcome.broken++;
        await this.#time.sleep(1 + 19 * this.#random());
        // The client went while the reply was on its way, which its server sees half of the time.
        if (!connection.open && this.#random() < 0.5) this.#server.leave(room, waiterId);
        return reply;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        if (!connection.open) return null;
        await this.#time.sleep(50);
      }
    }
  }

  #request(room: string, prompt: number, text: string): Omit<GatheredSample, "waiter_id"> {
    const { tool, size } = this.#world;
    const { answer_within_ms, retain_ms, tries, patience_ms } = tool;
    return {
      room,
      body_hash: `${prompt} ${text}`,
      prompt: `${prompt}`,
      language: null,
      rollout: { text },
      spec: BUILT_IN_DEFAULT,
      run_id: null,
      step: null,
      key_name: null,
      group_size: size,
      window_ms: answer_within_ms / 2,
      answer_within_ms,
      retain_ms,
      tries,
      patience_ms,
      takes_failure: false,
      whole_only: false,
    };
  }
}

/** A group as the trainer means it. */
interface Whole {
  texts: readonly string[];
  /** When each sample's request first reached the server; 0: it has not. */
  arrived: number[];
  /** From the last of these to the first reward. */
  answered?: number;
}
