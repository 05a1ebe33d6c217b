// Converts a log entry into rows of the run log's tables. Builds no statements and opens no connections.

import type { RolloutResult } from "../../core/contract/group-reply.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { AuditVerdictRow, GroupEntry, LogEntry, RolloutRow, VerdictRow } from "../../ports/log-entry.ts";
import type { InsertRow } from "../db/bulk-insert.ts";
import type { groups, requests, rollouts, texts, turns } from "../db/schema.ts";
import type { auditVerdicts, verdicts, verdictTexts } from "../db/verdict-tables.ts";
import type { Envelope, RequestRows } from "./envelope.ts";

/** A row without the columns that all rows of a request share. Times in an envelope are ISO strings. */
type RowOf<T extends { $inferInsert: object }> = Omit<T["$inferInsert"], SharedColumn>;
type SharedColumn = "request_id" | "spec_hash" | "run_id" | "step" | "created_at";

/** `rollout_index` under which a group's prompt is stored. */
const PROMPT_INDEX = -1;

/** Converts a request into rows. Within a table, rows keep the order of the request. */
export function entryRows(entry: LogEntry): RequestRows {
  const { request_id, spec_hash, run_id, step, key_name } = entry;
  return {
    request_id,
    // The key's name is a column of the request only. Repeated here, it identifies the owner if a part
    // becomes a dead letter.
    shared: { spec_hash, run_id, step, key_name, created_at: entry.created_at.toISOString() },
    rows: {
      groups: entry.groups.map(groupRow),
      rollouts: entry.groups.flatMap((group, g) => group.rollouts.map((_, r) => rolloutRow(group, g, r))),
      verdicts: entry.groups.flatMap((group, g) => group.verdicts.map((verdict) => verdictRow(verdict, g))),
      texts: textRows(entry),
      turns: entry.groups.flatMap(turnRows),
      verdict_texts: entry.groups.flatMap(verdictTextRows),
      audit_verdicts: entry.groups.flatMap(({ audit_verdicts = [] }, g) => audit_verdicts.map((v) => auditRow(v, g))),
      signals: entry.groups.flatMap(({ signals = [] }, group_index) => signals.map((row) => ({ group_index, ...row }))),
    },
    head: { row: requestRow(entry), spec: entry.spec, totals: runTotals(entry) },
  };
}

/** Puts the whole request into one envelope, whatever its size. */
export function wholeEnvelope(entry: LogEntry): Envelope {
  const { head, ...request } = entryRows(entry);
  return { ...request, head: { ...head, counts: null } };
}

function groupRow({ result, prompt_hash, language, circles }: GroupEntry, group_index: number): RowOf<typeof groups> {
  const { latency_ms, schedule, chosen, why, cut = 0, ...use } = result.verifier;
  const { cyclic, agreement, tie_rate, decided_rate, ...otherMetrics } = result.metrics;
  const { parts_correlation = null, ...metrics } = otherMetrics;
  const measures = { cyclic, agreement, tie_rate, decided_rate };
  const unasked = result.rollouts.map((rollout) => rollout.unasked ?? 0);
  const { points } = result;
  return {
    group_index,
    group_id: result.group_id,
    prompt_hash,
    language,
    status: result.status,
    win_counts: result.win_counts,
    selected: result.selected,
    selected_tied: result.selected_tied,
    ...metrics,
    parts_correlation,
    triples: circles?.triples ?? null,
    circles: circles?.circles ?? null,
    shared_turns: result.shared_turns ?? null,
    contest: points === undefined ? null : { points, unasked, measures, asked: { schedule, chosen, why } },
    ...use,
    cut,
    latency_p50_ms: latency_ms.p50,
    latency_p99_ms: latency_ms.p99,
    latency_max_ms: latency_ms.max,
  };
}

function rolloutRow(
  { result, rollouts: logged, audit = [] }: GroupEntry,
  group_index: number,
  rollout_index: number,
): RowOf<typeof rollouts> {
  // In a spec with signals, components and errors have their own rows. Fields that only some rollouts have
  // are null in the others, because all rows of a table need the same columns.
  const { components, errors, ...rolloutResult } = result.rollouts[rollout_index] as RolloutResult;
  const { reward, error, wins, losses, ties, undecided, forfeits, unparsed } = rolloutResult;
  const { votes, rank, duplicate_of, format_ok, jams_judge, shown = null, left_out = null } = rolloutResult;
  const counts = { wins, losses, ties, undecided, forfeits, unparsed, votes };
  const answered = { reward, error, ...counts, rank, duplicate_of, format_ok, jams_judge, shown, left_out };
  const { base = null, format, overlong } = errors === undefined ? components : {};
  const { text: _, turn_hashes, ...row } = logged[rollout_index] as RolloutRow;
  const scored = { base, format: format ?? 0, overlong: overlong ?? 0, audit: audit[rollout_index] ?? null };
  return { group_index, rollout_index, ...answered, ...scored, ...row, turns: turn_hashes?.length ?? null };
}

/** Turn hashes of a group's rollouts, truncated in number and length to fit one queue message. */
function turnRows({ rollouts: logged }: GroupEntry, group_index: number): RowOf<typeof turns>[] {
  return logged.flatMap(({ turn_hashes }, rollout_index) => {
    if (turn_hashes === undefined) return [];
    const hashes = turn_hashes.slice(0, LIMITS.turn_hashes_max).map((hash) => hash.slice(0, LIMITS.turn_hash_chars));
    return [{ group_index, rollout_index, hashes: hashes.join("") }];
  });
}

function verdictRow({ order, text: _, ...verdict }: VerdictRow, group_index: number): RowOf<typeof verdicts> {
  return { group_index, ...verdict, ...columnsOf(order, verdict) };
}

function auditRow({ order, text, ...verdict }: AuditVerdictRow, group_index: number): RowOf<typeof auditVerdicts> {
  return { group_index, ...verdict, ...columnsOf(order, verdict), text: text ?? null };
}

/** Verdict fields that the table stores in a different form. Every row has all keys. */
function columnsOf(order: VerdictRow["order"], { scores, turns }: Pick<VerdictRow, "scores" | "turns">) {
  const named = turns === undefined ? null : [...turns];
  return { shown_order: [...order], scores: scores === null ? null : [...scores], turns: named };
}

function verdictTextRows({ verdicts: asked }: GroupEntry, group_index: number): RowOf<typeof verdictTexts>[] {
  return asked.flatMap(({ comparison, sample, text }) =>
    text === undefined ? [] : [{ group_index, comparison, sample, text }],
  );
}

function textRows(entry: LogEntry): RowOf<typeof texts>[] {
  return entry.groups.flatMap(({ prompt, rollouts: logged }, group_index) =>
    [prompt, ...logged.map((rollout) => rollout.text)].flatMap((text, at) =>
      text === null
        ? []
        : textParts(text).map((cut, part) => ({ group_index, rollout_index: at + PROMPT_INDEX, part, text: cut })),
    ),
  );
}

/**
 * Splits a string into parts of at most `text_part_chars` characters, never inside a surrogate pair. An empty
 * string gives one empty part.
 */
function textParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  do {
    let to = Math.min(text.length, from + LIMITS.text_part_chars);
    const splits = to < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(to - 1, to + 1));
    if (splits) to--;
    parts.push(text.slice(from, to));
    from = to;
  } while (from < text.length);
  return parts;
}

function requestRow(entry: LogEntry): RowOf<typeof requests> & InsertRow {
  const { metrics, timing_ms, groups: entries, warnings } = entry;
  return {
    request_id: entry.request_id,
    kind: entry.kind,
    run_id: entry.run_id,
    step: entry.step,
    key_name: entry.key_name,
    spec_hash: entry.spec_hash,
    created_at: entry.created_at.toISOString(),
    items: entry.items,
    groups: entries.length,
    ...metrics,
    total_ms: timing_ms.total,
    verifier_ms: timing_ms.verifier,
    overhead_ms: timing_ms.overhead,
    warnings,
    usd: entry.usd ?? null,
    log_texts: (JSON.parse(entry.spec) as { log_texts?: boolean }).log_texts === true,
  };
}

/**
 * Amounts that a request adds to its run's totals; only complete groups contribute rewards. In a `verdicts`
 * request without groups, the items count as rollouts, and only their means are known. An attempt adds zeros.
 */
function runTotals({ kind, items, metrics, groups: entries }: LogEntry) {
  if (kind === "verdicts" && entries.length === 0) {
    return {
      groups: 0,
      rollouts: items,
      reward_sum: (metrics.reward_mean ?? 0) * items,
      reward_count: metrics.reward_mean === null ? 0 : items,
      parsed_sum: (metrics.parse_rate ?? 0) * items,
      parsed_count: metrics.parse_rate === null ? 0 : items,
    };
  }
  if (kind === "attempt") {
    return { groups: 0, rollouts: 0, reward_sum: 0, reward_count: 0, parsed_sum: 0, parsed_count: 0 };
  }
  const complete = entries.filter(({ result }) => result.status === "ok");
  const rewards = complete.flatMap(({ result }) => result.rollouts.flatMap(({ reward }) => reward ?? []));
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return {
    groups: entries.length,
    rollouts: sum(entries.map(({ result }) => result.rollouts.length)),
    reward_sum: sum(rewards),
    reward_count: rewards.length,
    parsed_sum: sum(entries.map(({ result }) => result.verifier.parsed)),
    parsed_count: sum(entries.map(({ result: { verifier } }) => verifier.parsed + verifier.unparsed)),
  };
}
