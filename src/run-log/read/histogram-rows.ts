// Owns how a run's rewards are spread, step by step: counts between common edges, and at which
// steps each spec was used. Knows SQL, not the wire's routes.
import { sql } from "drizzle-orm";
import { edgesBetween } from "../../core/math/stats.ts";
import type { RewardHistogram, RunKey } from "../../ports/run-log.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import type { Database } from "../db/connection.ts";
import { requestsOfLast } from "./health-rows.ts";

const rewards = (run: RunKey, steps: number) => sql`
  SELECT req.step AS k, r.reward FROM requests req
  JOIN groups g USING (request_id) JOIN rollouts r USING (request_id, group_index)
  WHERE req.request_id IN (SELECT request_id FROM requests WHERE ${requestsOfLast(run, steps)}) AND g.status = 'ok' AND r.reward IS NOT NULL`;

const spanStatement = (run: RunKey, steps: number) => sql`
WITH rewarded AS (${rewards(run, steps)}), used AS (
  SELECT spec_hash, min(step) AS first_step, max(step) AS last_step FROM requests WHERE ${requestsOfLast(run, steps)} GROUP BY spec_hash
)
SELECT (SELECT json_build_object('low', min(reward), 'high', max(reward)) FROM rewarded) AS span,
  (SELECT coalesce(json_agg(used ORDER BY first_step, spec_hash), '[]') FROM used) AS specs`;

// Postgres only compares: a difference of two rewards may be beyond what a double holds.
const countStatement = (run: RunKey, steps: number, inner: readonly number[]) => sql`
WITH rewarded AS (${rewards(run, steps)}), placed AS (
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
): Promise<RewardHistogram> {
  const [found] = (await db.execute<ValueSpan & Record<string, unknown>>(spanStatement(run, steps))).rows;
  const { span, specs } = found as ValueSpan;
  if (span.low === null || span.high === null) return { edges: [], steps: [], specs };
  const edges = edgesBetween(span.low, span.high, bins);
  const counted = await db.execute<{ cell: { step: number; bins: Record<string, number> } }>(
    countStatement(run, steps, edges.slice(1, -1)),
  );
  const rows = counted.rows.map(({ cell }) => ({
    step: cell.step,
    counts: edges.slice(1).map((_, bin) => cell.bins[bin] ?? 0),
  }));
  return { edges, steps: rows, specs };
}
