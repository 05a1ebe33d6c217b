// The benchmark of POST /v1/rewards in a bare workerd through the `openai` adapter: its CPU a comparison,
// with and without the run log.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, repeated } from "./figures.ts";
import { FETCHING_ONLY, fetchingOnly } from "./floors.ts";
import { type Batch, comparisonsOf, rewardsRequest } from "./loads.ts";
import { startWorkerd } from "./workerd.ts";

const CPU_MS_MOST = 0.25;

interface Reply {
  logged: boolean;
  groups: { status: string; verifier: { generations: number; parsed: number } }[];
}

/**
 * Throws unless every comparison was asked and read, and logged when it should be: a fast failure is not a
 * result.
 */
export function checkReply(text: string, batch: Batch, logged: boolean): void {
  const reply = JSON.parse(text) as Reply;
  const parsed = reply.groups.reduce((sum, { verifier }) => sum + verifier.parsed, 0);
  if (parsed !== comparisonsOf(batch)) throw new Error(`${parsed} verdicts, expected ${comparisonsOf(batch)}`);
  if (reply.logged !== logged) throw new Error(`logged: ${reply.logged}, expected ${logged}`);
}

async function benchFetching(backends: Backends, batch: Batch, rounds: number): Promise<Figure> {
  const workerd = await startWorkerd({ script: FETCHING_ONLY, vars: backends.verifier });
  try {
    const count = comparisonsOf(batch);
    const body = fetchingOnly(count, await backends.question());
    return await repeated("a Worker that only makes the same fetches", "CPU ms/comparison", null, rounds, async () => {
      const before = workerd.cpuMs();
      await post(workerd.url, body);
      return (workerd.cpuMs() - before) / count;
    });
  } finally {
    await workerd.close();
  }
}

/**
 * User and system time of workerd a comparison, ms; mock and load generator are other processes.
 */
export async function benchRewardsRoute(
  script: WorkerModules,
  backends: Backends,
  batch: Batch,
  rounds: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const logged of [false, true]) {
    const vars = { ...backends.verifier, ...(logged && backends.database) };
    const workerd = await startWorkerd({ script, vars });
    try {
      const body = JSON.stringify(rewardsRequest(batch));
      const size = `${batch.groups} x ${batch.rollouts}`;
      const name = `/v1/rewards ${size} through openai, ${logged ? "run log written" : "no run log"}`;
      const measure = async () => {
        const before = workerd.cpuMs();
        const reply = await post(`${workerd.url}/v1/rewards`, body);
        const spent = workerd.cpuMs() - before;
        checkReply(reply, batch, logged);
        return spent / comparisonsOf(batch);
      };
      figures.push(await repeated(name, "CPU ms/comparison", { max: CPU_MS_MOST }, rounds, measure));
    } finally {
      await workerd.close();
    }
  }
  figures.push(await benchFetching(backends, batch, rounds));
  return figures;
}
