// Early stop over the whole stack, in scaled time: gateway and simulated engine as processes, verdicts
// against waiting for all. Its goals of tokens and latency are early-stop.ts's.
import { loadavg } from "node:os";
import type { SimulatorStats } from "../../gpu-backend/engines/simulator/engine.ts";
import { mean, percentile } from "../../src/core/math/stats.ts";
import {
  arrivals,
  eventsOf,
  type GroupSize,
  pairsOf,
  type Reply,
  readReply,
  type Stop,
  samePairs,
  verifyBody,
} from "./early-stop-load.ts";
import { post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { coreWaitMs } from "./kernel.ts";
import { type Program, startProgram } from "./program.ts";

const MODEL = "sim-14b";
const SEED = 3;
/** Tokens an event: few enough that a repetition is noticed long before the budget ends. */
const STREAM_TOKENS = 512;
const POLL_MS = 20;

export interface StackLoad extends GroupSize {
  /** Simulated seconds a real second. */
  scale: number;
  /** Groups of each arm. */
  groups: number;
  /** Groups sent at once to find what waiting for all can sustain. */
  calibration_groups: number;
  /** Groups sent one after another for the case without a neighbour. */
  alone_groups: number;
  /** Generations the gateway has at the engine at most: what the engine's KV cache holds. */
  in_flight: number;
  /** Arrivals as a share of what waiting for all can sustain. */
  load_share: number;
}

/** An engine and its gateway, both new: no arm finds the other's prompts cached. */
interface Stack {
  gateway: Program;
  engine: Program;
  stats(): Promise<SimulatorStats>;
}

interface Arm {
  replies: Reply[];
  /** Simulated seconds from a group's intended start to the end of its reply, by group. */
  latencies: number[];
  stats: SimulatorStats;
  /** Share of the time that a process could have run and had no core: the larger of the two. */
  waited: number;
}

async function withStack<T>(load: StackLoad, run: (stack: Stack) => Promise<T>): Promise<T> {
  const engine = await startProgram("gpu-backend/engines/simulator/main.ts", {
    PORT: "0",
    MODEL,
    SCALE: String(load.scale),
    SEED: String(SEED),
    STREAM_TOKENS: String(STREAM_TOKENS),
  });
  let gateway: Program | null = null;
  try {
    gateway = await startProgram("gpu-backend/gateway/main.ts", {
      PORT: "0",
      ENGINE_URL: engine.url,
      ENGINE_MODEL: MODEL,
      ENGINE_MAX_IN_FLIGHT: String(load.in_flight),
    });
    const stats = async () => (await (await fetch(`${engine.url}/stats`)).json()) as SimulatorStats;
    return await run({ gateway, engine, stats });
  } finally {
    await gateway?.close();
    await engine.close();
  }
}

const ask = async ({ gateway }: Stack, load: StackLoad, body: string): Promise<Reply> =>
  readReply(eventsOf(await post(`${gateway.url}/v1/verify`, body)), load);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)));

/**
 * The engine's sustained rate while groups that wait for all keep it full. @returns groups a simulated second
 */
const calibrate = (load: StackLoad): Promise<number> =>
  withStack(load, async (stack) => {
    const ids = Array.from({ length: load.calibration_groups }, (_, n) => `calibration-${n}`);
    const replies = Promise.all(ids.map((id) => ask(stack, load, verifyBody(id, load, "all"))));
    const generations = ids.length * pairsOf(load) * load.samples;
    const reach = async (share: number) => {
      for (;;) {
        const { finished, tokens_generated } = await stack.stats();
        if (finished >= share * generations) return { at: performance.now(), tokens: tokens_generated };
        await pause(POLL_MS);
      }
    };
    // Between these two the engine is full: neither the first prompts nor the last long answers
    // count.
    const [from, to] = [await reach(0.15), await reach(0.8)];
    await replies;
    const perGroup = (await stack.stats()).tokens_generated / ids.length;
    const seconds = ((to.at - from.at) / 1_000) * load.scale;
    return (to.tokens - from.tokens) / seconds / perGroup;
  });

/** One arm: the groups sent at their moments, whatever the results before. @param starts simulated seconds */
const runArm = (load: StackLoad, stop: Stop, starts: readonly number[]): Promise<Arm> =>
  withStack(load, async (stack) => {
    const bodies = starts.map((_, n) => verifyBody(`group-${n}`, load, stop));
    const waited = () => [stack.engine, stack.gateway].map(({ pid }) => coreWaitMs(pid));
    const before = waited();
    const began = performance.now();
    const answered = await Promise.all(
      bodies.map(async (body, n) => {
        const start = began + ((starts[n] as number) / load.scale) * 1_000;
        await pause(start - performance.now());
        const reply = await ask(stack, load, body);
        return { reply, latency: ((performance.now() - start) / 1_000) * load.scale };
      }),
    );
    const ms = performance.now() - began;
    const waits = waited().map((now, i) => (now - (before[i] as number)) / ms);
    return {
      replies: answered.map(({ reply }) => reply),
      latencies: answered.map(({ latency }) => latency),
      stats: await stack.stats(),
      waited: Math.max(...waits),
    };
  });

/** Groups one after another, each with the engine to itself; latencies in simulated seconds. */
const alone = (load: StackLoad, stop: Stop): Promise<{ latencies: number[]; tokens: number }> =>
  withStack(load, async (stack) => {
    const latencies: number[] = [];
    for (let n = 0; n < load.alone_groups; n++) {
      const body = verifyBody(`alone-${n}`, load, stop);
      const started = performance.now();
      await ask(stack, load, body);
      latencies.push(((performance.now() - started) / 1_000) * load.scale);
    }
    return { latencies, tokens: (await stack.stats()).tokens_generated };
  });

const p99 = (latencies: readonly number[]) =>
  percentile(
    [...latencies].sort((a, b) => a - b),
    0.99,
  );

function armFigures(stop: Stop, { replies, latencies, stats, waited }: Arm, load: StackLoad): Figure[] {
  const arm = `early stop over HTTP, ${stop}`;
  const generations = replies.length * pairsOf(load) * load.samples;
  const saved = replies.reduce((sum, reply) => sum + reply.saved, 0);
  const tokensReported = replies.reduce((sum, reply) => sum + reply.completion_tokens, 0);
  return [
    figure(`${arm}: tokens counted by the engine, ${latencies.length} groups`, "tokens", null, [
      stats.tokens_generated,
    ]),
    figure(`${arm}: share of these that the gateway reports`, "share", null, [tokensReported / stats.tokens_generated]),
    figure(`${arm}: generations skipped or aborted`, "share", null, [saved / generations]),
    figure(`${arm}: group latency, mean`, "simulated s", null, [mean(latencies)]),
    figure(`${arm}: group latency, p50`, "simulated s", null, latencies),
    figure(`${arm}: group latency, p99 of ${latencies.length} (interpolated)`, "simulated s", null, [p99(latencies)]),
    figure(`${arm}: preemptions in the engine`, "generations", null, [stats.preemptions]),
    figure(`${arm}: waiting for a core (CPU steal by other processes)`, "share of time", null, [waited]),
  ];
}

function ratioFigures(all: Arm, early: Arm, load: StackLoad): Figure[] {
  const cut = (from: number, to: number) => 1 - to / from;
  const pairs = all.replies.length * pairsOf(load);
  const same = all.replies.reduce((sum, reply, n) => sum + samePairs(reply, early.replies[n] as Reply), 0);
  const [before, after] = [all.stats.tokens_generated, early.stats.tokens_generated];
  const [allP99, earlyP99] = [p99(all.latencies), p99(early.latencies)];
  return [
    figure(`early stop over HTTP: identical decisions of ${pairs} pairs`, "share", { min: 1 }, [same / pairs]),
    figure("early stop over HTTP: tokens saved", "share", null, [cut(before, after)]),
    figure("early stop over HTTP: group latency p99 reduced by", "share", null, [cut(allP99, earlyP99)]),
    figure("early stop over HTTP: mean group latency reduced by", "share", null, [
      cut(mean(all.latencies), mean(early.latencies)),
    ]),
  ];
}

async function aloneFigures(load: StackLoad): Promise<Figure[]> {
  const [all, early] = [await alone(load, "all"), await alone(load, "majority")];
  const cuts = all.latencies.map((latency, n) => 1 - (early.latencies[n] as number) / latency);
  return [
    figure("early stop over HTTP, a group alone, all: latency", "simulated s", null, all.latencies),
    figure("early stop over HTTP, a group alone, majority: latency", "simulated s", null, early.latencies),
    figure("early stop over HTTP, a group alone: latency reduced by", "share", null, cuts),
    figure("early stop over HTTP, a group alone: tokens saved", "share", null, [1 - early.tokens / all.tokens]),
  ];
}

/**
 * Groups at random moments (Poisson, the same for both arms) at `load_share` of what waiting for all
 * sustains, first all of them waiting for all, then all of them with early stop, each arm on a fresh engine;
 * also groups that have the engine to themselves. Tokens are the engine's own count; the p99 is over `groups`
 * values. Pass rates are even in [0, 1).
 */
export async function benchEarlyStopStack(load: StackLoad): Promise<Figure[]> {
  const sustained = await calibrate(load);
  const gap = 1 / (load.load_share * sustained);
  const starts = arrivals(load.groups, gap, SEED);
  const all = await runArm(load, "all", starts);
  const early = await runArm(load, "majority", starts);
  return [
    figure("early stop over HTTP: sustained rate without early stop", "groups/simulated h", null, [sustained * 3_600]),
    figure("early stop over HTTP: arrival rate, share of the sustained rate", "share", null, [load.load_share]),
    ...armFigures("all", all, load),
    ...armFigures("majority", early, load),
    ...ratioFigures(all, early, load),
    ...(await aloneFigures(load)),
    figure("early stop over HTTP: load average of the machine, 5 min", "processes", null, [loadavg()[1] as number]),
  ];
}
