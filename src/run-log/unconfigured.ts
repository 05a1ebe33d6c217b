// Placeholders for a database that is not configured: every call throws an error that names the missing
// variable.
import { ApiError } from "../core/faults/errors.ts";
import type { RunLog } from "../ports/run-log.ts";

function missing(variable: string): ApiError {
  return new ApiError("not_configured", `${variable} is not set.`, {
    errors: [{ path: variable, message: "required" }],
  });
}

/**
 * A run log whose methods all throw `not_configured`. Scoring continues and reports that it was not logged.
 */
export function unconfiguredRunLog(variable: string): RunLog {
  const refuse = async (): Promise<never> => {
    throw missing(variable);
  };
  return {
    append: refuse,
    runs: refuse,
    owners: refuse,
    run: refuse,
    steps: refuse,
    health: refuse,
    groups: refuse,
    request: refuse,
    texts: refuse,
    verdicts: refuse,
    // biome-ignore lint/correctness/useYield: it refuses before there is anything to yield.
    async *exportRows() {
      throw missing(variable);
    },
    specsUsed: refuse,
    lacksLengths: refuse,
    // biome-ignore lint/correctness/useYield: it refuses before there is anything to yield.
    async *loggedGroups() {
      throw missing(variable);
    },
    describe: refuse,
    markDeleted: refuse,
    deleteRows: refuse,
    check: async () => ({ ok: false, latency_ms: 0, detail: "not configured" }),
  };
}

/** Named specs and templates without a database: only the built-in ones are available. */
export function unconfiguredNames(variable: string): {
  get: () => Promise<never>;
  save: () => Promise<never>;
  page: () => Promise<never>;
  names: () => Promise<never>;
} {
  const refuse = async (): Promise<never> => {
    throw missing(variable);
  };
  return { get: refuse, save: refuse, page: refuse, names: refuse };
}
