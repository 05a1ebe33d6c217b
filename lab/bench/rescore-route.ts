// The benchmark of scoring a logged run again: the local stack's edge and database, a log that is written
// without a verifier, and the time until the last line is there.

import { startEdge } from "../../scripts/stack/edge.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createRequestIds } from "../../src/platform/request-ids.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, preferring } from "../../test/harness/fakes.ts";
import { post } from "./edge-client.ts";
import { type Figure, repeated } from "./figures.ts";
import { rewardsRequest } from "./loads.ts";

const SIGNALS = {
  quality: { kind: "tournament", score: "win_rate" },
  format: { kind: "format", rules: ["has_candidate"], penalty: 1 },
  short: { kind: "length", form: "linear", max: 1000 },
};
const SPECS = {
  "another expression": { signals: SIGNALS, reward: "zscore(quality) + 0.5 * format + 0.1 * rank(short)" },
  "another score, recomputed from verdicts": {
    signals: { ...SIGNALS, quality: { ...SIGNALS.quality, score: "copeland" } },
  },
};
/** Issue 16: 1,000 groups on the local stack. */
const MS_MOST = 5_000;
const A_REQUEST = 50;

/** Logs `groups` groups, scored by a verifier that answers in this process. */
export async function fill(fetchEndpoint: string, groups: number, rollouts: number): Promise<void> {
  const runLog = createNeonRunLog({ databaseUrl: "", fetchEndpoint, clock: systemClock });
  const nextId = createRequestIds(() => Date.now());
  const verifier = fakeVerifier(preferring((text) => text.length % 97));
  const clock = systemClock;
  const spec = SignalsSpecSchema.parse({ signals: SIGNALS });
  const { signal } = new AbortController();
  for (let step = 0; step * A_REQUEST < groups; step++) {
    const request = RewardsRequestSchema.parse({
      ...rewardsRequest({ groups: A_REQUEST, rollouts, thoughts: 100 }),
      step,
    });
    const { entry } = await scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
    await runLog.append({ ...entry, request_id: nextId(), key_name: null, kind: "rewards", created_at: new Date() });
  }
}

/** Asks for the whole run under each spec; throws for a stream without its end. */
export async function benchRescore(script: WorkerModules, load: { groups: number; rollouts: number }, rounds: number) {
  const backend = await createPglite(null);
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const vars = { VERIFIER_URL: "http://127.0.0.1:9", VERIFIER_MODEL: "none", DATABASE_FETCH_ENDPOINT: endpoint.url };
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars });
  try {
    await fill(endpoint.url, load.groups, load.rollouts);
    const figures: Figure[] = [];
    for (const [name, spec] of Object.entries(SPECS)) {
      const ask = async () => {
        const started = performance.now();
        const text = await post(`${edge.url}/v1/runs/bench/rescore`, JSON.stringify({ spec }));
        const end = JSON.parse(text.trimEnd().split("\n").at(-1) as string);
        if (end.type !== "end" || end.complete !== load.groups)
          throw new Error(`the stream ended with ${text.slice(-300)}`);
        return performance.now() - started;
      };
      const label = `rescoring ${load.groups} groups of ${load.rollouts}, ${name}`;
      figures.push(await repeated(label, "ms", { max: MS_MOST }, rounds, ask));
    }
    return figures;
  } finally {
    await edge.close();
    await endpoint.close();
    await backend.close();
  }
}
