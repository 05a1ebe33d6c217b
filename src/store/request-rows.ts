// Owns reading one logged request whole. Knows no HTTP.
import { eq } from "drizzle-orm";
import type { RequestRow } from "../ports.ts";
import type { Database } from "./connection.ts";
import { groupsOf } from "./group-rows.ts";
import { requests } from "./schema.ts";

/** The request and its groups in the request's order; null for an id that is not in the log. */
export async function requestRow(db: Database, requestId: string): Promise<RequestRow | null> {
  const [row] = await db.select().from(requests).where(eq(requests.request_id, requestId));
  if (row === undefined) return null;
  // After the row, which is stored together with its groups: read beside it, they could be missed.
  const groups = await groupsOf(db, requestId);
  const { request_id, kind, run_id, step, spec_hash, items } = row;
  const { parse_rate, tau_b_mean, tau_b_undefined, list_acc, reward_mean, reward_std } = row;
  return {
    request_id,
    kind,
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
