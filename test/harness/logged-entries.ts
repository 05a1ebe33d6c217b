// Defines what a log holds of an entry, row by row, as the fake run log and its contract tell it.
import type { StoredSignal, StoredText, StoredTurns } from "../../src/core/contract/export-tables.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { promptBegins } from "../../src/core/transcript/prompt-begins.ts";
import type { AuditVerdictRow, LogEntry } from "../../src/ports/log-entry.ts";
import type { GroupRow, GroupVerdicts, RequestRow } from "../../src/ports/logged-rows.ts";

export const rewardsOf = (result: GroupResult) => result.rollouts.map((r) => r.reward);

/** The signals of an entry whose spec has some, by rollout, then by name. */
export function storedSignals(entry: LogEntry): StoredSignal[] {
  return entry.groups.flatMap(({ signals = [] }, index) =>
    signals
      .map((row) => ({ group_id: `${entry.request_id}.${index}`, ...row }))
      .sort((a, b) => a.rollout_index - b.rollout_index || (a.signal < b.signal ? -1 : 1)),
  );
}

/** The texts of an entry whose spec says log_texts. */
export function storedTexts(entry: LogEntry): StoredText[] {
  return entry.groups.flatMap(({ prompt, rollouts }, index) =>
    [prompt, ...rollouts.map(({ text }) => text)].flatMap((text, at) =>
      text === null
        ? []
        : [{ group_id: `${entry.request_id}.${index}`, rollout_index: at === 0 ? null : at - 1, text }],
    ),
  );
}

/** The turns of rollouts of several. */
export function storedTurns(entry: LogEntry): StoredTurns[] {
  return entry.groups.flatMap(({ rollouts }, index) =>
    rollouts.flatMap(({ turn_hashes }, rollout_index) =>
      turn_hashes === undefined
        ? []
        : [
            {
              group_id: `${entry.request_id}.${index}`,
              rollout_index,
              hashes: turn_hashes.slice(0, LIMITS.turn_hashes_max).map((hash) => hash.slice(0, LIMITS.turn_hash_chars)),
            },
          ],
    ),
  );
}

/** A log's rows of an entry's groups. */
export function groupRows(entry: LogEntry): GroupRow[] {
  return entry.groups.map((group, index) => ({
    id: `${entry.request_id}.${index}`,
    request_id: entry.request_id,
    run_id: entry.run_id,
    step: entry.step,
    spec_hash: entry.spec_hash,
    created_at: entry.created_at.toISOString(),
    prompt_hash: group.prompt_hash,
    ...(promptBegins(group.prompt ?? "") !== "" && { prompt_begins: promptBegins(group.prompt ?? "") }),
    language: group.language,
    pass_rates: group.rollouts.map((r) => r.pass_rate),
    length_tokens: group.rollouts.map((r) => r.length_tokens),
    finish_reasons: group.rollouts.map((r) => r.finish_reason),
    rewards: rewardsOf(group.result),
    ...(group.audit !== undefined && { audit: [...group.audit] }),
    ...(group.rollouts.some(({ turn_hashes }) => turn_hashes !== undefined) && {
      turns: group.rollouts.map(({ turn_hashes }) => turn_hashes?.length ?? null),
    }),
    ...(entry.kind === "verdicts" && { kind: entry.kind }),
    result: group.result,
  }));
}

/** A log's row of an entry, found by its id. */
export function requestRow(entry: LogEntry): RequestRow {
  const { request_id, kind, run_id, step, spec_hash, items, metrics, timing_ms, key_name: owner } = entry;
  const logged = { created_at: entry.created_at.toISOString(), warnings: [...entry.warnings] };
  return {
    request_id,
    kind,
    owner,
    run_id,
    step,
    spec_hash,
    items,
    metrics,
    timing_ms,
    ...logged,
    groups: groupRows(entry),
  };
}

/** The verdicts on a group, as they are read back. */
export function groupVerdicts(entry: LogEntry, index: number): GroupVerdicts {
  const { verdicts = [], audit_verdicts = [] } = entry.groups[index] ?? {};
  const stored = <R extends AuditVerdictRow>({ verdict, turns, ...row }: R) => ({
    ...row,
    ...(turns !== undefined && { turns: [...turns] }),
    ...(verdict !== null && { verdict }),
    group_id: `${entry.request_id}.${index}`,
    order: [...row.order],
  });
  return { verdicts: verdicts.map(stored), audit: audit_verdicts.map(stored) };
}
