// Rounds of one key's requests without and with another key's flood, and the ratio of their p99.
import { percentile } from "../../src/core/math/stats.ts";
import { type Figure, figure } from "./figures.ts";

const RATIO_MOST = 1.5;
const p99 = (times: readonly number[]) =>
  percentile(
    [...times].sort((a, b) => a - b),
    0.99,
  );

export interface Rounds {
  requests: number;
  rounds: number;
}

/**
 * The p99 of what `one` takes, with a flood over without. Rounds of both take turns, so that a busy
 * machine is in both.
 * @param elsewhere sends the same flood to another process, to measure what the machine alone costs
 */
export async function ratios(
  what: string,
  { requests, rounds }: Rounds,
  sendRequest: () => Promise<void>,
  flood: (over: AbortSignal) => Promise<unknown>,
  elsewhere: ((over: AbortSignal) => Promise<unknown>) | null = null,
): Promise<Figure[]> {
  const latencies = async () => {
    const taken: number[] = [];
    for (let i = 0; i < requests; i++) {
      const started = performance.now();
      await sendRequest();
      taken.push(performance.now() - started);
    }
    return p99(taken);
  };
  const beside = async (flooded: typeof flood) => {
    const over = new AbortController();
    const flooding = flooded(over.signal);
    const taken = await latencies();
    over.abort();
    await flooding;
    return taken;
  };
  await latencies();
  const [quiet, ratio, machine]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const without = await latencies();
    quiet.push(without);
    if (elsewhere !== null) machine.push((await beside(elsewhere)) / without);
    ratio.push((await beside(flood)) / without);
  }
  return [
    ...(elsewhere === null
      ? []
      : [
          figure(`${what}: p99 of another key, with the flood at another edge relative to without`, "x", null, machine),
        ]),
    figure(`${what}: p99 of another key, with relative to without`, "x", { max: RATIO_MOST }, ratio),
    figure(`${what}: p99 of another key, without`, "ms", null, quiet),
  ];
}
