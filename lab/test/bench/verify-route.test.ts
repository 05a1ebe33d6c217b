// The benchmark of the verify adapter at small size: its figures of bytes and connections are valid at
// any size; and the largest group fits an isolate.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import type { WorkerModules } from "../../../scripts/stack/worker-modules.ts";
import { type Backends, post, startBackends } from "../../bench/edge-client.ts";
import { isMet } from "../../bench/figures.ts";
import { rewardsRequest } from "../../bench/loads.ts";
import { checkReply } from "../../bench/rewards-route.ts";
import { benchVerifyRoute, PROGRAM_LINES_700_TOKENS } from "../../bench/verify-route.ts";
import { startWorkerd } from "../../bench/workerd.ts";

let script: WorkerModules;
let backends: Backends;
beforeAll(async () => {
  [script, backends] = await Promise.all([bundleWorker(), startBackends()]);
});
afterAll(() => backends.close());

describe("the verify adapter in workerd", () => {
  it("sends a group of 16 over one connection in a tenth of the openai adapter's bytes", async () => {
    const batch = { groups: 1, rollouts: 16, thoughts: 40, lines: PROGRAM_LINES_700_TOKENS };
    const figures = await benchVerifyRoute(script, backends, batch, 1);
    expect(figures).toHaveLength(8);
    for (const { name, median, min, max } of figures)
      expect([median, min, max].every(Number.isFinite), name).toBe(true);
    const byName = new Map(figures.map((figure) => [figure.name, figure]));
    for (const name of ["bytes, verify / openai", "connections, group of 16, verify"]) {
      expect(isMet(byName.get(name) as (typeof figures)[0]), name).toBe(true);
    }
  });

  it("sends a group that fills a body, in two bytes per character, from a heap of 96 MiB", async () => {
    const batch = { groups: 1, rollouts: 29, thoughts: 0, lines: 9000 };
    const request = { ...rewardsRequest(batch), spec: { candidate: { max_chars: 524_288 } } };
    const body = JSON.stringify(request).replaceAll("# line 8999 of", "# 第8999行 of");
    expect(Buffer.byteLength(body)).toBeGreaterThan(14_000_000);
    const workerd = await startWorkerd({ script, vars: backends.gateway, v8Flags: ["--max-heap-size=96"] });
    try {
      checkReply(await post(`${workerd.url}/v1/rewards`, body), batch, false);
    } finally {
      await workerd.close();
    }
  });
});
