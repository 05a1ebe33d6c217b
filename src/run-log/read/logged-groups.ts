// Reads the input for rescoring a run: the specs that the run used, and the values and verdicts of its
// groups, page by page. Independent of the scoring.
import { and, eq, gt, gte, lte, type SQL, sql } from "drizzle-orm";
import type { Valued } from "../../core/asking/signal-value.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { LoggedGroup, LoggedRollout, LoggedVerdict } from "../../core/reward/replay/logged-group.ts";
import type { LoggedWanted, SpecUse, StepBounds } from "../../ports/run-log.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";
import { groupKey } from "./group-rows.ts";
import { paged, requestsOf } from "./run-pages.ts";

function requestsWithin(run: RunKey, { from, to }: StepBounds): SQL | undefined {
  const { step, kind, groups } = requests;
  const bounds = [from === null ? undefined : gte(step, from), to === null ? undefined : lte(step, to)];
  return and(requestsOf(run), eq(kind, "rewards"), gt(groups, 0), ...bounds);
}

/** Reads the specs that the run's reward requests used in these steps, at most rescore_specs_max + 1. */
export async function specsUsed(db: Database, run: RunKey, steps: StepBounds): Promise<SpecUse[]> {
  const { rows } = await db.execute<{ cell: SpecUse }>(sql`
WITH used AS (
  SELECT spec_hash, bool_or(step IS NULL) AS no_step
  FROM requests WHERE ${requestsWithin(run, steps)} GROUP BY spec_hash ORDER BY spec_hash LIMIT ${LIMITS.rescore_specs_max + 1}
)
SELECT json_build_object('spec_hash', spec_hash, 'spec', spec, 'no_step', no_step) AS cell
FROM used JOIN specs USING (spec_hash) ORDER BY spec_hash`);
  return rows.map(({ cell }) => cell);
}

/**
 * Whether any rollout in these steps lacks its length in tokens. Reads every rollout if none does, so call
 * this only if a spec needs lengths.
 */
export async function lacksLengths(db: Database, run: RunKey, steps: StepBounds): Promise<boolean> {
  const { rows } = await db.execute<{ lacks: boolean }>(sql`
SELECT EXISTS (SELECT 1 FROM requests JOIN rollouts r USING (request_id)
  WHERE ${requestsWithin(run, steps)} AND r.length_tokens IS NULL) AS lacks`);
  return rows[0]?.lacks === true;
}

interface GroupRowKey {
  request_id: string;
  group_index: number;
}

type ValueCell = readonly [value: number | null, code: ItemErrorCode | null, refused?: boolean];

/** A group as assembled by Postgres. */
interface Cell extends GroupRowKey, Pick<LoggedGroup, "spec_hash" | "step" | "rollouts"> {
  /** Components under a spec without signals, one entry per rollout. */
  flat: { base: number | null; format: number; overlong: number; error: ItemErrorCode | null }[];
  signals: Record<string, ValueCell[]> | null;
  verdicts: LoggedVerdict[] | null;
}

/**
 * Yields a run's groups, oldest request first, reading at most about rescore_page_rows rows per round trip.
 */
export async function* loggedGroups(
  db: Database,
  run: RunKey,
  steps: StepBounds,
  wanted: LoggedWanted,
): AsyncGenerator<LoggedGroup> {
  const first: GroupRowKey = { request_id: "", group_index: -1 };
  for await (const cell of paged<Cell, GroupRowKey>(first, 1, (after) => page(db, run, steps, wanted, after))) {
    yield loggedGroup(cell);
  }
}

const OF_PAGE = sql`request_id = page.request_id AND group_index = page.group_index`;

const VERDICTS = sql`(SELECT json_agg(json_build_object('signal', signal, 'comparison', comparison, 'sample', sample,
    'order', shown_order, 'letter', letter, 'scores', scores, 'verdict', verdict, 'status', status, 'error', error)
    ORDER BY comparison, sample) FROM verdicts WHERE ${OF_PAGE})`;

// Reads the groups that follow the key, up to rescore_page_rows rows, but at least one group.
async function page(
  db: Database,
  run: RunKey,
  steps: StepBounds,
  { spec_hashes, verdicts }: LoggedWanted,
  { request_id, group_index }: GroupRowKey,
): Promise<Cell[]> {
  const hashes = sql`${arrayLiteral(spec_hashes)}::text[]`;
  const rowsOf = verdicts ? sql`generations + cardinality(win_counts)` : sql`cardinality(win_counts)`;
  const { rows } = await db.execute<{ cell: Cell }>(sql`
WITH behind AS (
  SELECT requests.request_id, requests.step, requests.spec_hash, own.group_index, own.size,
    sum(own.size) OVER (ORDER BY requests.request_id, own.group_index) AS total
  FROM requests CROSS JOIN LATERAL (
    SELECT group_index, ${rowsOf} AS size FROM groups
    WHERE groups.request_id = requests.request_id AND (groups.request_id, group_index) > (${request_id}, ${group_index})
    ORDER BY group_index LIMIT ${LIMITS.rescore_page_groups}
  ) AS own
  WHERE ${requestsWithin(run, steps)} AND requests.spec_hash = ANY(${hashes}) AND requests.request_id >= ${request_id}
  ORDER BY requests.request_id, own.group_index LIMIT ${LIMITS.rescore_page_groups}
), page AS MATERIALIZED (SELECT * FROM behind WHERE total - size < ${LIMITS.rescore_page_rows})
SELECT json_build_object(
  'request_id', request_id, 'group_index', group_index, 'spec_hash', spec_hash, 'step', step,
  'rollouts', (SELECT json_agg(json_build_object('reward', reward, 'format_ok', format_ok, 'jams_judge', jams_judge,
    'duplicate_of', duplicate_of, 'length_tokens', length_tokens, 'candidate_hash', candidate_hash)
    ORDER BY rollout_index) FROM rollouts WHERE ${OF_PAGE}),
  'flat', (SELECT json_agg(json_build_object('base', base, 'format', format, 'overlong', overlong, 'error', error)
    ORDER BY rollout_index) FROM rollouts WHERE ${OF_PAGE}),
  'signals', (SELECT json_object_agg(signal, cells) FROM (
    SELECT signal, json_agg(json_build_array(value, code, coalesce(detail::text LIKE '%"refused":true%', false)) ORDER BY rollout_index) AS cells FROM signals WHERE ${OF_PAGE} GROUP BY signal) AS told),
  'verdicts', ${verdicts ? VERDICTS : sql`NULL`}) AS cell
FROM page ORDER BY request_id, group_index`);
  return rows.map(({ cell }) => cell);
}

function loggedGroup({ request_id, group_index, flat, signals, verdicts, ...cell }: Cell): LoggedGroup {
  return {
    ...cell,
    group_id: groupKey(request_id, group_index),
    rollouts: cell.rollouts satisfies readonly LoggedRollout[],
    values: signals === null ? flatValues(flat) : named(signals),
    refused: refusedIn(signals ?? {}),
    verdicts: verdicts ?? [],
  };
}

const valuedCell = ([value, code]: ValueCell) => ({ value, code }) as Valued;

const named = (signals: Record<string, ValueCell[]>): LoggedGroup["values"] =>
  Object.fromEntries(Object.entries(signals).map(([name, cells]) => [name, cells.map(valuedCell)]));

function refusedIn(signals: Record<string, ValueCell[]>): LoggedGroup["refused"] {
  const all = Object.entries(signals).map(([name, cells]): [string, number[]] => [
    name,
    cells.flatMap(([, , refused], r) => (refused === true ? r : [])),
  ]);
  return Object.fromEntries(all.filter(([, rollouts]) => rollouts.length > 0));
}

/**
 * Signal values of a group whose spec has no signals. Only the base reward can be missing, and then the
 * rollout's error says why.
 */
function flatValues(rows: Cell["flat"]): LoggedGroup["values"] {
  return {
    base: rows.map(({ base, error }) => valuedCell([base, base === null ? error : null])),
    format: rows.map(({ format }) => valuedCell([format, null])),
    overlong: rows.map(({ overlong }) => valuedCell([overlong, null])),
  };
}
