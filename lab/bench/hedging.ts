// The benchmark of hedging and of the retry budget: tail latency on a backend with stragglers, traffic on one
// that only fails. The openai adapter itself, in virtual time.

import { createRandom } from "../../src/core/math/random.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import type { StartTimer } from "../../src/verifier/fan-out/stall-watchdog.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { callWith, pairsJob } from "../../test/port-contracts/verifier.contract.ts";
import { type Figure, figure } from "./figures.ts";

const SEED = 11;
const P99_RATIO_MOST = 0.5;
const EXTRA_PERCENT_MOST = 5;
const STORM_MOST = 1.15;
const DONE = 'data: {"choices":[{"delta":{"content":"\\\\boxed{A}"},"finish_reason":"stop"}]}\n\n';

export interface HedgingLoad {
  /** Questions, each a separate request, at exponential intervals. */
  questions: number;
  rounds: number;
}

const GAP_MS = 20;
const TYPICAL_MS = 300;
const STRAGGLER_SHARE = 0.03;
const STRAGGLER_MS = 10_000;

/** Time that jumps from one event to the next. */
class Timeline {
  #events: { at: number; run: () => void }[] = [];
  now = 0;

  readonly schedule: StartTimer = (run, ms) => {
    const event = { at: this.now + ms, run };
    const place = this.#events.findIndex(({ at }) => at > event.at);
    this.#events.splice(place === -1 ? this.#events.length : place, 0, event);
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  };

  /** Until nothing is to come. */
  async run(): Promise<void> {
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    for (await turn(); this.#events.length > 0; await turn()) {
      const event = this.#events.shift() as { at: number; run: () => void };
      this.now = event.at;
      event.run();
    }
  }
}

interface Outcome {
  latencies: number[];
  requests: number;
}

/**
 * Sends all questions to a backend that answers each request after `delayMs()`, or with that
 * status.
 */
async function send(
  questions: number,
  seed: number,
  hedging: boolean,
  reply: (random: () => number) => { ms: number; status: number },
): Promise<Outcome> {
  const time = new Timeline();
  const clock = { ...systemClock, now: () => time.now, date: () => new Date(time.now) };
  const chance = { arrival: createRandom(seed), backend: createRandom(seed + 1), jitter: createRandom(seed + 2) };
  const outcome: Outcome = { latencies: [], requests: 0 };
  const fetcher = ((_: string, { signal }: RequestInit) => {
    outcome.requests++;
    const { ms, status } = reply(chance.backend);
    return new Promise<Response>((resolve, reject) => {
      const headers = { "content-type": "text/event-stream" };
      const cancel = time.schedule(() => resolve(new Response(status === 200 ? DONE : null, { status, headers })), ms);
      signal?.addEventListener("abort", () => {
        cancel();
        reject(new Error("aborted"));
      });
    });
  }) as typeof fetch;
  const config = { url: "http://backend", model: "m", apiKey: null, fetch: fetcher, schedule: time.schedule };
  const backend = new Backend({ name: "verifier", hedging });
  const verifier = createOpenAiVerifier({ ...config, backend, random: chance.jitter }, clock);
  let at = 0;
  for (let i = 0; i < questions; i++) {
    at += -GAP_MS * Math.log(1 - chance.arrival());
    const asked_at = at;
    time.schedule(() => {
      const session = verifier.session(callWith(new AbortController().signal));
      void session.judge(pairsJob(2), () => outcome.latencies.push(time.now - asked_at));
    }, asked_at);
  }
  await time.run();
  return outcome;
}

/** Some 300 ms until an answer begins, one in 33 stalls for ten seconds wherever it is sent. */
function straggling(random: () => number): { ms: number; status: number } {
  const straggler = random() < STRAGGLER_SHARE;
  const usual = TYPICAL_MS * (0.5 + random());
  return { ms: straggler ? STRAGGLER_MS : usual, status: 200 };
}

const p99 = (latencies: readonly number[]) =>
  percentile(
    [...latencies].sort((a, b) => a - b),
    0.99,
  );

/** Ratios and shares; the same on any machine, since time is virtual. */
export async function benchHedging({ questions, rounds }: HedgingLoad): Promise<Figure[]> {
  const ratios: number[] = [];
  const extra: number[] = [];
  const storm: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const seed = SEED + 10 * round;
    const plain = await send(questions, seed, false, straggling);
    const hedged = await send(questions, seed, true, straggling);
    ratios.push(p99(hedged.latencies) / p99(plain.latencies));
    extra.push((100 * (hedged.requests - questions)) / questions);
    const refused = await send(questions, seed, true, () => ({ ms: 5, status: 503 }));
    storm.push(refused.requests / questions);
  }
  return [
    figure("p99 with hedging / without, 3 % stragglers of 10 s", "ratio", { max: P99_RATIO_MOST }, ratios),
    figure("extra requests caused by hedging", "%", { max: EXTRA_PERCENT_MOST }, extra),
    figure(
      "requests per comparison when every one is refused (3 without a retry budget)",
      "ratio",
      { max: STORM_MOST },
      storm,
    ),
  ];
}
