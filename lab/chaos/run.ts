// One chaos run: the parts, who is killed when, the clients meanwhile, and the checks afterwards.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeModules } from "../../scripts/stack/worker-modules.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { overrunsOf } from "../../test/harness/production-limits/ledger.ts";
import { bundleLimitedWorker, limitsReport } from "../../test/harness/production-limits.ts";
import { checkAll, type Expected, type Findings } from "./check.ts";
import { type Answer, ask, Unanswered } from "./client.ts";
import { type Job, jobsOf, type PoolGroup, poolOf, rewardsBody } from "./jobs.ts";
import { rowsOf } from "./log.ts";
import { PART_NAMES, type Part, type PartName, parts, WORKER } from "./parts.ts";

export interface ChaosOptions {
  seed: number;
  seconds: number;
  /** For the parts' files. */
  folder: string;
  clients: number;
  note(line: string): void;
}

export interface ChaosResult {
  findings: Findings;
  asked: Job[];
  answers: Answer[];
  kills: Record<PartName, number>;
}

/** Mean time that a part lives, and how long it lies dead at most before it is started again. */
const ALIVE_MS_MEAN = 15_000;
const DEAD_MS_MAX = 3_000;
const STARTS_MAX = 5;
const START_PAUSE_MS = 500;
const FAULT_FREE_MS = 120_000;

/**
 * Kills the part and starts it again, at times drawn from the seed, until the end; leaves it
 * running. The first life ends in the first half of the run, so that a short run kills each part
 * too. `lastWords` hears the part out before each kill.
 */
async function torment(
  part: Part,
  { seed, seconds, note }: ChaosOptions,
  end: AbortSignal,
  lastWords: () => Promise<void>,
): Promise<void> {
  const random = createRandom(hashText("chaos", part.name, seed));
  const sleep = (ms: number) => pause(ms, undefined, { signal: end }).catch(() => undefined);
  let alive_ms = (random() * seconds * 1000) / 2;
  while (!end.aborted) {
    await sleep(alive_ms);
    if (end.aborted) return;
    const dead_ms = random() * DEAD_MS_MAX;
    await lastWords();
    note(`${part.name} killed, back in ${(dead_ms / 1000).toFixed(1)} s`);
    await part.kill();
    await sleep(dead_ms);
    await revive(part);
    alive_ms = -Math.log(1 - random()) * ALIVE_MS_MEAN;
  }
}

/** As a supervisor would: a start that fails is tried again, a few times. */
async function revive(part: Part): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await part.start();
    } catch (error) {
      if (tries >= STARTS_MAX) throw error;
      await pause(START_PAUSE_MS);
    }
  }
}

/** Production limits that the edge has overrun since its last start: its count is killed with it. */
async function overruns(origin: string): Promise<string[]> {
  try {
    return overrunsOf(await limitsReport(origin)).map((overrun) => `production's limits: ${overrun}`);
  } catch (error) {
    return [`the running edge did not return its report of production limits: ${error}`];
  }
}

/**
 * The pool's rewards as given while nothing is killed. @throws Error when even then a reward is
 * missing
 */
async function faultFree(origin: string, pool: readonly PoolGroup[]): Promise<Expected> {
  const response = await fetch(`${origin}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(rewardsBody("chaos-fault-free", pool, FAULT_FREE_MS)),
  });
  const { rewards } = (await response.json()) as RewardsReply;
  if (rewards.flat().includes(null)) throw new Error("a reward is missing although no part was killed yet");
  return new Map(pool.map(({ prompt }, g) => [prompt, rewards[g] as number[]]));
}

/**
 * Clients that take the next job as soon as theirs is answered, until the end; then they finish
 * what they have begun.
 */
async function traffic(origin: string, pool: readonly PoolGroup[], options: ChaosOptions, end: AbortSignal) {
  const jobs = jobsOf(pool, options.seed);
  const [asked, answers, faults]: [Job[], Answer[], string[]] = [[], [], []];
  const client = async () => {
    while (!end.aborted) {
      const job = jobs.next().value as Job;
      asked.push(job);
      try {
        answers.push(await ask(origin, job));
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        faults.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
  return { asked, answers, faults };
}

/** Starts everything, lets chaos reign for `seconds`, and checks the results. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  writeModules(join(options.folder, WORKER), await bundleLimitedWorker());
  const all = await parts(options.folder, options.seed);
  try {
    for (const name of PART_NAMES) await all[name].start();
    const origin = all.edge.url;
    const pool = poolOf(options.seed);
    const expected = await faultFree(origin, pool);
    const end = AbortSignal.timeout(options.seconds * 1000);
    const beyond: string[] = [];
    const lastWords = async (name: PartName) => {
      if (name === "edge") beyond.push(...(await overruns(origin)));
    };
    const [{ asked, answers, faults }] = await Promise.all([
      traffic(origin, pool, options, end),
      ...PART_NAMES.map((name) => torment(all[name], options, end, () => lastWords(name))),
    ]);
    const system = { rows: (answer: Answer) => rowsOf(origin, answer), repeat: (job: Job) => ask(origin, job) };
    const findings = await checkAll(system, asked, answers, expected);
    findings.violations.push(...faults, ...beyond, ...(await overruns(origin)));
    const kills = Object.fromEntries(PART_NAMES.map((name) => [name, all[name].kills])) as Record<PartName, number>;
    return { findings, asked, answers, kills };
  } finally {
    await Promise.all(PART_NAMES.map((name) => all[name].kill()));
  }
}
