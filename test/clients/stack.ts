// Helpers shared by the tests of real client libraries: the local stack under production's limits with a key
// and a scripted verifier, replies by status, and the waits of a retrying client.
import { createHash, randomUUID } from "node:crypto";
import { onTestFinished, vi } from "vitest";
import { startProgram } from "../../lab/bench/program.ts";
import { LETTERS, parsePrompt } from "../../src/core/judges/render.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { answer, status } from "../harness/mock-behaviours.ts";
import { type MockVerifier, type Script, startMockVerifier } from "../harness/mock-verifier.ts";
import { expectWithinLimits } from "../harness/production-limits.ts";

export interface ClientStack {
  url: string;
  key: string;
  /** From here on the verifier fails as `script` says; `prefersLongest` is what it did before. */
  verifier: MockVerifier;
  close(): Promise<void>;
}

/** The verifier's usual answer: the longest candidate, so that a right order is known. */
export const prefersLongest: Script = ({ body }) => {
  const shown = parsePrompt(body.messages.at(-1)?.content as string)?.candidates ?? [];
  const lengths = shown.map(({ code }) => code.length);
  return answer(`\\boxed{${LETTERS[lengths.indexOf(Math.max(...lengths))]}}`);
};

/**
 * Refuses the next `times` questions. A Retry-After beyond the deadline passes each refusal on to
 * the client at once.
 */
export function refusing(code: 400 | 429 | 502, times: number, retry_after_s = 900): Script {
  let left = times;
  return (request) => (left-- > 0 ? status(code, { "retry-after": `${retry_after_s}` }) : prefersLongest(request));
}

/** The whole product as a separate process: edge in workerd, embedded Postgres, one configured key. */
export async function startClientStack(): Promise<ClientStack> {
  const folder = temporaryFolder();
  const verifier = await startMockVerifier(prefersLongest);
  const key = randomUUID();
  const program = await startProgram("test/harness/production-limits/start.ts", {
    PORT: "0",
    DATA_DIR: folder.path,
    API_KEYS: `client:${createHash("sha256").update(key).digest("hex")}:score+logs+admin`,
    VERIFIER_URL: verifier.url,
    VERIFIER_MODEL: "mock-model",
  });
  return {
    url: program.url,
    key,
    verifier,
    async close() {
      try {
        await expectWithinLimits(program.url);
      } finally {
        await program.close();
        await verifier.close();
        folder.remove();
      }
    },
  };
}

/** A fetch that keeps the status of each reply: how often a client asked, and the answers. */
export function statusKeeper(): { statuses: number[]; fetch: typeof fetch } {
  const statuses: number[] = [];
  return {
    statuses,
    fetch: async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    },
  };
}

/** Kritai's Retry-After, ms: `verifier_overloaded` (429) and `verifier_unavailable` (503). */
const RETRY_AFTER_MS = [1_000, 5_000, 30_000, 40_000];

/**
 * Until the test ends, a wait as long as Retry-After says passes at once; returns those waits. A client's own
 * back-off is another wait.
 */
export function skippedWaits(): number[] {
  const waits: number[] = [];
  const sleep = globalThis.setTimeout;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0, ...rest: []) => {
    const isWait = RETRY_AFTER_MS.includes(ms);
    if (isWait) waits.push(ms);
    return sleep(run, isWait ? 0 : ms, ...rest);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  return waits;
}
