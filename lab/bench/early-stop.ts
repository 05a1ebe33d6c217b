// The benchmark of early stop: tokens, latency of a group and verdicts against waiting for all. The gateway's
// own scheduler on a simulated engine, in virtual time.

import { parseVerifyRequest } from "../../gpu-backend/gateway/http/verify-request.ts";
import { Ballot } from "../../gpu-backend/gateway/scheduling/early-stop.ts";
import { Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { Scheduler } from "../../gpu-backend/gateway/scheduling/scheduler.ts";
import { ServiceEstimate } from "../../gpu-backend/gateway/scheduling/service-estimate.ts";
import { winnerOf } from "../../src/core/judges/verdicts.ts";
import { mean, percentile } from "../../src/core/math/stats.ts";
import type { VerifyEvent } from "../../src/core/wire/verify-protocol.ts";
import {
  arrivals,
  type GroupSize,
  pairsOf,
  type Rates,
  type Reply,
  readReply,
  type Stop,
  samePairs,
  verifyBody,
} from "./early-stop-load.ts";
import { type Figure, figure } from "./figures.ts";
import { VirtualEngine } from "./virtual-engine.ts";

const MODEL = "sim-14b";
const SEED = 3;
const TOKENS_SAVED_LEAST = 0.25;
const P99_CUT_LEAST = 0.3;
/** Longer than any group takes alone. */
const APART_S = 100_000;
/** How much of what samples taken one by one would save is to be saved. */
const OF_POSSIBLE_LEAST = 0.95;

export interface EarlyStopLoad extends GroupSize {
  /** Groups of each arm. */
  groups: number;
  /** Groups sent at once to find what waiting for all can sustain. */
  calibration_groups: number;
  /** Groups sent one after another for the case without a neighbour. */
  alone_groups: number;
  /** Generations the gateway has at the engine at most. */
  in_flight: number;
  /** Arrivals as a share of what waiting for all can sustain. */
  load_share: number;
}

interface Arm {
  replies: Reply[];
  /** Seconds from a group's arrival to `done`, by group. */
  latencies: number[];
  engine: VirtualEngine;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * One arm on a fresh engine: group n, of which only `id` decides the texts, comes at `starts[n]`
 * seconds.
 */
async function runArm(load: EarlyStopLoad, rates: Rates, stop: Stop, starts: readonly number[]): Promise<Arm> {
  const engine = new VirtualEngine(MODEL, SEED, load.in_flight);
  const now = () => engine.now * 1_000;
  const scheduler = new Scheduler(engine, new ServiceEstimate(now));
  const replies: Reply[] = [];
  const latencies: number[] = [];
  const send = (n: number) => {
    const request = parseVerifyRequest(JSON.parse(verifyBody(`group-${n}`, load, stop, rates)));
    const events: VerifyEvent[] = [];
    const arrived_at = now();
    const emit = (event: VerifyEvent) => {
      events.push(event);
      if (event.type !== "done") return;
      latencies[n] = (now() - arrived_at) / 1_000;
      replies[n] = readReply(events, load);
      scheduler.remove(job);
    };
    const job = new Job(request, { tenant: `group-${n}`, arrived_at, now, emit, full: () => false });
    scheduler.add(job);
  };
  for (let sent = 0; sent < starts.length || engine.in_flight > 0; ) {
    const start = starts[sent] ?? Number.POSITIVE_INFINITY;
    engine.advance(Math.min(start, engine.nextAt()));
    if (engine.now === start) send(sent++);
    await turn();
  }
  return { replies, latencies, engine };
}

/**
 * Groups a second that the engine sustains when all samples are waited for and it is never idle.
 */
async function sustainable(load: EarlyStopLoad, rates: Rates): Promise<number> {
  const { engine } = await runArm(load, rates, "all", new Array(load.calibration_groups).fill(0));
  return load.calibration_groups / engine.now;
}

/**
 * The share of tokens in samples that were not needed when each comparison's are taken one by one
 * in their numbers' order: what an exact rule can save. Running more at once and cutting the
 * slowest saves next to nothing beyond: the mean residual life of a length as drawn here stays
 * below the mean but for the longest one in 10,000.
 */
export function possibleSaving(replies: readonly Reply[], samples: number): number {
  let [all, needed] = [0, 0];
  for (const { votes } of replies) {
    for (const comparison of votes) {
      const ballot = new Ballot(samples, "majority");
      for (const { verdict, completion_tokens } of comparison) {
        all += completion_tokens;
        if (ballot.decided) continue;
        needed += completion_tokens;
        ballot.send();
        ballot.settle(winnerOf(verdict));
      }
    }
  }
  return 1 - needed / all;
}

const p99 = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.99,
  );

function armFigures(name: string, { replies, latencies, engine }: Arm, load: EarlyStopLoad): Figure[] {
  const generations = replies.length * pairsOf(load) * load.samples;
  const saved = replies.reduce((sum, reply) => sum + reply.saved, 0);
  const { preemptions, prompt_tokens, warm_tokens } = engine.totals;
  return [
    figure(`${name}: tokens`, "tokens", null, [engine.tokens_generated]),
    figure(`${name}: generations skipped or aborted`, "share", null, [saved / generations]),
    figure(`${name}: prompt tokens found in the prefix cache`, "share", null, [warm_tokens / prompt_tokens]),
    figure(`${name}: preemptions`, "generations", null, [preemptions]),
    figure(`${name}: group latency, mean`, "s", null, [mean(latencies)]),
    figure(`${name}: group latency, p99 of ${latencies.length}`, "s", null, [p99(latencies)]),
  ];
}

async function underLoad(load: EarlyStopLoad, rates: Rates): Promise<Figure[]> {
  const gap = 1 / (load.load_share * (await sustainable(load, rates)));
  const starts = arrivals(load.groups, gap, SEED);
  const all = await runArm(load, rates, "all", starts);
  const early = await runArm(load, rates, "majority", starts);
  const cut = (metric: (arm: Arm) => number) => 1 - metric(early) / metric(all);
  const pairs = load.groups * pairsOf(load);
  const same = all.replies.reduce((sum, reply, n) => sum + samePairs(reply, early.replies[n] as Reply), 0);
  const tokens = cut(({ engine }) => engine.tokens_generated);
  const possible = possibleSaving(all.replies, load.samples);
  const name = `early stop, ${rates} pass rates`;
  return [
    ...armFigures(`${name}, all`, all, load),
    ...armFigures(`${name}, majority`, early, load),
    figure(`${name}: identical decisions of ${pairs} pairs`, "share", { min: 1 }, [same / pairs]),
    figure(`${name}: tokens saved`, "share", { min: TOKENS_SAVED_LEAST }, [tokens]),
    figure(`${name}: tokens saved if sampled one by one`, "share", null, [possible]),
    figure(`${name}: share of that saving reached`, "share", { min: OF_POSSIBLE_LEAST }, [tokens / possible]),
    figure(`${name}: group latency p99 reduced by`, "share", { min: P99_CUT_LEAST }, [
      cut(({ latencies }) => p99(latencies)),
    ]),
    figure(`${name}: mean group latency reduced by`, "share", null, [cut(({ latencies }) => mean(latencies))]),
  ];
}

/** Groups one after another, each with the engine to itself. */
async function alone(load: EarlyStopLoad, rates: Rates): Promise<Figure[]> {
  const starts = Array.from({ length: load.alone_groups }, (_, n) => n * APART_S);
  const [all, early] = [await runArm(load, rates, "all", starts), await runArm(load, rates, "majority", starts)];
  const name = `early stop, groups alone, ${rates} pass rates:`;
  return [
    figure(`${name} latency reduced by`, "share", null, [1 - mean(early.latencies) / mean(all.latencies)]),
    figure(`${name} tokens saved`, "share", null, [1 - early.engine.tokens_generated / all.engine.tokens_generated]),
  ];
}

/**
 * Groups at random moments (Poisson, the same for both arms) at `load_share` of what waiting for
 * all sustains, first all of them waiting for all, then all of them with early stop, each arm on a
 * fresh engine. Virtual time: the figures are those of an engine at its own pace, the same on every
 * machine; lab/bench/early-stop-stack.ts runs the processes.
 */
export async function benchEarlyStop(load: EarlyStopLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const rates of ["even", "polarised"] as const) {
    figures.push(...(await underLoad(load, rates)), ...(await alone(load, rates)));
  }
  return figures;
}
