// Owns the limits of Cloudflare's production for integration tests: the local runtime enforces none of them. Bundles the Worker inside a wrapper that does, and reads its report.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { bundleWorker, OBJECTS } from "../scripts/local/edge.ts";
import { type LimitsReport, PATH, PRODUCTION } from "./production-limits/ledger.ts";

const quoted = (path: string) => JSON.stringify(new URL(path, import.meta.url).pathname);

/**
 * The Worker as `bundleWorker` gives it, under production's limits: six fetches waiting for headers an invocation (a seventh waits, and is
 * counted), 10,000 subrequests, a queue's message and batch sizes, 30 s of work after the client has gone. An isolate's 128 MB are held by
 * `npm run bench -- --only memory`, which can cap a heap.
 */
export async function bundleLimitedWorker(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-limits-"));
  const entry = join(folder, "worker.ts");
  const objects = Object.values(OBJECTS).map((name) => `export const ${name} = limitedObject(product.${name});`);
  writeFileSync(
    entry,
    `import * as product from ${quoted("../src/worker.ts")};
import { limitedObject, limitedWorker } from ${quoted("./production-limits/worker.ts")};
export default limitedWorker(product.default);
${objects.join("\n")}
`,
  );
  try {
    return await bundleWorker({ entry });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the limited Worker at `url` has done so far. */
export async function limitsReport(url: string): Promise<LimitsReport> {
  return (await (await fetch(`${url}${PATH}`)).json()) as LimitsReport;
}

/** Nothing that production would have refused, cancelled or silently held back. */
export async function expectWithinLimits(url: string): Promise<void> {
  const report = await limitsReport(url);
  expect(report).toMatchObject({ violations: [], held_back: 0 });
  expect(report.headers_waiting_max).toBeLessThanOrEqual(PRODUCTION.headers_waiting_max);
}
