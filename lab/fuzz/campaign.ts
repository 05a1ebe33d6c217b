// A fuzzing campaign: a number of inputs over all targets, and how each target's time grows with its input.
import { threadCpuUsage } from "node:process";
import { createInputs, FRAGMENTS } from "./inputs.ts";
import type { Target } from "./targets.ts";

export interface Crash {
  target: string;
  text: string;
  error: string;
}

export interface TargetReport {
  name: string;
  inputs: number;
  chars: number;
  /** CPU time of the thread over all inputs, per character. */
  ns_per_char: number;
}

export interface Growth {
  name: string;
  /** The repeated piece under which the target's time grew most. */
  unit: string;
  /** Time for four times the text, divided by four: 1 is linear, 4 quadratic. */
  factor: number;
  ns_per_char: number;
}

const cpuMicroseconds = (): number => {
  const { user, system } = threadCpuUsage();
  return user + system;
};

const CRASHES_MAX = 20;
/** Inputs handed to a target at a time, so that the clock is read seldom. */
const BATCH = 2_000;

/**
 * Feeds `inputs` texts, each to one target in turn. Ends early when there are CRASHES_MAX crashes.
 */
export function fuzz(
  targets: readonly Target[],
  inputs: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): { reports: TargetReport[]; crashes: Crash[] } {
  const next = createInputs(seed);
  const crashes: Crash[] = [];
  const sums = targets.map(({ name }) => ({ name, inputs: 0, chars: 0, microseconds: 0 }));
  for (let done = 0, turn = 0; done < inputs && crashes.length < CRASHES_MAX; turn++) {
    const target = targets[turn % targets.length] as Target;
    const sum = sums[turn % targets.length] as (typeof sums)[number];
    const texts = Array.from({ length: Math.min(BATCH, inputs - done) }, next);
    const start = cpuMicroseconds();
    for (const text of texts) {
      try {
        target.run(text);
      } catch (error) {
        crashes.push({ target: target.name, text, error: String(error) });
      }
      sum.chars += text.length;
    }
    sum.microseconds += cpuMicroseconds() - start;
    sum.inputs += texts.length;
    done += texts.length;
    onProgress(done);
  }
  const reports = sums.map(({ microseconds, ...rest }) => ({
    ...rest,
    ns_per_char: rest.chars === 0 ? 0 : (microseconds * 1000) / rest.chars,
  }));
  return { reports, crashes };
}

/** Least CPU time of some runs, µs. */
function measureMin(run: () => void, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const start = cpuMicroseconds();
    run();
    best = Math.min(best, cpuMicroseconds() - start);
  }
  return best;
}

/** Mean CPU time of some runs, µs. */
function mean(run: () => void, times: number): number {
  const start = cpuMicroseconds();
  for (let i = 0; i < times; i++) run();
  return (cpuMicroseconds() - start) / times;
}

/** Below this a factor says more of the clock than of the parser. */
const FLOOR_MICROSECONDS = 2_000;

/**
 * A piece repeated up to `chars`, alone and between two others that may open and close something.
 */
function shapes(unit: string, chars: number): string[] {
  const run = unit.repeat(Math.ceil(chars / unit.length));
  return [run, `"${run}`, `\\boxed{${run}`, `\`\`\`\n${run}\n\`\`\``];
}

/** Growth that is measured again before it is believed. */
const SUSPECT_FACTOR = 1.75;

/**
 * How a target's time grows from `chars` to four times as many, at worst over every fragment
 * repeated. The long text is measured only where it takes long for its length, which is where a
 * scan that is not linear would be.
 */
export function growth(target: Target, chars: number, units: readonly string[] = FRAGMENTS): Growth {
  let worst: Growth = { name: target.name, unit: "", factor: 0, ns_per_char: 0 };
  for (const unit of units) {
    for (const [i, text] of shapes(unit, chars).entries()) {
      const once = measureMin(() => target.run(text), 2);
      if (once < FLOOR_MICROSECONDS) continue;
      const long = shapes(unit, 4 * chars)[i] as string;
      const grown = measureMin(() => target.run(long), 1);
      // A collection, or a tick of a coarse clock, looks like growth; over many runs it is little.
      const isSuspect = grown / once / 4 > SUSPECT_FACTOR;
      const short = isSuspect
        ? Math.max(
            mean(() => target.run(text), 16),
            FLOOR_MICROSECONDS / 2,
          )
        : once;
      const time = isSuspect ? mean(() => target.run(long), 4) : grown;
      const factor = time / short / 4;
      if (factor > worst.factor) worst = { name: target.name, unit, factor, ns_per_char: (time * 1000) / long.length };
    }
  }
  return worst;
}
