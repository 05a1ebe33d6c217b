// The benchmark of POST /v1/verdicts in a bare workerd: items a second of its CPU, for one large request and
// for many small ones.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { post } from "./edge-client.ts";
import { type Figure, repeated } from "./figures.ts";
import { verdictsBody } from "./loads.ts";
import { type BareWorkerd, startWorkerd } from "./workerd.ts";

const ITEMS_LEAST = 60_000;

export interface VerdictsLoad {
  /** Items a request. */
  items: number;
  /**
   * Requests a round: enough for some hundred ms of CPU, since the kernel counts in steps of 10 ms.
   */
  requests: number;
}

/** Throughput a second of workerd's user and system time, all its threads together. */
export async function benchVerdictsRoute(
  script: WorkerModules,
  loads: readonly VerdictsLoad[],
  rounds: number,
): Promise<Figure[]> {
  const workerd = await startWorkerd({ script });
  try {
    const figures: Figure[] = [];
    for (const load of loads) figures.push(await throughput(workerd, load, rounds));
    return figures;
  } finally {
    await workerd.close();
  }
}

async function throughput(workerd: BareWorkerd, { items, requests }: VerdictsLoad, rounds: number): Promise<Figure> {
  const body = verdictsBody(items);
  const url = `${workerd.url}/v1/verdicts`;
  const { rewards } = JSON.parse(await post(url, body)) as { rewards: unknown[] };
  if (rewards.length !== items) throw new Error(`${rewards.length} rewards for ${items} items`);
  const name = `/v1/verdicts list_em, ${items} items per request`;
  return repeated(name, "items/CPU s", { min: ITEMS_LEAST }, rounds, async () => {
    const before = workerd.cpuMs();
    for (let i = 0; i < requests; i++) await post(url, body);
    // Less than a step of the kernel's clock cannot be measured.
    return (items * requests * 1000) / Math.max(10, workerd.cpuMs() - before);
  });
}
