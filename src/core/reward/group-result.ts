// Builds a group's result from its settled signals: rewards, components, counts, status and metrics.

import { type AskedQuestion, modelsOf } from "../asking/asked-questions.ts";
import type { ScheduleReport, Tally } from "../asking/comparison.ts";
import { isFirst } from "../asking/purpose.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { Valued } from "../asking/signal-value.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { GroupResult, RolloutResult } from "../contract/group-reply.ts";
import type { VerifierUse } from "../contract/verifier-use.ts";
import { mayCome } from "../faults/mendable.ts";
import { ranks } from "../tournament/decide.ts";
import {
  groupTau,
  latencySummary,
  listAccuracy,
  parseRate,
  partsCorrelation,
  rewardMoments,
} from "../tournament/metrics.ts";
import { type Compared, type GroupSignals, type SignalQuestion, spread } from "./group-signals.ts";
import { type TurnsNamed, turnsNamedOf } from "./turns-named.ts";

const NOT_COMPARED: Tally = { wins: 0, losses: 0, ties: 0, undecided: 0, unasked: 0, forfeits: 0 };

/**
 * Builds the group's result. Deterministic: the order in which samples arrived does not matter. Counts come
 * from the first comparing signal.
 */
export function groupResult(signals: GroupSignals, judgeable: boolean): GroupResult {
  const { prepared, size } = signals;
  const compared = signals.compared();
  const wins = spreadOf<number | null>(compared, ({ wins }) => wins, null, size);
  const pointed = compared?.points === undefined ? null : compared;
  const points =
    pointed === null ? undefined : spreadOf<number | null>(pointed, (result) => result.points ?? [], null, size);
  const { selected, tied } = selectionOf(compared);
  const verifier = verifierUse(signals.asked(), signals.earlier);
  const failedBefore = signals.earlier.flatMap(({ charged, readings }) =>
    charged ? readings.filter(({ code }) => code !== null) : [],
  );
  const rollouts = rolloutResults(signals, judgeable, points ?? wins, verifier.failed > failedBefore.length);
  const labels = prepared.group.rollouts.map(({ pass_rate }) => pass_rate);
  const status = statusOf(rollouts);
  // The remaining rewards of an incomplete group are not a representative sample: if the verifier is down,
  // only malformed rollouts have a reward.
  const complete = status === "ok";
  return {
    group_id: prepared.group_id,
    status,
    win_counts: wins,
    ...(points !== undefined && { points }),
    selected,
    selected_tied: tied,
    rollouts,
    metrics: {
      parse_rate: parseRate(verifier),
      ...groupTau(points ?? wins, labels),
      list_acc: complete && compared !== null ? listAccuracy(selected, labels) : null,
      position_flip_rate: compared?.position_flip_rate ?? null,
      ...rewardMoments(complete ? rollouts.map(({ reward }) => reward) : []),
      parts_correlation: partsCorrelation(signals.parts()),
      ...pointed?.measures,
    },
    ...(prepared.evidence !== undefined && { shared_turns: prepared.evidence.shared }),
    verifier: { ...verifier, ...(pointed?.report && savedUse(pointed.report, signals.asked(), verifier.saved)) },
  };
}

/** One value per rollout of the group; `none` for rollouts that were not compared. */
function spreadOf<T>(
  compared: Compared | null,
  select: (compared: Compared) => readonly T[],
  none: T,
  size: number,
): T[] {
  return compared === null
    ? new Array<T>(size).fill(none)
    : spread(compared.members, select(compared), () => none, size);
}

function selectionOf(compared: Compared | null): { selected: number | null; tied: number[] } {
  if (compared === null) return { selected: null, tied: [] };
  const { members, selection } = compared;
  const whole = (r: number) => members[r] as number;
  return {
    selected: selection.selected === null ? null : whole(selection.selected),
    tied: selection.tied.map(whole),
  };
}

function rolloutResults(
  signals: GroupSignals,
  judgeable: boolean,
  points: readonly (number | null)[],
  failed: boolean,
): RolloutResult[] {
  const { prepared, size } = signals;
  const { classes, formatOk, tooLong } = prepared;
  const compared = signals.compared();
  const columns = signals.columns();
  const rewards = signals.rewards();
  const places = ranks(points);
  const turnsNamed = turnsNamedOf(signals);
  const jams = signals.found("jams");
  const refused = signals.found("refused");
  const tallies = spreadOf<Tally>(compared, ({ tallies }) => tallies, NOT_COMPARED, size);
  const unparsed = spreadOf(compared, ({ unparsed }) => unparsed, 0, size);
  const votes = spreadOf<number | null>(compared, ({ votes }) => votes, null, size);
  return rewards.map(({ value, code }, r) => {
    const classIndex = classes.classOf[r] ?? null;
    const first = classIndex === null ? r : (classes.members[classIndex]?.[0] as number);
    return {
      reward: value,
      error: code,
      ...(code !== null && { retryable: mayCome(code, failed) }),
      ...componentsOf(columns, r),
      ...detailsOf(signals, turnsNamed, r),
      ...countsOf(tallies[r] as Tally, compared?.points !== undefined),
      unparsed: unparsed[r] as number,
      votes: votes[r] as number | null,
      rank: places[r] ?? null,
      duplicate_of: first === r ? null : first,
      format_ok: formatOk[r] === true && !(judgeable && jams[r]) && !refused[r],
      ...(tooLong[r] && { too_long: true as const }),
      jams_judge: jams[r] as boolean,
      ...shownOf(prepared, r),
    };
  });
}

/** The share of a multi-turn rollout that the judge sees. */
function shownOf({ evidence }: PreparedGroup, r: number): Pick<RolloutResult, "shown" | "left_out"> {
  const share = evidence?.shown[r];
  if (share === undefined) return {};
  const left = Object.keys(share.left_out).length > 0;
  return { shown: share.shown, ...(left && { left_out: share.left_out as Record<string, number> }) };
}

/** Reports `unasked` only for schedules that may leave out pairs. */
function countsOf(
  { unasked, ...counts }: Tally,
  extended: boolean,
): Pick<RolloutResult, "wins"> & Omit<Tally, "unasked"> {
  return { ...counts, ...(extended && { unasked }) };
}

/** A rollout's value per signal, and the code of each missing value. */
function componentsOf(
  columns: Readonly<Record<string, readonly Valued[]>>,
  r: number,
): Pick<RolloutResult, "components" | "errors"> {
  const mapColumns = <T>(read: (cell: Valued) => T) =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, read(values[r] as Valued)]));
  return { components: mapColumns(({ value }) => value), errors: mapColumns(({ code }) => code) };
}

function detailsOf(signals: GroupSignals, turnsNamed: TurnsNamed, r: number): Pick<RolloutResult, "details"> {
  const details = Object.keys(signals.columns()).flatMap((name) => {
    const [detail, named] = [signals.detailOf(name, r), turnsNamed(name, r)];
    return detail === null && named === null ? [] : [[name, { ...detail, ...named }] as const];
  });
  return details.length === 0 ? {} : { details: Object.fromEntries(details) };
}

/** Status of the group. Rollouts for which the spec abstains do not count as lost. */
function statusOf(rollouts: readonly RolloutResult[]): GroupResult["status"] {
  const isLost = ({ reward, error }: RolloutResult) => reward === null && error !== "abstained";
  const asked = rollouts.filter(({ error }) => error !== "abstained");
  if (asked.length > 0 && asked.every(isLost)) return "failed";
  return asked.some((rollout) => isLost(rollout) || rollout.undecided > 0) ? "partial" : "ok";
}

/**
 * The group's use of the verifier. `saved` counts samples skipped by early stopping and samples shared
 * with an identical group.
 * @param earlier questions about longer views of the group: they are charged, but do not count as
 *   comparisons
 */
function verifierUse(asked: readonly SignalQuestion[], earlier: readonly SignalQuestion[]): VerifierUse {
  const isCharged = (entry: SignalQuestion) => entry.charged;
  const charged = [...earlier, ...asked].filter(isCharged);
  const runOf = (entries: readonly SignalQuestion[]) =>
    entries.flatMap(({ readings }) => readings.filter(({ saved }) => !saved));
  const run = runOf(charged);
  const answered = run.filter(({ code }) => code === null);
  const unread = run.filter(isUnparsed);
  const unparsed = unread.length;
  const cut = unread.filter(({ finish_reason }) => finish_reason === "length").length;
  const total = (field: "prompt_tokens" | "completion_tokens") =>
    charged.reduce((sum, entry) => entry.readings.reduce((inner, reading) => inner + reading[field], sum), 0);
  return {
    comparisons: asked.filter((entry) => entry.charged && isFirst(entry.question)).length,
    generations: run.length,
    parsed: answered.length - unparsed,
    unparsed,
    ...(cut > 0 && { cut }),
    failed: run.length - answered.length,
    saved: asked.reduce((sum, entry) => sum + entry.readings.length, 0) - runOf(asked.filter(isCharged)).length,
    prompt_tokens: total("prompt_tokens"),
    completion_tokens: total("completion_tokens"),
    latency_ms: latencySummary(answered.map(({ latency_ms }) => latency_ms)),
    models: modelsOf(
      [...earlier, ...asked].map(({ question, charged, readings }) => {
        const answers = readings.every(({ code }) => code === null);
        return { question, charged, readings: answers ? readings : readings.filter(({ code }) => code === null) };
      }),
    ),
  };
}

/**
 * Generations that were not asked, by reason: early stop, duplicate of an equal group, budget, or an outcome
 * that was already certain; also the comparisons cut off by the deadline. `saved` is reported unchanged.
 */
function savedUse(report: ScheduleReport, asked: readonly AskedQuestion[], saved: number): Partial<VerifierUse> {
  const { schedule, chosen, unpaid, sure, cut } = report;
  const count = (entries: readonly AskedQuestion[]) => entries.reduce((sum, { readings }) => sum + readings.length, 0);
  const early = asked.flatMap(({ charged, readings }) => (charged ? readings.filter(({ saved }) => saved) : [])).length;
  const duplicate = count(asked.filter(({ charged }) => !charged));
  const why = { early_stop: early, duplicate, budget: unpaid, sure, ...(cut > 0 && { deadline: cut }) };
  return { saved, schedule, ...(chosen !== undefined && { chosen }), why };
}
