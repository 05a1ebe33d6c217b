// The plain computation of the rows that alarms look at, from a run's entries, against which the database's
// SQL is tested.
import type { HealthRow } from "../../src/core/health/health-row.ts";
import { percentile } from "../../src/core/math/stats.ts";
import type { GroupEntry, LogEntry } from "../../src/ports/log-entry.ts";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const known = <T>(values: readonly (T | null)[]) => values.filter((value) => value !== null);
const average = (values: readonly number[]) => (values.length === 0 ? null : sum(values) / values.length);
const share = (values: readonly boolean[]) => average(values.map(Number));
const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : percentile(sorted, 0.5);
}

const standardDeviation = (values: readonly number[]) => {
  const centre = average(values) ?? 0;
  const variance = average(values.map((value) => (value - centre) ** 2));
  return variance === null ? null : Math.sqrt(variance);
};

const spearman = (pairs: readonly (readonly [number, number])[]) => {
  const [x, y] = [meanRanks(pairs.map(([a]) => a)), meanRanks(pairs.map(([, b]) => b))];
  return pearson(x.map((rank, i) => [rank, y[i] as number] as const));
};

function pearson(pairs: readonly (readonly [number, number])[]): number | null {
  const [x, y] = [average(pairs.map(([a]) => a)) ?? 0, average(pairs.map(([, b]) => b)) ?? 0];
  const of = (each: (dx: number, dy: number) => number) => sum(pairs.map(([a, b]) => each(a - x, b - y)));
  const scale = Math.sqrt(of((dx) => dx * dx) * of((_, dy) => dy * dy));
  return scale === 0 ? null : of((dx, dy) => dx * dy) / scale;
}

const meanRanks = (values: readonly number[]) =>
  values.map((value) => {
    const below = values.filter((other) => other < value).length;
    return below + (values.filter((other) => other === value).length + 1) / 2;
  });

const rewardsOf = ({ result }: GroupEntry) =>
  result.status === "ok" && result.rollouts.every(({ reward }) => reward !== null)
    ? result.rollouts.map(({ reward }) => reward as number)
    : null;

/** Groups that are word for word one of `earlier`, which come in order. */
function repeats(groups: readonly GroupEntry[], earlier: readonly LogEntry[]) {
  const content = ({ prompt_hash, rollouts }: GroupEntry) =>
    [prompt_hash, ...rollouts.map((row) => row.text_hash)].join();
  const before = earlier.flatMap((entry) => entry.groups).filter((group) => rewardsOf(group) !== null);
  const found = groups.flatMap((group) => {
    const first = before.find((one) => content(one) === content(group));
    const [then, now] = [first === undefined ? null : rewardsOf(first), rewardsOf(group)];
    if (then === null || now === null) return [];
    const all = now.map((reward, r) => [then[r] as number, reward] as const);
    const rho = spearman(all) ?? (new Set(then).size > 1 ? 0 : null);
    return rho === null ? [] : [{ rho, size: now.length }];
  });
  return {
    repeat_correlation: average(found.map(({ rho }) => rho)),
    repeat_rollouts: sum(found.map(({ size }) => size)),
  };
}

/** The share, among all ways to draw `drawn` of a group's labelled rollouts, of those with a right one. */
function passAt(drawn: number, groups: readonly GroupEntry[]): number | null {
  const choose = (n: number, k: number): number => (k > n ? 0 : k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  const found = groups.flatMap(({ rollouts }) => {
    const labels = known(rollouts.map(({ pass_rate }) => pass_rate ?? null));
    const wrong = labels.filter((label) => label < 1).length;
    return labels.length < drawn ? [] : [1 - choose(wrong, drawn) / choose(labels.length, drawn)];
  });
  return average(found);
}

/** Different candidates of each group (texts of rollouts without one), and how evenly its rollouts have them. */
function spreads(groups: readonly GroupEntry[]) {
  const found = groups.map(({ rollouts }) => {
    const keys = rollouts.map(({ candidate_hash, text_hash }) => candidate_hash ?? text_hash);
    const shares = [...new Set(keys)].map((key) => keys.filter((one) => one === key).length / keys.length);
    const entropy = -sum(shares.map((part) => part * Math.log(part))) / Math.log(keys.length);
    return { distinct: shares.length / keys.length, entropy: keys.length === 1 ? null : entropy };
  });
  return {
    distinct_share: average(found.map(({ distinct }) => distinct)),
    candidate_entropy: average(known(found.map(({ entropy }) => entropy))),
  };
}

/** The measures of one step's entries; only those for rewards count. */
export function healthOf(step: number, entries: readonly LogEntry[], earlier: readonly LogEntry[] = []): HealthRow {
  const groups = entries.flatMap((entry) => entry.groups);
  const results = groups.map(({ result }) => result);
  const rollouts = groups.flatMap(({ result, rollouts }) =>
    result.rollouts.map((scored, r) => ({ ...scored, ...rollouts[r], complete: result.status === "ok" })),
  );
  const complete = rollouts.filter((one) => one.complete && one.reward !== null);
  const spans = results
    .filter(({ status }) => status === "ok")
    .map((result) => known(result.rollouts.map(({ reward }) => reward)))
    .filter((rewards) => rewards.length > 0);
  const nulls: Record<string, number> = {};
  for (const { reward, error } of rollouts) {
    if (reward === null && error !== null && error !== "abstained") nulls[error] = (nulls[error] ?? 0) + 1;
  }
  const uses = results.map(({ verifier }) => verifier);
  const total = (of: (use: (typeof uses)[number]) => number) => sum(uses.map(of));
  const byLength = groups.map(({ result, rollouts: logged }) => {
    const both = result.rollouts.flatMap(({ reward }, r) => {
      const length = logged[r]?.length_tokens ?? null;
      return result.status !== "ok" || reward === null || length === null ? [] : [[reward, length] as const];
    });
    return spearman(both);
  });
  const labelled = rollouts.flatMap(({ reward, pass_rate }) =>
    reward === null || pass_rate === null || pass_rate === undefined ? [] : [[reward, pass_rate] as const],
  );
  const ended = known(rollouts.map(({ finish_reason }) => finish_reason ?? null));
  return {
    step,
    at_ms: Math.min(...entries.map(({ created_at }) => created_at.getTime())),
    rollouts: rollouts.length,
    reward_mean: average(complete.map(({ reward }) => reward as number)),
    unformatted_mean: average(complete.map(({ reward, components }) => (reward as number) - (components.format ?? 0))),
    zero_variance_share: share(spans.map((rewards) => new Set(rewards).size === 1)),
    parse_rate: ratio(
      total((use) => use.parsed),
      total((use) => use.parsed + use.unparsed),
    ),
    nulls,
    abstained_share: share(rollouts.map(({ error }) => error === "abstained")),
    malformed_share: share(rollouts.map(({ format_ok }) => !format_ok)),
    length_p50: median(known(rollouts.map(({ length_tokens }) => length_tokens ?? null))),
    at_cap_share: share(ended.map((reason) => reason === "length")),
    length_reward: average(known(byLength)),
    duplicate_share: share(rollouts.map(({ duplicate_of }) => duplicate_of !== null)),
    ...spreads(groups),
    pass_at_1: passAt(1, groups),
    pass_at_4: passAt(4, groups),
    pass_at_8: passAt(8, groups),
    tie_share: ratio(sum(rollouts.map(({ ties }) => ties)), sum(rollouts.map((r) => r.wins + r.losses + r.ties))),
    flip_rate: average(known(results.map(({ metrics }) => metrics.position_flip_rate))),
    cyclic_share: ratio(
      sum(groups.map(({ circles }) => circles?.circles ?? 0)),
      sum(groups.map(({ circles }) => circles?.triples ?? 0)),
    ),
    triples: sum(groups.map(({ circles }) => circles?.triples ?? 0)),
    jam_share: share(rollouts.map(({ jams_judge }) => jams_judge)),
    evidence_shown: average(
      rollouts.flatMap(({ shown, left_out = {} }) => ("turns" in left_out || "calls" in left_out ? [] : (shown ?? []))),
    ),
    label_correlation: spearman(labelled),
    label_mean: average(known(rollouts.map(({ pass_rate }) => pass_rate ?? null))),
    label_std: standardDeviation(labelled.map(([, label]) => label)),
    audit_correlation: average(
      known(
        groups.map(({ result, audit = [] }) =>
          spearman(
            result.rollouts.flatMap(({ reward }, r) => {
              const score = audit[r] ?? null;
              return result.status !== "ok" || reward === null || score === null ? [] : [[reward, score] as const];
            }),
          ),
        ),
      ),
    ),
    ...repeats(groups, earlier),
    latency_p99_ms: median(uses.filter((use) => use.generations > use.failed).map((use) => use.latency_ms.p99)),
    incomplete_share: share(
      entries.map(({ warnings }) => warnings.some((text) => text.startsWith("group_incomplete"))),
    ),
    cut_share: ratio(
      total((use) => use.cut ?? 0),
      total((use) => use.generations - use.failed),
    ),
    parts_correlation: average(known(results.map(({ metrics }) => metrics.parts_correlation ?? null))),
    failed_share: ratio(
      total((use) => use.failed),
      total((use) => use.generations),
    ),
    simulated_share: share(entries.map(({ warnings }) => warnings.some((text) => text.startsWith("simulated")))),
  };
}

/** The rows of the last steps of a run's entries, ascending. */
export function healthRowsOf(all: readonly LogEntry[], steps: number): HealthRow[] {
  const entries = all.filter(({ kind, step }) => kind === "rewards" && step !== null);
  const last = [...new Set(known(entries.map(({ step }) => step)))].sort((a, b) => a - b).slice(-steps);
  return last.map((step) =>
    healthOf(
      step,
      entries.filter((entry) => entry.step === step),
      entries
        .filter((entry) => last.includes(entry.step as number) && (entry.step as number) < step)
        .sort((a, b) => (a.step as number) - (b.step as number)),
    ),
  );
}
