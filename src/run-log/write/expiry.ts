// The hourly sweep: finishes interrupted deletions, and deletes rows past their key's retention.
import type { DeadLetterStore } from "../../core/contract/dead-letter.ts";
import { EVERYONE } from "../../core/contract/group-sizes.ts";
import type { Whose } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { DeletedRows, LogExpiry } from "../../ports/run-changes.ts";

interface SweepDeps {
  expiry: LogExpiry;
  letters: Pick<DeadLetterStore, "expire"> | null;
  /**
   * Retention in days by key name; `*` applies to all other keys and to requests without a key. Rows to which
   * no entry applies never expire.
   */
  days: ReadonlyMap<string, number>;
  /** Milliseconds since 1970. */
  now(): number;
}

const DAY_MS = 86_400_000;

/**
 * Deletes in batches for at most `expiry_ms`; the next sweep continues. Rejects with the database's error.
 * @returns the number of requests deleted
 */
export async function sweep({ expiry, letters, days, now }: SweepDeps): Promise<number> {
  const until = now() + LIMITS.expiry_ms;
  const started = new Date(now());
  let requests = 0;
  const all = async (next: () => Promise<DeletedRows | null>) => {
    for (let some = await next(); some !== null; some = await next()) {
      requests += some.requests;
      if (now() >= until) return;
    }
  };
  await all(() => expiry.deleteMarked());
  const named = [...days.keys()].filter((name) => name !== EVERYONE);
  for (const [name, kept_days] of days) {
    const ownerFilter: Whose = name === EVERYONE ? { not: named } : { owner: name };
    const before = new Date(started.getTime() - kept_days * DAY_MS);
    await letters?.expire(before.toISOString(), ownerFilter);
    await all(() => expiry.deleteOlder(ownerFilter, before));
  }
  return requests;
}
