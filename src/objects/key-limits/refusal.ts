// Errors for requests that exceed a key's limit, and the check to make before storing anything.
import { ApiError, type RequestErrorCode } from "../../core/faults/errors.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { Grant, KeyLimitName, KeyLimits } from "../../ports/key-limits.ts";

const REFUSALS: Readonly<Record<KeyLimitName, RequestErrorCode>> = {
  rpm: "rate_limited",
  tokens_per_day: "token_budget_exceeded",
  usd_per_day: "budget_spent",
  log_rows_per_day: "log_budget_exceeded",
  concurrency: "too_many_concurrent",
  stored_bytes: "storage_budget_exceeded",
};

/** The 429 error for a limit that has been reached, with a `Retry-After` header. */
export function limitRefusal(name: KeyLimitName, { retry_after_s, limits }: Grant): ApiError {
  const quota = limits.find(({ limit }) => limit === name)?.quota;
  const detail = `The key's limit ${name} = ${quota} is reached. Try again in ${retry_after_s} s.`;
  return new ApiError(REFUSALS[name], detail, { headers: { "retry-after": `${retry_after_s}` } });
}

/**
 * Checks the key's storage limit. Call this before a request stores new data. If the request is refused, the
 * key's counters are called in the background, so that requests are admitted as soon as there is space.
 * @param keepAlive keeps the background call alive after the reply
 * @throws ApiError `storage_budget_exceeded`
 */
export function requireStorage(
  { keyLimits, metrics }: { keyLimits: KeyLimits | null; metrics: Metrics },
  key: string | null,
  keepAlive: (work: Promise<void>) => void,
): void {
  const refusal = keyLimits?.refusalToStore(key) ?? null;
  if (keyLimits === null || refusal === null) return;
  keepAlive(keyLimits.store(key, 0, 0));
  metrics.add("kritai_key_limit_refusals_total", 1, { limit: "stored_bytes" });
  throw limitRefusal("stored_bytes", refusal);
}
