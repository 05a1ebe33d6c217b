// The benchmark of one key's idle uploads against another key's requests, in bare workerd: the p99 with them
// over the p99 without.
import { createHash } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { type Figure, figure } from "./figures.ts";
import { startWorkerd } from "./workerd.ts";

const RATIO_MOST = 1.5;
const UPLOADS = 4;
const KEYS = ["idle", "busy"] as const;

const digest = (key: string) => createHash("sha256").update(key).digest("hex");

/** An upload announced at the largest size, of which `bytes` are sent and no more. */
async function idleUpload(url: string, bytes: number): Promise<ClientRequest> {
  const headers = {
    authorization: `Bearer ${KEYS[0]}`,
    "content-type": "application/json",
    "content-length": `${LIMITS.body_bytes}`,
  };
  const upload = request(`${url}/v1/verdicts`, { method: "POST", headers });
  upload.on("error", () => undefined);
  await new Promise<void>((resolve) => upload.write(" ".repeat(bytes), () => resolve()));
  return upload;
}

const BODY = JSON.stringify({ formulation: "list_em", items: [{ text: "", candidates: 2, correct: 0 }] });

/** The other key's latencies, one request after another, ms. Throws for one that is refused. */
async function latencies(url: string, requests: number): Promise<number[]> {
  const taken: number[] = [];
  const headers = { authorization: `Bearer ${KEYS[1]}`, "content-type": "application/json" };
  for (let i = 0; i < requests; i++) {
    const started = performance.now();
    const reply = await fetch(`${url}/v1/verdicts`, { method: "POST", headers, body: BODY });
    await reply.text();
    if (reply.status !== 200)
      throw new Error(`during another key's idle uploads a request was answered ${reply.status}`);
    taken.push(performance.now() - started);
  }
  return taken;
}

/** With and without take turns, so that a busy machine is in both. */
export async function benchIdleUploads(
  script: WorkerModules,
  { requests, rounds }: { requests: number; rounds: number },
): Promise<Figure[]> {
  const vars = { API_KEYS: KEYS.map((key) => `${key}:${digest(key)}`).join(",") };
  const workerd = await startWorkerd({ script, vars });
  try {
    await latencies(workerd.url, requests);
    const p99 = async () =>
      percentile(
        (await latencies(workerd.url, requests)).sort((a, b) => a - b),
        0.99,
      );
    const ratios: number[] = [];
    const quiet: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const without = await p99();
      // Half stand still at once, half when they are all but done.
      const sent = (i: number) => (i % 2 === 0 ? 1 : LIMITS.body_bytes - 1);
      const uploads = await Promise.all(Array.from({ length: UPLOADS }, (_, i) => idleUpload(workerd.url, sent(i))));
      ratios.push((await p99()) / without);
      quiet.push(without);
      for (const upload of uploads) upload.destroy();
    }
    return [
      figure("idle uploads: p99 of another key, with relative to without", "x", { max: RATIO_MOST }, ratios),
      figure("idle uploads: p99 of another key, without", "ms", null, quiet),
    ];
  } finally {
    await workerd.close();
  }
}
