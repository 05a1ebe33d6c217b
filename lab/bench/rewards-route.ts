// Owns the benchmark of POST /v1/rewards in a bare workerd through the `openai` adapter: its CPU a
// comparison, with and without the run log.
import { type Backends, post } from "./edge-client.ts";
import { type Figure, repeated } from "./figures.ts";
import { type Batch, comparisonsOf, rewardsRequest } from "./loads.ts";
import { startWorkerd } from "./workerd.ts";

const CPU_MS_MOST = 0.25;

interface Reply {
  logged: boolean;
  groups: { status: string; verifier: { generations: number; parsed: number } }[];
}

/**
 * Throws unless every comparison was asked and read, and logged when it should be: a fast failure
 * is no result.
 */
export function checkReply(text: string, batch: Batch, logged: boolean): void {
  const reply = JSON.parse(text) as Reply;
  const parsed = reply.groups.reduce((sum, { verifier }) => sum + verifier.parsed, 0);
  if (parsed !== comparisonsOf(batch)) throw new Error(`${parsed} verdicts, expected ${comparisonsOf(batch)}`);
  if (reply.logged !== logged) throw new Error(`logged: ${reply.logged}, expected ${logged}`);
}

/**
 * What the runtime takes by itself: as many questions of the same size, six at a time, their
 * answers read and thrown away.
 */
const FETCHING_ONLY = `export default {
  async fetch(request, { VERIFIER_URL }) {
    const { count, body } = await request.json();
    const headers = { "content-type": "application/json" };
    let left = count;
    const lane = async () => {
      while (left-- > 0) await (await fetch(VERIFIER_URL + "/v1/chat/completions", { method: "POST", headers, body })).text();
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    return new Response("ok");
  },
};`;

async function benchFetching(backends: Backends, count: number, rounds: number): Promise<Figure> {
  const workerd = await startWorkerd({ script: FETCHING_ONLY, vars: backends.verifier });
  try {
    const { groups } = rewardsRequest({ groups: 1, rollouts: 2, thoughts: 0 });
    const body = JSON.stringify({ count, body: JSON.stringify(groups) });
    return await repeated("a Worker that only fetches as much", "CPU ms/comparison", null, rounds, async () => {
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
  script: string,
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
      figures.push(await repeated(name, "CPU ms/comparison", { most: CPU_MS_MOST }, rounds, measure));
    } finally {
      await workerd.close();
    }
  }
  figures.push(await benchFetching(backends, comparisonsOf(batch), rounds));
  return figures;
}
