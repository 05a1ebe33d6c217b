// The Worker and its group rooms in workerd, ended and started again over the same storage on disk,
// as a deployment or a crash does.
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Edge, startEdge } from "../../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../../scripts/stack/worker-modules.ts";
import { temporaryFolder } from "../../e2e/temporary-folder.ts";
import { answer, silence } from "../../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../../harness/production-limits.ts";

const yes = answer("\\boxed{A}");
let script: WorkerModules;
let mock: MockVerifier;
let edge: Edge;
let folder: ReturnType<typeof temporaryFolder>;

const start = async (EARLY_JUDGING: string) => {
  const vars = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model", EARLY_JUDGING };
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
});
afterEach(async () => {
  try {
    await end();
  } finally {
    await mock.close();
    folder.remove();
  }
});

/** Posts the i-th sample of one prompt as slime does. */
const send = async (i: number, query: string) => {
  const body = { prompt: "p", response: `\`\`\`python\nx = ${i}\n\`\`\``, label: "l" };
  const headers = { "content-type": "application/json" };
  const url = `${edge.url}/slime/reward?format=object&${query}`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as { score: number; rm_members: number; rm_attached: number };
};

/** How many values the one object keeps under names that begin so, read from its file while it runs. */
function kept(prefix: string): number {
  const [file] = globSync("**/*.sqlite", { cwd: folder.path }).filter((name) => !name.includes("metadata"));
  if (file === undefined) return 0;
  const database = new DatabaseSync(join(folder.path, file), { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM _cf_KV WHERE key GLOB ?").get(`${prefix}.*`)?.n);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

describe.each(["off", "on"])("with EARLY_JUDGING %s", (early) => {
  it("a group that was gathering goes on: retries attach to their samples, and the missing member completes it", async () => {
    await start(early);
    const cut = Promise.allSettled([0, 1].map((i) => send(i, "group_size=3&tries=1")));
    await expect.poll(() => kept("member")).toBe(2);
    // What is stored of what was asked early is not asked again.
    if (early === "on") await expect.poll(() => kept("journal")).toBe(1);
    await end();
    expect((await cut).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await start(early);
    const got = await Promise.all([0, 1, 2].map((i) => send(i, "group_size=3&tries=1")));
    expect(got.map(({ rm_members, rm_attached }) => [rm_members, rm_attached])).toEqual([
      [3, 1],
      [3, 1],
      [3, 0],
    ]);
    expect(mock.log).toHaveLength(3);
  });

  it("a judgement that was broken off goes on by itself, and asks only what was not answered", async () => {
    await start(early);
    mock.script = ({ index }) => (index < 4 ? yes : silence());
    const cut = Promise.allSettled([0, 1, 2, 3].map((i) => send(i, "group_size=4")));
    await expect.poll(() => mock.log.length).toBe(6);
    await expect.poll(() => kept("journal")).toBe(4);
    await end();
    await cut;
    mock.script = () => yes;
    await start(early);
    // Without a request the alarm alone takes the judgement up.
    await expect.poll(() => kept("answer")).toBe(4);
    expect(mock.log).toHaveLength(8);
    const got = await Promise.all([0, 1, 2, 3].map((i) => send(i, "group_size=4")));
    expect(got.map(({ rm_members, rm_attached }) => [rm_members, rm_attached])).toEqual(Array(4).fill([4, 1]));
    expect(got.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(2);
    expect(mock.log).toHaveLength(8);
  });
});
