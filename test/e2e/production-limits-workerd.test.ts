// The emulation of production's limits around a real Worker in workerd: calls to objects and sends
// to queues are subrequests, and a heap has its end.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import { openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { PRODUCTION } from "../harness/production-limits/ledger.ts";
import { bundleLimitedWorker, expectWithinLimits, limitsReport } from "../harness/production-limits.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let script: WorkerModules;
const folder = temporaryFolder();
beforeAll(async () => {
  const entry = new URL("../harness/production-limits/overrunning-worker.ts", import.meta.url).pathname;
  script = await bundleLimitedWorker({ entry });
});
afterAll(() => folder.remove());

type Running = Edge & AsyncDisposable & { does(way: string, count: number): Promise<string> };

async function started(): Promise<Running> {
  const queues = openLocalQueues({ dataDir: folder.path, queues: QUEUES });
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars: {}, queues });
  return {
    ...edge,
    does: async (way, count) => (await fetch(`${edge.url}/${way}?count=${count}`)).text(),
    async [Symbol.asyncDispose]() {
      await edge.close();
      await queues.close();
    },
  };
}

const { subrequests_max } = PRODUCTION;

test.each(["call", "fetch", "call-from-object"])(
  "the 10,001st subrequest by %s is refused, and the check at a test's end says so",
  async (way) => {
    await using edge = await started();
    expect(await edge.does(way, subrequests_max)).toBe("done");
    await expectWithinLimits(edge.url);
    expect(await edge.does(way, subrequests_max + 1)).toBe("production limit: more than 10000 subrequests");
    await expect(expectWithinLimits(edge.url)).rejects.toThrow("more than 10000 subrequests");
  },
);

test.each(["call", "fetch", "call-from-object", "send"])("each %s is one subrequest of its invocation", async (way) => {
  await using edge = await started();
  for (const count of [3, 2]) expect(await edge.does(way, count)).toBe("done");
  expect(await limitsReport(edge.url)).toMatchObject({ subrequests_max: 3, violations: [] });
});

test("an isolate may hold 64 MB in its heap and not 128 MB", async () => {
  await using edge = await started();
  expect(await edge.does("hold", 64)).toBe("done");
  await expect(edge.does("hold", 64)).rejects.toThrow();
});
