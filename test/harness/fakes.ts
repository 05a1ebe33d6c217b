// The in-memory stand-ins for the ports: those here and in the files that it exports.

import { readFile } from "node:fs/promises";
import { buildAssets } from "../../scripts/stack/assets.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock } from "../../src/ports/ports.ts";

export * from "./fake-run-log.ts";
export * from "./fake-stores.ts";
export * from "./fake-verifier.ts";
export { groupRows, groupVerdicts, requestRow, storedSignals, storedTexts, storedTurns } from "./logged-entries.ts";

/**
 * A clock that moves only when told; its timers are the runtime's. `begun` is its first `now()`, ms.
 */
export function fixedClock(start = Date.UTC(2026, 10, 21), begun = 0): Clock & { advance(ms: number): void } {
  let passed = 0;
  return {
    ...systemClock,
    now: () => begun + passed,
    date: () => new Date(start + passed),
    advance(ms) {
      passed += ms;
    },
  };
}

let building: Promise<void> | undefined;

/** The static assets as the Worker's binding serves them: built once for all that a test asks. */
export async function builtAssets(path: string): Promise<Response> {
  building ??= buildAssets();
  await building;
  const found = await readFile(new URL(`../../public${path}`, import.meta.url)).catch(() => null);
  return found === null ? new Response(null, { status: 404 }) : new Response(found);
}
