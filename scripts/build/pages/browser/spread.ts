// How a run's rewards are spread over its steps: counts between common edges, from the groups of
// evenly chosen steps, which are read when somebody asks for them.
import { el } from "./dom.ts";
import { groups, type StepRow } from "./log.ts";
import { counted, figure } from "./numbers.ts";

/** Rewards of complete groups, by step. */
export interface Spread {
  /**
   * Ends of the bins, ascending. A bin holds its lower end, the last one both; empty: no reward.
   */
  edges: readonly number[];
  steps: readonly { step: number; counts: readonly number[] }[];
}

const BINS = 20;
/** Steps whose groups are read: a chart has no room for more columns. */
const STEPS_MOST = 70;
/** Requests under way at the same time. */
const AT_ONCE = 4;

/**
 * Edges of `bins` bins of one width from `low` to `high`, ascending; of one bin where both are
 * equal. Halves, so that no difference is beyond what a double holds.
 */
function edgesBetween(low: number, high: number, bins: number): number[] {
  if (low === high) return [low, high];
  const half = high / 2 - low / 2;
  return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : low + (i / bins) * half + (i / bins) * half));
}

/** Counts rewards in `bins` bins from the lowest to the highest. Steps without a reward are left out. */
export function spreadOf(
  rewards: readonly (readonly [step: number, values: readonly number[]])[],
  bins = BINS,
): Spread {
  let [low, high] = [Infinity, -Infinity];
  for (const [, values] of rewards) {
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (low > high) return { edges: [], steps: [] };
  const edges = edgesBetween(low, high, bins);
  const inner = edges.slice(1, -1);
  const steps = rewards
    .filter(([, values]) => values.length > 0)
    .map(([step, values]) => {
      const counts = edges.slice(1).map(() => 0);
      for (const value of values) {
        const above = inner.findIndex((edge) => value < edge);
        const bin = above < 0 ? inner.length : above;
        counts[bin] = (counts[bin] as number) + 1;
      }
      return { step, counts };
    });
  return { edges, steps };
}

/** At most `most` of them, at even distances, with the first and the last. */
export function evenly<T>(all: readonly T[], limit: number): T[] {
  if (all.length <= limit) return [...all];
  return Array.from({ length: limit }, (_, i) => all[Math.round((i * (all.length - 1)) / (limit - 1))] as T);
}

async function rewardsAt(id: string, owner: string | null, step: number): Promise<[number, number[]]> {
  const { rows } = await groups(id, step, owner);
  const complete = rows.filter(({ result }) => result.status === "ok");
  return [step, complete.flatMap(({ rewards }) => rewards.filter((reward) => reward !== null))];
}

/**
 * A button that reads how rewards are spread over the run's steps.
 * @param rows the run's rows as they are when the button is pressed
 */
export function spreading(
  { id, owner }: { id: string; owner: string | null },
  rows: () => readonly StepRow[],
  onRead: (spread: Spread) => void,
): HTMLElement {
  const state = el("span", { class: "soft", role: "status" });
  const read = async () => {
    const known = rows().flatMap(({ step, groups: count }) => (step === null || count === 0 ? [] : [step]));
    const steps = evenly(known, STEPS_MOST);
    const found: [number, number[]][] = [];
    try {
      while (found.length < steps.length) {
        state.textContent = `Loading: ${figure(found.length)} of ${counted(steps.length, "step")}`;
        const part = steps.slice(found.length, found.length + AT_ONCE);
        found.push(...(await Promise.all(part.map((step) => rewardsAt(id, owner, step)))));
      }
      const spread = spreadOf(found);
      const none = spread.edges.length === 0 ? "No complete group has a reward. " : "";
      const part = steps.length < known.length ? ` of ${figure(known.length)}, evenly spaced` : "";
      state.textContent = `${none}Rewards of ${counted(steps.length, "step")}${part}.`;
      onRead(spread);
    } catch (fault) {
      state.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  };
  const button = el(
    "button",
    { type: "button", class: "small", onclick: () => void read() },
    "Show the distribution of rewards",
  );
  return el("p", {}, button, " ", state);
}
