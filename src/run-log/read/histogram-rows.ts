// Owns how a run's rewards are spread, step by step: counts between common edges, and at which
// steps each spec was used. Knows SQL, not the wire's routes.
import { type SQL, sql } from "drizzle-orm";
import { edgesBetween } from "../../core/math/stats.ts";
import { BY_STEP, type RunAxis } from "../../ports/run-axis.ts";
import type { RewardHistogram, RunKey } from "../../ports/run-log.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import type { Database } from "../db/connection.ts";
import { lastRequests } from "./health-rows.ts";

const rewards = (requests: SQL) => sql`
  SELECT req.k, r.reward FROM (${requests}) AS req
  JOIN groups g USING (request_id) JOIN rollouts r USING (request_id, group_index)
  WHERE g.status = 'ok' AND r.reward IS NOT NULL`;

const spanStatement = (requests: SQL) => sql`
WITH rewarded AS (${rewards(requests)}), used AS (
  SELECT spec_hash, min(k) AS first_step, max(k) AS last_step FROM (${requests}) AS req GROUP BY spec_hash
)
SELECT (SELECT json_build_object('low', min(reward), 'high', max(reward)) FROM rewarded) AS span,
  (SELECT coalesce(json_agg(used ORDER BY first_step, spec_hash), '[]') FROM used) AS specs`;

// Postgres only compares: a difference of two rewards may be beyond what a double holds.
const countStatement = (requests: SQL, inner: readonly number[]) => sql`
WITH rewarded AS (${rewards(requests)}), placed AS (
  SELECT k, width_bucket(reward, ${arrayLiteral(inner)}::float8[]) AS bin, count(*) AS n FROM rewarded GROUP BY 1, 2
)
SELECT json_build_object('step', k, 'bins', json_object_agg(bin, n)) AS cell FROM placed GROUP BY k ORDER BY k`;

interface ValueSpan {
  span: { low: number | null; high: number | null };
  specs: RewardHistogram["specs"];
}

/**
 * Rewards of complete groups over the run's last `steps` steps, in at most `bins` bins of one
 * width.
 */
export async function rewardHistogram(
  db: Database,
  run: RunKey,
  { steps, bins }: { steps: number; bins: number },
  axis: RunAxis = BY_STEP,
): Promise<RewardHistogram> {
  const wanted = lastRequests(run, steps, axis);
  const [found] = (await db.execute<ValueSpan & Record<string, unknown>>(spanStatement(wanted))).rows;
  const { span, specs } = found as ValueSpan;
  if (span.low === null || span.high === null) return { edges: [], steps: [], specs };
  const edges = edgesBetween(span.low, span.high, bins);
  const counted = await db.execute<{ cell: { step: number; bins: Record<string, number> } }>(
    countStatement(wanted, edges.slice(1, -1)),
  );
  const rows = counted.rows.map(({ cell }) => ({
    step: cell.step,
    counts: edges.slice(1).map((_, bin) => cell.bins[bin] ?? 0),
  }));
  return { edges, steps: rows, specs };
}
