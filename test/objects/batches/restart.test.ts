// Batches and Idempotency-Keys in workerd, ended and started again over the same storage on disk,
// as a deployment or a crash does.
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Edge, startEdge } from "../../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../../scripts/stack/worker-modules.ts";
import { BatchReplySchema } from "../../../src/api/routes/batches.ts";
import { temporaryFolder } from "../../e2e/temporary-folder.ts";
import { answer, silence } from "../../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../../harness/production-limits.ts";

const yes = answer("\\boxed{A}");
let script: WorkerModules;
let mock: MockVerifier;
let edge: Edge;
let folder: ReturnType<typeof temporaryFolder>;

const start = async () => {
  const vars = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
  edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars, objectsDir: folder.path });
};

/** The counts of the limits' emulation end with the process, so it is asked before each end. */
const end = async () => {
  try {
    await expectWithinLimits(edge.url);
  } finally {
    await edge.close();
  }
};

beforeAll(async () => {
  script = await bundleLimitedWorker();
});
beforeEach(async () => {
  folder = temporaryFolder();
  mock = await startMockVerifier(() => yes);
  await start();
});
afterEach(async () => {
  try {
    await end();
  } finally {
    await mock.close();
    folder.remove();
  }
});

const rollouts = (n: number) => Array.from({ length: n }, (_, i) => ({ text: `\`\`\`python\nx = ${i}\n\`\`\`` }));
const body = (...sizes: number[]) => ({ groups: sizes.map((n, g) => ({ prompt: `p${g}`, rollouts: rollouts(n) })) });

const post = (content: unknown, headers: Record<string, string>) =>
  fetch(`${edge.url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(content),
  });

const submit = async (content: unknown, headers: Record<string, string> = {}) => {
  const response = await post(content, { prefer: "respond-async", ...headers });
  expect(response.status).toBe(202);
  return response.headers.get("location") as string;
};

const batch = async (location: string, init: RequestInit = {}) =>
  BatchReplySchema.parse(await (await fetch(edge.url + location, init)).json());

/** Values of all objects whose names begin so, read from their files while they are used. */
function kept(prefix: string): number {
  const files = globSync("**/*.sqlite", { cwd: folder.path }).filter((name) => !name.includes("metadata"));
  return files.reduce((sum, file) => {
    const database = new DatabaseSync(join(folder.path, file), { readOnly: true });
    try {
      const query = "SELECT count(*) AS n FROM _cf_KV WHERE key LIKE ?";
      return sum + Number(database.prepare(query).get(`${prefix}%`)?.n);
    } catch {
      return sum;
    } finally {
      database.close();
    }
  }, 0);
}

it("a batch that was broken off goes on by itself, asks only what was not answered, and ends as if nothing had been", async () => {
  mock.script = ({ index }) => (index < 5 ? yes : silence());
  const location = await submit(body(2, 4));
  await expect.poll(() => mock.log.length).toBe(7);
  await expect.poll(() => kept("judged:")).toBe(5);
  const before = await batch(location);
  expect(before).toMatchObject({ state: "running", progress: { comparisons_total: 7, comparisons_done: 5 } });
  await end();
  mock.script = () => yes;
  await start();
  // Without a request the alarm alone takes the batch up.
  await expect.poll(() => kept("reply.")).toBe(1);
  expect(mock.log).toHaveLength(9);
  const after = await batch(location);
  expect(after).toMatchObject({
    state: "done",
    progress: { comparisons_total: 7, comparisons_done: 7, groups_done: 2 },
  });
  expect(after.reply).toMatchObject({
    request_id: location.split("/").at(-1),
    groups: [{ status: "ok" }, { status: "ok" }],
  });
  await end();
  await start();
  expect(await batch(location)).toEqual(after);
  expect([mock.log.length, kept("request.")]).toEqual([9, 0]);
});

it("a batch that is cancelled closes its connections to the verifier and stays cancelled over a restart", async () => {
  mock.script = ({ index }) => (index < 1 ? yes : silence());
  const location = await submit(body(2, 3));
  await expect.poll(async () => (await batch(location)).progress.groups_done).toBe(1);
  await expect.poll(() => mock.log.length).toBe(4);
  const cancelled = await batch(location, { method: "DELETE" });
  expect(cancelled).toMatchObject({ state: "cancelled", results: [{ index: 0 }] });
  await expect.poll(() => mock.counters.client_closed).toBe(3);
  await end();
  await start();
  expect(await batch(location)).toEqual(cancelled);
  expect(mock.log).toHaveLength(4);
});

it("a reply that is kept is given again after a restart, and nothing is asked for it", async () => {
  const headers = { "idempotency-key": "k" };
  const first = await (await post(body(3), headers)).text();
  await end();
  await start();
  const again = await post(body(3), headers);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await again.text()).toBe(first);
  expect((await post(body(4), headers)).status).toBe(422);
  expect(mock.log).toHaveLength(3);
  const location = await submit(body(3), { "idempotency-key": "later" });
  await end();
  await start();
  expect(await submit(body(3), { "idempotency-key": "later" })).toBe(location);
  expect(await batch(`${location}?wait=20`)).toMatchObject({ state: "done" });
});
