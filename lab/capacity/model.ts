// The model of a whole step in virtual time: the trainer's requests, the edge's waves, the ways to the
// engines, what it took.
import type { Presentation } from "../../src/core/asking/questions.ts";
import { hashText } from "../../src/core/math/random.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";
import { createHeaderSlots } from "../../src/core/wire/header-slots.ts";
import { playWaves, type SampleOutcome } from "../study/played-run.ts";
import { autoscale } from "./autoscaler.ts";
import { Replica, Replicas } from "./engines.ts";
import { Gateway } from "./gateway.ts";
import { DrawnGroup, type Sample, Samples } from "./samples.ts";
import { GATEWAY_ENGINES, OPENAI_IN_FLIGHT, type Setting } from "./setting.ts";
import { Timeline } from "./timeline.ts";

export interface StepResult {
  /** From the first request until the last reply. */
  seconds: number;
  generations: number;
  /** Generations that early stop left out or cut short. */
  saved: number;
  /** Generated, also those that were cut. */
  completion_tokens: number;
  prompt_tokens: number;
  /** Tokens among these found in a prefix cache. */
  warm_tokens: number;
  /** Seconds of GPUs paid, and of these with something to do, since the step before ended. */
  gpu_s: number;
  busy_s: number;
  /** GPUs that took work at the end. */
  gpus: number;
}

type Counts = Pick<StepResult, "generations" | "saved" | "completion_tokens">;

/** Sends the samples of one request's groups and resolves when those of a wave are over. */
type Ask = (group: DrawnGroup, wave: readonly Presentation[]) => Promise<void>;

export class Model {
  readonly timeline = new Timeline();
  readonly gateways: readonly Gateway[];
  readonly #setting: Setting;
  readonly #samples = new Samples();
  readonly #keys = new Map<string, number>();
  readonly #engines: readonly Replicas[];
  /** GPUs bought, whether they take work already or still start. */
  #paid = 0;
  #paidSince = 0;
  #paid_s = 0;
  #labels = 0;
  #requests = 0;
  #counts: Counts = { generations: 0, saved: 0, completion_tokens: 0 };
  #before = { gpu_s: 0, busy_s: 0, prompt_tokens: 0, warm_tokens: 0 };

  constructor(setting: Setting) {
    this.#setting = setting;
    const { gpus, autoscaler, gateway_cpu_s, protocol } = setting;
    const maxGpus = Math.max(gpus, autoscaler?.max ?? 0);
    const count = protocol === "verify" ? Math.ceil(maxGpus / GATEWAY_ENGINES) : 0;
    this.gateways = Array.from({ length: count }, () => new Gateway(this.timeline, this.#samples, gateway_cpu_s));
    this.#engines = protocol === "verify" ? this.gateways.map(({ engines }) => engines) : [new Replicas()];
    for (let gpu = 0; gpu < gpus; gpu++) this.buy()();
    if (autoscaler !== null) autoscale(this, autoscaler);
  }

  /** GPUs paid. */
  get paid(): number {
    return this.#paid;
  }

  /** GPUs that take work. */
  get working(): number {
    return this.#replicas.filter(({ healthy }) => healthy).length;
  }

  /** Pays one more GPU. @returns what puts its engine to work */
  buy(): () => void {
    this.#pay(1);
    return () => {
      const { engine, in_flight } = this.#setting;
      const fewest = (engines: Replicas) => engines.all.filter(({ healthy }) => healthy).length;
      const engines = this.#engines.reduce((best, other) => (fewest(other) < fewest(best) ? other : best));
      engines.all.push(new Replica(this.timeline, `engine-${this.#labels++}`, engine, in_flight, () => engines.room()));
      engines.room();
    };
  }

  /** Takes one GPU away that has nothing to do; whether there was one. */
  sell(): boolean {
    const idle = this.#replicas.find(({ healthy, in_flight }) => healthy && in_flight === 0);
    if (idle === undefined) return false;
    idle.healthy = false;
    this.#pay(-1);
    return true;
  }

  get #replicas(): Replica[] {
    return this.#engines.flatMap(({ all }) => all);
  }

  #pay(more: number): void {
    this.#paid_s += this.#paid * (this.timeline.now - this.#paidSince);
    this.#paidSince = this.timeline.now;
    this.#paid += more;
  }

  /** Tokens of a generation on average, since the last step began. */
  get tokens_mean(): number {
    return this.#counts.completion_tokens / this.#counts.generations;
  }

  /** One step, from the trainer's requests, all sent at once, to the last reply. */
  async step(): Promise<StepResult> {
    const { groups, groups_per_request } = this.#setting;
    const from = this.timeline.now;
    this.#counts = { generations: 0, saved: 0, completion_tokens: 0 };
    const requests = Array.from({ length: Math.ceil(groups / groups_per_request) }, (_, r) =>
      this.request(Math.min(groups_per_request, groups - r * groups_per_request)),
    );
    await this.timeline.until(Promise.all(requests));
    return { seconds: this.timeline.now - from, ...this.#counts, ...this.#spent(), gpus: this.working };
  }

  /** One request of `groups` groups. */
  async request(groups: number): Promise<void> {
    const { client_rtt_s, edge_before_s, edge_after_s } = this.#setting;
    const number = this.#requests++;
    await this.timeline.wait(client_rtt_s / 2 + edge_before_s);
    const ask = this.#asking(number);
    await Promise.all(Array.from({ length: groups }, (_, g) => this.#group(`${number}-${g}`, ask)));
    await this.timeline.wait(edge_after_s + client_rtt_s / 2);
  }

  async #group(id: string, ask: Ask): Promise<void> {
    const { judge, rollouts } = this.#setting;
    const group = new DrawnGroup(this.#setting, id, this.#samples, this.#keys);
    const keys = Array.from({ length: rollouts }, (_, i) => hashText("candidate", id, i));
    const run = new TournamentRun({ keys, judge, seed: 0 });
    const drawn = new Map<Presentation, readonly SampleOutcome[]>();
    for (const wave of playWaves(run, rollouts, (presentation) => drawn.get(presentation) ?? [])) {
      for (const presentation of wave) drawn.set(presentation, group.draw(presentation));
      await ask(group, wave);
    }
    group.forget();
  }

  #asking(number: number): Ask {
    return this.#setting.protocol === "verify" ? this.#byGateway(number) : this.#byConnections();
  }

  /** One stream a group and wave. */
  #byGateway(number: number): Ask {
    const gateway = this.gateways[number % this.gateways.length] as Gateway;
    const way_s = this.#setting.backend_rtt_s / 2;
    return async (group, wave) => {
      await this.timeline.wait(way_s);
      const { generations, saved, completion_tokens } = await gateway.ask(group.request(wave), `request ${number}`);
      this.#count({ generations, saved, completion_tokens });
      await this.timeline.wait(way_s);
    };
  }

  /** One request a generation: six wait for headers at a time, up to a bound in flight. */
  #byConnections(): Ask {
    const { backend_rtt_s } = this.#setting;
    const slots = createHeaderSlots();
    const line: { sample: Sample; affinity: string; over: () => void }[] = [];
    let inFlight = 0;
    const send = () => {
      while (line.length > 0 && slots.free && inFlight < OPENAI_IN_FLIGHT) {
        const { sample, over } = line.shift() as (typeof line)[number];
        inFlight++;
        slots.take();
        this.timeline.after(backend_rtt_s, () => slots.giveBack());
        const finished = () => {
          this.#count({ generations: 1, saved: 0, completion_tokens: sample.submission.output_tokens });
          this.timeline.after(backend_rtt_s / 2, () => {
            inFlight--;
            over();
            send();
          });
        };
        const reach = () => (this.#engines[0] as Replicas).idlest.start({ submission: sample.submission, finished });
        this.timeline.after(backend_rtt_s / 2, reach);
      }
    };
    slots.onFree(send);
    return (group, wave) =>
      new Promise((resolve) => {
        const samples = wave.flatMap((presentation) => group.samplesFor(presentation));
        let left = samples.length;
        const over = () => {
          if (--left === 0) this.timeline.settle(resolve);
        };
        for (const sample of samples) line.push({ sample, affinity: group.affinity, over });
        send();
      });
  }

  #count({ generations, saved, completion_tokens }: Counts): void {
    this.#counts.generations += generations;
    this.#counts.saved += saved;
    this.#counts.completion_tokens += completion_tokens;
  }

  /** The use since the last call. */
  #spent() {
    this.#pay(0);
    const all = this.#replicas;
    const sum = (measure: (replica: Replica) => number) => all.reduce((total, replica) => total + measure(replica), 0);
    const now = {
      gpu_s: this.#paid_s,
      busy_s: sum(({ busy_s }) => busy_s),
      prompt_tokens: sum(({ model }) => model.totals.prompt_tokens),
      warm_tokens: sum(({ model }) => model.totals.warm_tokens),
    };
    const before = this.#before;
    this.#before = now;
    return {
      gpu_s: now.gpu_s - before.gpu_s,
      busy_s: now.busy_s - before.busy_s,
      prompt_tokens: now.prompt_tokens - before.prompt_tokens,
      warm_tokens: now.warm_tokens - before.warm_tokens,
    };
  }
}
