// The benchmark of a foreign contract against the native route: what /v2/rerank adds to /v1/rewards for the
// same comparisons.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure, repeated } from "./figures.ts";
import { rewardsRequest } from "./loads.ts";
import { startWorkerd } from "./workerd.ts";

const ADDED_MS_MOST = 2;

export interface ContractsLoad {
  /** Documents of a query, rollouts of a group. */
  rollouts: number;
  /** Requests to each route a round. */
  requests: number;
}

/**
 * The same work for both routes: one group, and its texts as the documents of its prompt, under the
 * spec that reranking chooses.
 */
function bodies(rollouts: number): { native: string; rerank: string } {
  const { groups } = rewardsRequest({ groups: 1, rollouts, thoughts: 1000 });
  const [{ prompt, rollouts: given }] = groups as [(typeof groups)[0]];
  const texts = given.map(({ text }) => text);
  return {
    native: JSON.stringify({
      spec: { format: { penalty: 0 } },
      groups: [{ prompt, rollouts: texts.map((text) => ({ text })) }],
    }),
    rerank: JSON.stringify({ model: "default", query: prompt, documents: texts }),
  };
}

async function timed(url: string, body: string, expected: string): Promise<number> {
  const started = performance.now();
  const text = await post(url, body);
  const ms = performance.now() - started;
  if (!text.includes(expected)) throw new Error(`not an answer: ${text.slice(0, 200)}`);
  return ms;
}

const p50 = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/**
 * Wall time of one request after the other; the routes take turns, so that a busy machine slows
 * both, and the goal is the difference.
 */
export async function benchContracts(
  script: WorkerModules,
  backends: Backends,
  { rollouts, requests }: ContractsLoad,
  rounds: number,
): Promise<Figure[]> {
  const workerd = await startWorkerd({ script, vars: backends.verifier });
  const { native, rerank } = bodies(rollouts);
  const medians: { native: number[]; rerank: number[] } = { native: [], rerank: [] };
  try {
    const added = await repeated(
      `/v2/rerank of ${rollouts} documents, added to /v1/rewards`,
      "ms p50",
      { max: ADDED_MS_MOST },
      rounds,
      async () => {
        const times: typeof medians = { native: [], rerank: [] };
        for (let i = 0; i < requests; i++) {
          times.native.push(await timed(`${workerd.url}/v1/rewards`, native, '"status":"ok"'));
          times.rerank.push(await timed(`${workerd.url}/v2/rerank`, rerank, '"relevance_score"'));
        }
        medians.native.push(p50(times.native));
        medians.rerank.push(p50(times.rerank));
        return p50(times.rerank) - p50(times.native);
      },
    );
    return [
      figure(`/v1/rewards, one group of ${rollouts}`, "ms p50", null, medians.native.slice(-rounds)),
      figure(`/v2/rerank, ${rollouts} documents`, "ms p50", null, medians.rerank.slice(-rounds)),
      added,
    ];
  } finally {
    await workerd.close();
  }
}
