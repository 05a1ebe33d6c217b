// The limits of Cloudflare's production for integration tests: the local runtime enforces none of them.
// Bundles the Worker inside a wrapper that does, and reads its report. Every test in test/ that starts the
// product's Worker in workerd runs this one, and so does chaos; its last line is expectWithinLimits. These do
// not, on purpose: test/e2e/stack and demo and test/tools/schemathesis.sh run `npm start` or `npm run demo`
// as a person does, with the bundle that those make; lab/bench and `npm run lab -- soak` measure the Worker,
// which a wrapper would slow (where memory is measured, its heap is capped there); the stack that `npm run
// evaluate` starts is that command's own.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { OBJECTS } from "../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type LimitsReport, overrunsOf, PATH } from "./production-limits/ledger.ts";

const pathOf = (path: string) => new URL(path, import.meta.url).pathname;
const quoted = (path: string) => JSON.stringify(path);

/**
 * The Worker as `bundleWorker` gives it, under production's limits: six connections waiting an
 * invocation, for headers or for a queue (a seventh waits, and is counted), 10,000 subrequests
 * (fetches, calls to objects, sends to queues), a queue's message and batch sizes, 30 s of work
 * after the client has gone.
 * @param options.entry a Worker's file in place of the product's, whose objects are `objects`
 */
export async function bundleLimitedWorker({
  entry = pathOf("../../src/worker.ts"),
  objects = Object.values(OBJECTS) as readonly string[],
} = {}): Promise<WorkerModules> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-limits-"));
  const limited = join(folder, "worker.ts");
  const exported = objects.map((name) => `export const ${name} = limitedObject(product.${name});`);
  writeFileSync(
    limited,
    `import * as product from ${quoted(entry)};
import { limitedObject, limitedWorker } from ${quoted(pathOf("production-limits/worker.ts"))};
export default limitedWorker(product.default);
${exported.join("\n")}
`,
  );
  try {
    return await bundleWorker({ entry: limited });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The activity of the limited Worker at `url` since it was started. */
export async function limitsReport(url: string): Promise<LimitsReport> {
  return (await (await fetch(`${url}${PATH}`)).json()) as LimitsReport;
}

/**
 * Nothing that production would have refused, cancelled or silently held back. A restart begins a
 * new report: ask before it too.
 */
export async function expectWithinLimits(url: string): Promise<void> {
  const report = await limitsReport(url);
  assert.ok(report.invocations > 0, "no invocation was counted");
  assert.deepEqual(overrunsOf(report), [], JSON.stringify(report));
}
