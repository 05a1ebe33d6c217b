// The search for texts that cost more CPU than their length: every place and every pair of places of every
// route's example, headers, paths and queries, filled with what the parsers look for, grown by doubling. The
// cost of the request with its own text is not counted.
import { threadCpuUsage } from "node:process";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { costProbes, type Probe } from "./cost-probes.ts";
import { FRAGMENTS } from "./inputs.ts";

/** The goal: CPU a KiB of what is sent, ms; a clear violation is ten times as much. */
export const GOAL_MS_A_KIB = 10;
const VIOLATION = 10;
/** The cost that a text may add to any request, and what a coarse clock reads as such, ms. */
const FLOOR_MS = 40;
/** Factor over the request's cost with its own text: noise may double that. */
const BASE_FACTOR = 2;
/** A text whose hash measures a machine's speed, and its CPU where the goal was set, ms. */
const MEASURED = "ab ".repeat(2 ** 22);
const MEASURED_MS = 20;
/** Time grows with the length to this power at most; 1 is linear. */
const EXPONENT_MAX = 1.5;
/** Below it growth says more of the collector than of the handler, ms. */
const GROWTH_MS = 150;
const FIRST_CHARS = 8_192;
const DOUBLINGS = 2;
const TIMES = 3;

export interface CostFinding {
  probe: string;
  unit: string;
  chars: number;
  /** Time of one request, and of it with its own text. */
  ms: number;
  base_ms: number;
  ms_a_kib: number;
  exponent: number | null;
}

const cpuMs = () => {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
};

/** A piece repeated, many of it one behind another, nested, and with an end that does not match. */
export const SHAPES: readonly ((unit: string, chars: number) => string)[] = [
  (unit, chars) => unit.repeat(Math.ceil(chars / unit.length)),
  (unit, chars) => `${unit.repeat(Math.ceil(chars / unit.length))}\u0001x`,
  (unit, chars) => `${unit} `.repeat(Math.ceil(chars / (unit.length + 1))),
  (unit, chars) => `\\boxed{${unit.repeat(Math.ceil(chars / unit.length))}`,
];

/** Beside the parsers' own pieces: what numbers, templates and look-alikes are made of. */
const UNITS = [
  ...FRAGMENTS,
  ...["/", "%2f", ";", "charset=", "1e400", "1e-400", "9", "1,", "1/", "{{", "a b ", "\\frac{1}{2}"],
  ...["\uFDFA", "ﬃ", "½", "²", "10^", "\u00c5", "İ", "()", "min(", "q+", "-", "a.", "x\n", "def a(", "(a|b)*", "a{99}"],
];

async function measureMin(work: () => unknown, times: number, now: () => number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const started = now();
    await work();
    best = Math.min(best, now() - started);
  }
  return best;
}

/** How many times slower this machine is than the one that the goal was set on; 1 where it is faster. */
const slownessNow = async () =>
  Math.max(1, (await measureMin(() => hashText(MEASURED), 2 * TIMES, cpuMs)) / MEASURED_MS);

/**
 * A search for what is clearly too much of one probe under one shape; null where nothing is. What
 * counts is what the text adds to the request with its own, which is measured once a probe. Units:
 * chars, ms; `now` is the CPU time used so far.
 */
export function costFinder(slowness: number, now: () => number = cpuMs) {
  const bases = new Map<string, number>();
  const floor_ms = FLOOR_MS * slowness;
  const goal = GOAL_MS_A_KIB * slowness;
  async function baseOf(probe: Probe): Promise<number> {
    const base = bases.get(probe.name) ?? (await measureMin(() => probe.send(probe.own_text), TIMES, now));
    bases.set(probe.name, base);
    return base;
  }
  return async (probe: Probe, unit: string, shape: (typeof SHAPES)[number]): Promise<CostFinding | null> => {
    let found: CostFinding | null = null;
    let before = Number.NaN;
    const first = Math.min(FIRST_CHARS, probe.chars_max >> DOUBLINGS);
    for (let doubling = 0, chars = first; doubling <= DOUBLINGS; doubling++, chars *= 2) {
      const text = shape(unit, chars);
      const once = await measureMin(() => probe.send(text), 1, now);
      // Twice the text at the square of its time would still be little.
      if (doubling === 0 && once < floor_ms / 4) return null;
      const base_ms = await baseOf(probe);
      const limit_ms = floor_ms + BASE_FACTOR * base_ms;
      if (doubling === 0 && once - base_ms < floor_ms / 4) return null;
      const ms = once < limit_ms ? once : Math.min(once, await measureMin(() => probe.send(text), TIMES - 1, now));
      const added = ms - BASE_FACTOR * base_ms;
      const exponent = before > limit_ms ? Math.log2((ms - base_ms) / (before - base_ms)) : null;
      const ms_a_kib = added / ((text.length + probe.other_chars) / 1024);
      const dear = added > floor_ms && ms_a_kib > goal * VIOLATION;
      const grows = exponent !== null && exponent > EXPONENT_MAX && added > GROWTH_MS * slowness && ms_a_kib > goal;
      if (dear || grows) found = { probe: probe.name, unit, chars: text.length, ms, base_ms, ms_a_kib, exponent };
      before = ms;
    }
    return found;
  };
}

/** Searches for so long, in an order drawn by the seed, each probe as often as any other. */
export async function searchCost(seconds: number, seed: number) {
  const random = createRandom(seed);
  const probes = await costProbes();
  const until = performance.now() + seconds * 1000;
  const findings: CostFinding[] = [];
  const finding = costFinder(await slownessNow());
  let tried = 0;
  while (performance.now() < until) {
    for (const probe of shuffled(probes, random)) {
      if (performance.now() >= until) break;
      const unit = UNITS[Math.floor(random() * UNITS.length)] as string;
      const shape = SHAPES[Math.floor(random() * SHAPES.length)] as (typeof SHAPES)[number];
      const found = await finding(probe, unit, shape);
      tried++;
      if (found !== null) findings.push(found);
    }
  }
  return { probes: probes.length, tried, findings };
}
