// Made-up log entries for the run log's tests: random rich ones, and one of any size.

import { READING_STATUSES } from "../../src/core/asking/readings.ts";
import { TAU_UNDEFINED } from "../../src/core/contract/group-reply.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../src/core/faults/errors.ts";
import { mayCome } from "../../src/core/faults/mendable.ts";
import type { GroupEntry, LogEntry, VerdictRow } from "../../src/ports/log-entry.ts";
import fc from "../harness/property.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
let made = 0;

/** A ULID greater than all made before in this process. */
export function nextRequestId(): string {
  let rest = ++made;
  let tail = "";
  for (let i = 0; i < 16; i++) {
    tail = `${CROCKFORD[rest % 32]}${tail}`;
    rest = Math.floor(rest / 32);
  }
  return `01KAHG5J00${tail}`;
}

const errorCodes = Object.keys(ITEM_ERRORS) as ItemErrorCode[];
const hash = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 });
const real = fc
  .oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.constantFrom(0.1, 1 / 3, 5e-324, 2 ** 53, -0.5))
  .map((x) => x + 0);
const count = fc.nat({ max: 2_000_000 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const plain = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", "0"));
const reward = fc
  .oneof(fc.constantFrom(0, 0.1, 0.5, 1, -1), fc.double({ min: -3, max: 63, noNaN: true }))
  .map((x) => x + 0);

const verdict = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2 }),
  letter: maybe(fc.constantFrom("A", "B", "C")),
  scores: maybe(fc.array(real, { minLength: 2, maxLength: 5 })),
  signal: fc.constantFrom("base", "quality"),
  verdict: fc.constantFrom(
    null,
    { kind: "preference", strength: -2 } as const,
    { kind: "label", label: '"C" {x}' } as const,
  ),
  status: maybe(fc.constantFrom(...READING_STATUSES)),
  error: maybe(fc.constantFrom(...errorCodes)),
  finish_reason: maybe(plain),
  prompt_tokens: count,
  completion_tokens: count,
  latency_ms: fc.double({ min: 0, max: 1e6, noNaN: true }).map((x) => x + 0),
  model: maybe(plain),
  backend: maybe(plain),
}) as fc.Arbitrary<Omit<VerdictRow, "comparison" | "sample">>;

const verdicts = fc.array(verdict, { maxLength: 12 }).map((rows) =>
  rows.map((row, i): VerdictRow => {
    const turns = i % 4 === 1 && { turns: row.order.map((r) => (r === 0 ? null : r)) };
    const comparison = Math.floor(i / 3);
    return { ...row, ...turns, comparison, sample: i % 3 };
  }),
);

const rolloutResult = fc.record({
  reward: maybe(reward),
  error: maybe(fc.constantFrom(...errorCodes)),
  components: fc.record({ base: maybe(real), format: real, overlong: real }),
  wins: count,
  losses: count,
  ties: count,
  undecided: count,
  forfeits: count,
  unparsed: count,
  votes: maybe(count),
  rank: maybe(fc.integer({ min: 1, max: 64 })),
  duplicate_of: maybe(fc.nat({ max: 63 })),
  format_ok: fc.boolean(),
  jams_judge: fc.boolean(),
});

const rolloutRow = fc.record({
  length_tokens: maybe(fc.nat({ max: 10_000_000 })),
  finish_reason: maybe(fc.constantFrom("stop", "length")),
  pass_rate: maybe(
    fc.oneof(
      fc.constant(1),
      fc.double({ min: 0, max: 1, noNaN: true }).map((x) => x + 0),
    ),
  ),
  text_hash: hash,
  candidate_hash: maybe(hash),
  text: maybe(fc.string({ unit: "binary", maxLength: 200 })),
});

const metrics = fc.record({
  parse_rate: maybe(real),
  tau_b: maybe(fc.double({ min: -1, max: 1, noNaN: true }).map((x) => x + 0)),
  tau_b_undefined: maybe(fc.constantFrom(...TAU_UNDEFINED)),
  list_acc: maybe(fc.boolean()),
  position_flip_rate: maybe(real),
  reward_mean: maybe(real),
  reward_std: maybe(real),
});

const useCounted = fc.record({
  comparisons: count,
  generations: count,
  parsed: count,
  unparsed: count,
  failed: count,
  saved: count,
  // Beyond 32 bits, yet sums of several stay exact in a double.
  prompt_tokens: fc.nat({ max: 2_147_483_647 }).map((n) => n * 1_024),
  completion_tokens: count,
  latency_ms: fc.record({ p50: real, p99: real, max: real }),
  models: fc.array(plain, { maxLength: 3 }),
});

/** In some groups answers were cut. */
const verifierUse = fc
  .tuple(useCounted, fc.nat({ max: 3 }))
  .map(([use, cut]) => (cut === 0 ? use : { ...use, cut: cut * 1_000 }));

/** Fields that only specs with other schedules, votes and scores have, on some groups. */
const contest = maybe(
  fc.record({
    points: maybe(real),
    unasked: count,
    measures: fc.record({
      cyclic: fc.boolean(),
      agreement: maybe(real),
      tie_rate: maybe(real),
      decided_rate: maybe(real),
    }),
    asked: fc.record({
      schedule: fc.constantFrom("swiss", { name: "circular", degree: 3 }),
      why: fc.record({ early_stop: count, duplicate: count, budget: count, sure: count }),
    }),
  }),
);

/** As a reply says it beside each code. */
function sayingWhatMayCome(entry: GroupEntry): GroupEntry {
  const { rollouts, verifier } = entry.result;
  const told = rollouts.map((rollout) => {
    const { error } = rollout;
    return error === null ? rollout : { ...rollout, retryable: mayCome(error, verifier.failed > 0) };
  });
  return { ...entry, result: { ...entry.result, rollouts: told } };
}

function groupEntry(size: number): fc.Arbitrary<GroupEntry> {
  const each = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: size, maxLength: size });
  const plainEntry = fc.record({
    result: fc.record({
      group_id: plain.map((text) => `g${text}`),
      status: fc.constantFrom("ok", "partial", "failed"),
      win_counts: each(maybe(count)),
      selected: maybe(fc.nat({ max: 63 })),
      selected_tied: fc.array(fc.nat({ max: 63 }), { maxLength: 4 }),
      rollouts: each(rolloutResult),
      metrics,
      verifier: verifierUse,
    }),
    prompt_hash: hash,
    prompt: maybe(fc.string({ unit: "binary", maxLength: 100 })),
    language: maybe(fc.constantFrom("python", "c++")),
    circles: maybe(fc.record({ triples: count, circles: count })),
    rollouts: each(rolloutRow),
    verdicts,
  }) as fc.Arbitrary<GroupEntry>;
  return fc.tuple(plainEntry.map(sayingWhatMayCome), contest).map(([entry, told]): GroupEntry => {
    if (told === null) return entry;
    const { result } = entry;
    const { points, unasked, measures, asked } = told;
    const contested = {
      ...result,
      points: result.rollouts.map(() => points),
      rollouts: result.rollouts.map((rollout) => ({ ...rollout, unasked })),
      metrics: { ...result.metrics, ...measures },
      verifier: { ...result.verifier, ...asked },
    };
    return { ...entry, result: contested };
  });
}

const RUN_OF_TURNS = fc.record({
  turn_hashes: fc.array(hash, { maxLength: 5 }),
  shown: fc.double({ min: 0, max: 1, noNaN: true }).map((x) => x + 0),
  left_out: maybe(fc.record({ results: count, turns: count }, { requiredKeys: ["results"] })),
});

/** In some groups some rollouts are of several turns. */
function turnedEntry(size: number): fc.Arbitrary<GroupEntry> {
  const runs = fc.array(maybe(RUN_OF_TURNS), { minLength: size, maxLength: size });
  return fc.tuple(groupEntry(size), maybe(runs), fc.nat({ max: 9 })).map(([entry, of, shared_turns]): GroupEntry => {
    if (of === null || of.every((run) => run === null)) return entry;
    const { result } = entry;
    const told = result.rollouts.map((rollout, r) => {
      const run = of[r] ?? null;
      return run === null
        ? rollout
        : { ...rollout, shown: run.shown, ...(run.left_out !== null && { left_out: run.left_out }) };
    });
    const rollouts = entry.rollouts.map((row, r) => {
      const run = of[r] ?? null;
      return run === null ? row : { ...row, turn_hashes: run.turn_hashes };
    });
    return { ...entry, rollouts, result: { ...result, rollouts: told, shared_turns } };
  });
}

/** Some have the score of an audit beside each rollout, some what its judge said. */
function auditedEntry(size: number): fc.Arbitrary<GroupEntry> {
  const scores = fc
    .array(maybe(reward), { minLength: size, maxLength: size })
    .filter((all) => all.some((score) => score !== null));
  const said = verdicts.map((rows) =>
    rows.map(({ signal: _, ...row }, i) => (i === 0 ? { ...row, text: "So: A" } : row)),
  );
  return fc.tuple(turnedEntry(size), maybe(scores), maybe(said)).map(([entry, audit, audit_verdicts]) => ({
    ...entry,
    ...(audit !== null && { audit }),
    ...(audit_verdicts !== null && { audit_verdicts }),
  }));
}

const moments = fc.oneof(
  fc.constant({ reward_mean: null, reward_std: null }),
  fc.record({ reward_mean: reward, reward_std: fc.double({ min: 0, max: 30, noNaN: true }) }),
);

const batchMetrics = fc
  .record({
    parse_rate: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
    tau_b_mean: maybe(real),
    tau_b_undefined: count,
    list_acc: maybe(real),
    moments,
  })
  .map(({ moments: known, ...rest }) => ({ ...rest, ...known }));

const common = {
  run_id: fc.constant(null),
  step: maybe(fc.nat({ max: 3 })),
  key_name: maybe(fc.constant("trainer")),
  spec_hash: hash.map((hex) => `sha256:${hex}`),
  spec: fc.jsonValue().map((value) => JSON.stringify({ value })),
  created_at: fc.date({ min: new Date(1.7e12), max: new Date(1.9e12), noInvalidDate: true }),
  metrics: batchMetrics,
  timing_ms: fc.record({ total: real, verifier: real, overhead: real }),
  warnings: fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constant("group_incomplete: 7 of 8")), {
    maxLength: 3,
  }),
  usd: fc.option(fc.constantFrom(0, 0.003, 1.25), { nil: undefined, freq: 3 }),
};

/** Without the dollars where they are not known. */
const known = <T extends { usd: number | undefined }>({ usd, ...entry }: T) => ({
  ...entry,
  ...(usd !== undefined && { usd }),
});

/**
 * Any entry of a rewards request: every field varied, nulls included. `request_id` and `run_id` are
 * the caller's to set.
 */
export const rewardsEntry: fc.Arbitrary<Omit<LogEntry, "request_id">> = fc
  .record({
    ...common,
    kind: fc.constant("rewards" as const),
    groups: fc.array(
      fc.integer({ min: 1, max: 6 }).chain((size) => auditedEntry(size)),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map((entry) => ({ ...known(entry), items: entry.groups.reduce((n, group) => n + group.rollouts.length, 0) }));

/** Any entry of a verdicts request: means over its items, or groups where its texts are stored. */
export const verdictsEntry: fc.Arbitrary<Omit<LogEntry, "request_id">> = fc.oneof(
  fc
    .record({ ...common, items: fc.integer({ min: 1, max: 50 }) })
    .map((entry) => ({ ...known(entry), kind: "verdicts" as const, groups: [] })),
  rewardsEntry.map((entry) => ({ ...entry, kind: "verdicts" as const })),
);

/**
 * The same entry for the same numbers: `groups` groups of `size` rollouts, every pair asked once.
 */
export function sizedEntry(about: { run_id: string; step: number; groups: number; size: number }): LogEntry {
  const { run_id, step, groups, size } = about;
  const [entry] = fc.sample(rewardsEntry, { seed: 7, numRuns: 1 }) as [LogEntry];
  const [group] = fc.sample(groupEntry(size), { seed: 8, numRuns: 1 }) as [GroupEntry];
  const pairs = Array.from({ length: size }, (_, i) => Array.from({ length: i }, (_, j) => [j, i])).flat();
  const asked = pairs.map(
    (order, comparison): VerdictRow => ({
      comparison,
      sample: 0,
      order,
      signal: "base",
      verdict: null,
      letter: comparison % 3 === 0 ? "B" : "A",
      scores: null,
      status: "ok",
      error: null,
      finish_reason: "stop",
      prompt_tokens: 4_000 + comparison,
      completion_tokens: 9_000 + comparison,
      latency_ms: 12_345.625 + comparison,
      model: "verifier-8b",
      backend: "verifier",
    }),
  );
  return {
    ...entry,
    request_id: nextRequestId(),
    key_name: "trainer",
    run_id,
    step,
    items: groups * size,
    groups: Array.from({ length: groups }, () => ({ ...group, verdicts: asked })),
  };
}

/**
 * The entry as one of a spec with two signals, `fit` and `style`; the last rollout was left out by
 * `style`, the first has no `fit`.
 */
export function withSignals<E extends Pick<LogEntry, "groups">>(entry: E): E {
  const groups = entry.groups.map((group, g) => {
    const last = group.result.rollouts.length - 1;
    const rows = group.result.rollouts.flatMap((_, r) => [
      r === 0
        ? { rollout_index: r, signal: "fit", value: null, code: "deadline" as const, detail: null }
        : { rollout_index: r, signal: "fit", value: r / 3, code: null, detail: null },
      {
        rollout_index: r,
        signal: "style",
        value: -0.5,
        code: null,
        detail:
          r === last ? { skipped: true as const } : r === 1 ? { refused: true as const, why: '"refused":true' } : null,
      },
    ]);
    const of = (r: number) => rows.filter(({ rollout_index }) => rollout_index === r);
    const rollouts = group.result.rollouts.map((rollout, r) => ({
      ...rollout,
      components: Object.fromEntries(of(r).map(({ signal, value }) => [signal, value])),
      errors: Object.fromEntries(of(r).map(({ signal, code }) => [signal, code])),
    }));
    const metrics = { ...group.result.metrics, parts_correlation: g % 2 === 0 ? 0.75 - g / 8 : null };
    return { ...group, result: { ...group.result, rollouts, metrics }, signals: rows };
  });
  return { ...entry, groups };
}
