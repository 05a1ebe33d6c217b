// Owns the in-memory stand-ins for the ports: what stands here and in the files that it hands on.
// Knows no HTTP.
import { readFile } from "node:fs/promises";
import type { Clock } from "../../src/scoring/ports.ts";

export * from "./fake-run-log.ts";
export * from "./fake-stores.ts";
export * from "./fake-verifier.ts";
export { groupRows, groupVerdicts, requestRow, storedSignals, storedTexts } from "./logged-entries.ts";

/** A clock that moves only when told. */
export function fixedClock(start = Date.UTC(2026, 10, 21)): Clock & { advance(ms: number): void } {
  let now = 0;
  return {
    now: () => now,
    date: () => new Date(start + now),
    advance(ms) {
      now += ms;
    },
  };
}

/** The static assets as the Worker's binding serves them. */
export async function committedAssets(path: string): Promise<Response> {
  return new Response(await readFile(new URL(`../../public${path}`, import.meta.url)));
}
