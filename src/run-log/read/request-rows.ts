// Reads one logged request with its groups.
import { and, eq } from "drizzle-orm";
import { type Owner, ownerName } from "../../core/contract/owner.ts";
import type { RequestRow } from "../../ports/logged-rows.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";
import { groupsOf } from "./group-rows.ts";

/** The request and its groups in order; null if `owner` (null: any owner) has no request with this id. */
export async function requestRow(db: Database, requestId: string, owner: Owner | null): Promise<RequestRow | null> {
  const [row] = await db
    .select()
    .from(requests)
    .where(and(eq(requests.request_id, requestId), owner === null ? undefined : eq(requests.owner, owner)));
  if (row === undefined) return null;
  // Read after the request's row, which becomes visible together with its groups; a concurrent read could
  // miss them.
  const groups = await groupsOf(db, requestId);
  const { request_id, kind, run_id, step, spec_hash, items } = row;
  const { parse_rate, tau_b_mean, tau_b_undefined, list_acc, reward_mean, reward_std } = row;
  return {
    request_id,
    kind,
    owner: ownerName(row.owner),
    run_id,
    step,
    spec_hash,
    items,
    created_at: row.created_at.toISOString(),
    metrics: { parse_rate, tau_b_mean, tau_b_undefined, list_acc, reward_mean, reward_std },
    timing_ms: { total: row.total_ms, verifier: row.verifier_ms, overhead: row.overhead_ms },
    warnings: [...row.warnings],
    groups,
  };
}
