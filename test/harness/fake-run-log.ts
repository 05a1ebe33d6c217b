import type { ExportTable } from "../../src/core/contract/export-tables.ts";
import type { RunKey } from "../../src/core/contract/owner.ts";
import { type Owner, ownerName, ownerOf } from "../../src/core/contract/owner.ts";
import type { RunMetadata } from "../../src/core/contract/run-metadata.ts";
import { stepWarnings } from "../../src/core/tournament/warnings.ts";
import { encodeTime } from "../../src/platform/request-ids.ts";
import type { GroupEntry, LogEntry } from "../../src/ports/log-entry.ts";
import type { Page, RunDetail, RunSummary, StepRow } from "../../src/ports/logged-rows.ts";
import type { DeletedRows } from "../../src/ports/run-changes.ts";
import type { GroupsWanted, LoggedWanted, RunLog, StepBounds, StepRange } from "../../src/ports/run-log.ts";
import { healthRowsOf } from "../port-contracts/health-oracle.ts";
import { expectedSignals } from "../port-contracts/step-oracle.ts";
import {
  groupRows,
  groupVerdicts,
  requestRow,
  rewardsOf,
  storedSignals,
  storedTexts,
  storedTurns,
} from "./logged-entries.ts";
import { isWithin, lacksLengthsOf, loggedGroupsOf, specsUsedOf } from "./logged-groups.ts";

export interface FakeRunLog extends RunLog {
  readonly entries: LogEntry[];
  /** The rejection of append and the readers, while set. */
  fault: Error | null;
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
const numbers = (values: readonly (number | null)[]) => values.filter((v) => v !== null);

function summary({ run_id, owner }: RunKey, entries: readonly LogEntry[]): RunSummary {
  const groups = entries.flatMap((e) => e.groups);
  const steps = numbers(entries.map((e) => e.step));
  const times = entries.map((e) => e.created_at.toISOString()).sort();
  return {
    run_id,
    owner: ownerName(owner),
    first_step: steps.length === 0 ? null : Math.min(...steps),
    last_step: steps.length === 0 ? null : Math.max(...steps),
    first_at: times[0] ?? new Date(0).toISOString(),
    last_at: times.at(-1) ?? new Date(0).toISOString(),
    requests: entries.length,
    groups: groups.length,
    rollouts: groups.reduce((n, g) => n + g.rollouts.length, 0),
    reward_mean: mean(numbers(groups.flatMap((g) => rewardsOf(g.result)))),
    parse_rate: mean(numbers(entries.map((e) => e.metrics.parse_rate))),
    ...tokensOf(groups),
  };
}

const tokensOf = (groups: readonly GroupEntry[]) => ({
  prompt_tokens: groups.reduce((n, { result }) => n + result.verifier.prompt_tokens, 0),
  completion_tokens: groups.reduce((n, { result }) => n + result.verifier.completion_tokens, 0),
});

function stepRow(step: number | null, entries: readonly LogEntry[]): StepRow {
  const groups = entries.flatMap((e) => e.groups);
  const { requests, rollouts, reward_mean, parse_rate, first_at, last_at } = summary(
    { run_id: "", owner: "" },
    entries,
  );
  const shown_mean = mean(groups.flatMap((g) => g.result.rollouts.flatMap(({ shown }) => shown ?? [])));
  const verdicts = groups.flatMap((g) => g.verdicts);
  const dollars = entries.flatMap(({ usd }) => usd ?? []);
  const errors: Record<string, number> = {};
  for (const { error } of verdicts) if (error !== null) errors[error] = (errors[error] ?? 0) + 1;
  return {
    step,
    first_at,
    last_at,
    requests,
    groups: groups.length,
    rollouts,
    reward_mean,
    reward_std: null,
    zero_variance_share: null,
    parse_rate,
    tau_b_mean: mean(numbers(groups.map((g) => g.result.metrics.tau_b))),
    list_acc: null,
    length_tokens: { p50: null, p95: null },
    ...(shown_mean !== null && { shown_mean }),
    ...(dollars.length === entries.length && { usd: dollars.reduce((sum, usd) => sum + usd, 0) }),
    generations: verdicts.length,
    prompt_tokens: verdicts.reduce((n, v) => n + v.prompt_tokens, 0),
    completion_tokens: verdicts.reduce((n, v) => n + v.completion_tokens, 0),
    latency_ms: { p50: null, p99: null },
    errors,
    warnings: stepWarnings(
      entries.map(({ warnings }) => warnings),
      parse_rate,
    ),
  };
}

/** As the oracle tells them; what is near there is exact here. */
const signalsOf = (entries: readonly LogEntry[]) => expectedSignals(entries, (value) => value);

function paged<T>(rows: readonly T[], cursor: string | null, limit: number): Page<T> {
  const from = cursor === null ? 0 : Number(cursor);
  const to = from + limit;
  return { rows: rows.slice(from, to), next_cursor: to < rows.length ? `${to}` : null };
}

/** A run log in memory. */
export function fakeRunLog(): FakeRunLog {
  const entries: LogEntry[] = [];
  const state = { fault: null as Error | null };
  const metadata = new Map<string, RunMetadata>();
  const deleted = new Map<string, string>();
  const nameOf = ({ run_id, owner }: RunKey) => JSON.stringify([run_id, owner]);
  const owns = (e: LogEntry, owner: Owner | null) => owner === null || ownerOf(e.key_name) === owner;
  const logged = ({ run_id, owner }: RunKey) => entries.filter((e) => e.run_id === run_id && owns(e, owner));
  const of = (run: RunKey) => logged(run).filter(({ kind }) => kind !== "attempt");
  const check = () => {
    if (state.fault !== null) throw state.fault;
  };
  return Object.assign(state, {
    entries,
    async append(entry: LogEntry) {
      check();
      const { request_id, run_id, key_name } = entry;
      const before = run_id === null ? undefined : deleted.get(nameOf({ run_id, owner: ownerOf(key_name) }));
      if (before !== undefined && request_id < before) return;
      if (!entries.some((e) => e.request_id === request_id)) entries.push(entry);
    },
    async describe(run: RunKey, given: RunMetadata) {
      check();
      metadata.set(nameOf(run), given);
    },
    async markDeleted(run: RunKey, before: Date) {
      check();
      deleted.set(nameOf(run), encodeTime(before.getTime()));
      metadata.delete(nameOf(run));
      return 0;
    },
    async deleteRows(run: RunKey) {
      check();
      const gone = logged(run).filter((e) => e.request_id < (deleted.get(nameOf(run)) ?? ""));
      if (gone.length === 0) return null;
      entries.splice(0, entries.length, ...entries.filter((e) => !gone.includes(e)));
      return rowsOf(gone);
    },
    async runs({ owner, cursor, limit }: { owner: Owner | null; cursor: string | null; limit: number }) {
      check();
      const keys = runKeys(entries.filter((e) => owns(e, owner))).reverse();
      return paged(
        keys.map((key) => summary(key, of(key))),
        cursor,
        limit,
      );
    },
    async owners(runId: string, limit: number) {
      check();
      const keys = runKeys(entries).filter(({ run_id }) => run_id === runId);
      return keys
        .map(({ owner }) => owner)
        .sort()
        .slice(0, limit);
    },
    async run(run: RunKey): Promise<RunDetail | null> {
      check();
      const found = of(run);
      const said = metadata.get(nameOf(run)) ?? null;
      if (found.length === 0 && said === null) return null;
      const hashes = [...new Set(found.map((e) => e.spec_hash))];
      const specs = hashes.map((spec_hash) => {
        const users = found.filter((e) => e.spec_hash === spec_hash);
        const [first] = users as [LogEntry];
        const uses = users.flatMap(({ groups }) => groups.map(({ result }) => result.verifier));
        const answered = uses.reduce((sum, { generations, failed }) => sum + generations - failed, 0);
        return {
          spec_hash,
          spec: JSON.parse(first.spec),
          requests: users.length,
          first_at: first.created_at.toISOString(),
          cut_share: answered === 0 ? null : uses.reduce((sum, { cut = 0 }) => sum + cut, 0) / answered,
        };
      });
      return { ...summary(run, found), metadata: said, specs };
    },
    async steps(run: RunKey, { after, from, to, limit }: StepRange, signals = false) {
      check();
      const inRange = (step: number | null) =>
        step === null
          ? after === null && from === null && to === null
          : step > (after ?? -1) && step >= (from ?? 0) && step <= (to ?? step);
      const entries = of(run);
      const steps = [...new Set(entries.map((e) => e.step))].filter(inRange);
      const sorted = steps.sort((a, b) => (a ?? -1) - (b ?? -1)).slice(0, limit ?? steps.length);
      return sorted.map((step) => {
        const some = entries.filter((e) => e.step === step);
        return { ...stepRow(step, some), ...(signals && { signals: signalsOf(some) }) };
      });
    },
    async health(run: RunKey, steps: number) {
      check();
      return healthRowsOf(of(run), steps);
    },
    async groups(run: RunKey, { step, cursor, limit }: GroupsWanted) {
      check();
      const rows = of(run).filter((e) => step === null || e.step === step);
      return paged(rows.flatMap(groupRows), cursor, limit);
    },
    async texts(groupId: string, owner: Owner | null) {
      check();
      const [requestId, index] = groupId.split(".");
      const entry = entries.find((e) => e.request_id === requestId && owns(e, owner));
      if (entry?.groups[Number(index)] === undefined) return null;
      return storedTexts(entry).filter(({ group_id }) => group_id === groupId);
    },
    async request(requestId: string, owner: Owner | null) {
      check();
      const entry = entries.find((e) => e.request_id === requestId && owns(e, owner));
      return entry === undefined ? null : requestRow(entry);
    },
    async verdicts(groupId: string, owner: Owner | null) {
      check();
      const [requestId, index] = groupId.split(".") as [string, string];
      const entry = entries.find((e) => e.request_id === requestId && owns(e, owner));
      return entry?.groups[Number(index)] === undefined ? null : groupVerdicts(entry, Number(index));
    },
    async *exportRows(run: RunKey, table: ExportTable) {
      for (const entry of of(run)) {
        check();
        if (table === "groups") yield* groupRows(entry);
        else if (table === "texts") yield* storedTexts(entry);
        else if (table === "signals") yield* storedSignals(entry);
        else if (table === "turns") yield* storedTurns(entry);
        else {
          const said = entry.groups.map((_, i) => groupVerdicts(entry, i));
          yield* said.flatMap(({ verdicts, audit }) => (table === "verdicts" ? verdicts : audit));
        }
      }
    },
    async specsUsed(run: RunKey, steps: StepBounds) {
      check();
      return specsUsedOf(of(run), steps);
    },
    async lacksLengths(run: RunKey, steps: StepBounds) {
      check();
      return lacksLengthsOf(of(run), steps);
    },
    async *loggedGroups(run: RunKey, steps: StepBounds, { spec_hashes, verdicts }: LoggedWanted) {
      for (const entry of of(run)) {
        check();
        if (isWithin(entry, steps) && spec_hashes.includes(entry.spec_hash)) yield* loggedGroupsOf(entry, verdicts);
      }
    },
    check: async () => ({ ok: state.fault === null, latency_ms: 0 }),
  });
}

/** How many rows they are, by table; texts are short here. */
function rowsOf(entries: readonly LogEntry[]): DeletedRows {
  const groups = entries.flatMap((entry) => entry.groups);
  const sum = (count: (group: GroupEntry) => number) => groups.reduce((n, group) => n + count(group), 0);
  return {
    requests: entries.length,
    groups: groups.length,
    rollouts: sum(({ rollouts }) => rollouts.length),
    verdicts: sum(({ verdicts }) => verdicts.length),
    signals: sum(({ signals = [] }) => signals.length),
    turns: entries.flatMap(storedTurns).length,
    texts: entries.flatMap(storedTexts).length,
    verdict_texts: sum(({ verdicts }) => verdicts.filter(({ text }) => text !== undefined).length),
    audit_verdicts: sum(({ audit_verdicts = [] }) => audit_verdicts.length),
  };
}

/** The runs of some entries, in order of first use. */
function runKeys(entries: readonly LogEntry[]): RunKey[] {
  const keys = entries.flatMap(({ run_id, key_name }) => (run_id === null ? [] : { run_id, owner: ownerOf(key_name) }));
  return [...new Map(keys.map((key) => [JSON.stringify([key.run_id, key.owner]), key])).values()];
}
