// A judge in virtual time: a number of questions at once, each as long as its seed says, and a deadline that
// ends it all. Waits for nothing and knows no schedule.

import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";

export interface VirtualJudgeOptions {
  in_flight: number;
  /** Seconds that an answer takes, even between the two. */
  seconds: readonly [number, number];
  /** Virtual seconds; Infinity: it answers everything. */
  deadline: number;
  seed: string;
  /** Whether the first of the two shown is preferred. */
  prefersFirst(first: string, second: string, sample: number): boolean;
  /** In which order a job's questions are sent; default as they are listed. */
  inOrder?: (questions: VerifierJob["questions"]) => VerifierJob["questions"];
}

interface Waiting {
  job: VerifierJob;
  question: number;
  sample: number;
  sink: (generation: Generation) => void;
}

const COST = { prompt_tokens: 0, completion_tokens: 0 } as const;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** First come, first served, as the edge's own fan-out is. */
export class VirtualJudge {
  /** Virtual seconds. */
  now = 0;
  /** Questions answered. */
  answered = 0;
  readonly verifier: Verifier;
  readonly clock: Clock = { ...systemClock, now: () => this.now * 1_000, date: () => new Date(this.now * 1_000) };
  readonly #options: VirtualJudgeOptions;
  readonly #line: Waiting[] = [];
  readonly #running: (Waiting & { end: number })[] = [];
  #sent = 0;

  constructor(options: VirtualJudgeOptions) {
    this.#options = options;
    this.verifier = {
      protocol: "virtual",
      generations_max: Number.POSITIVE_INFINITY,
      check: async () => ({ ok: true, latency_ms: 0 }),
      session: () => ({
        stats: { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 },
        judge: (job, sink) => this.#judge(job, sink),
      }),
    };
  }

  /** Lets the time pass until all that was begun is settled. */
  async run<T>(begun: Promise<T>): Promise<T> {
    let over = false;
    const settled = begun.finally(() => {
      over = true;
    });
    await turn();
    while (!over) {
      // While nothing runs scoring is at work, which takes no virtual time.
      if (this.#running.length > 0) this.#advance();
      await turn();
    }
    return settled;
  }

  #judge(job: VerifierJob, sink: (generation: Generation) => void): Promise<void> {
    const { inOrder = (questions) => questions } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    let open = 0;
    const deliver = (generation: Generation) => {
      sink(generation);
      open--;
      if (open === 0) resolve();
    };
    for (const { id, samples, first_sample = 0 } of inOrder(job.questions)) {
      for (let k = 0; k < samples; k++) {
        open++;
        this.#line.push({ job, question: id, sample: first_sample + k, sink: deliver });
      }
    }
    if (this.#isOver) this.#cut();
    else this.#send();
    return promise;
  }

  #cut(): void {
    for (const entry of [...this.#running.splice(0), ...this.#line.splice(0)]) cut(entry);
  }

  #send(): void {
    const { in_flight, seconds, seed } = this.#options;
    const [low, high] = seconds;
    while (this.#running.length < in_flight && this.#line.length > 0) {
      const next = this.#line.shift() as Waiting;
      const random = createRandom(hashText("seconds", seed, this.#sent++))();
      this.#running.push({ ...next, end: this.now + low + (high - low) * random });
    }
  }

  get #isOver(): boolean {
    return this.now >= this.#options.deadline;
  }

  /** To the next answer, or to the deadline, which ends what runs and what waits. */
  #advance(): void {
    const next = this.#running.reduce((first, { end }) => Math.min(first, end), this.#options.deadline);
    if (Number.isFinite(next)) this.now = Math.max(this.now, next);
    for (const entry of this.#running.filter(({ end }) => end <= this.now && !this.#isOver)) {
      this.#running.splice(this.#running.indexOf(entry), 1);
      this.#answer(entry);
    }
    if (this.#isOver) this.#cut();
    else this.#send();
  }

  #answer({ job, question, sample, sink }: Waiting): void {
    const [first = "", second = ""] = (job.questions.find(({ id }) => id === question)?.shown ?? []).map(
      (i) => job.candidates[i] as string,
    );
    const answer = `\\boxed{${this.#options.prefersFirst(first, second, sample) ? "A" : "B"}}`;
    this.answered++;
    const said = { answer, thinking: "none", finish_reason: "stop", error: null } as const;
    sink({ question, sample, ...said, ...COST, latency_ms: 1 });
  }
}

function cut({ question, sample, sink }: Waiting): void {
  const nothing = { answer: null, thinking: "none", finish_reason: null, error: "deadline" } as const;
  sink({ question, sample, ...nothing, ...COST, latency_ms: 0 });
}
