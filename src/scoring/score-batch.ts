// The main use case: extract → plan → verify → decide → shape → summarise.

import { type PreparedGroup, preparerInSteps } from "../core/candidate/prepare.ts";
import { canonicalJson } from "../core/contract/canonical-json.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import { withLogTexts } from "../core/contract/kept-texts.ts";
import type { AuditUse, RewardsReply } from "../core/contract/rewards-reply.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { ModelTokens } from "../core/load/prices.ts";
import { asksForCandidates, type CompiledSpec, comparesFew, compileSpec } from "../core/reward/compiled-spec.ts";
import { requireFacts, requireSound } from "../core/reward/facts.ts";
import { groupResult } from "../core/reward/group-result.ts";
import type { GroupSignals } from "../core/reward/group-signals.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import type { RewardsRequest } from "../core/reward/requests.ts";
import type { Spec } from "../core/reward/spec.ts";
import { asWritten, formOf } from "../core/reward/spec-forms.ts";
import { batchMetrics } from "../core/tournament/metrics.ts";
import { hasCopies, rewardWarnings } from "../core/tournament/warnings.ts";
import { createHeaderSlots } from "../core/wire/header-slots.ts";
import type { SessionStats } from "../core/wire/questions.ts";
import type { LogEntry } from "../ports/log-entry.ts";
import type { Clock, Verifier } from "../ports/ports.ts";
import type { AnswerStreak, AnswerStreaks } from "./answer-streaks.ts";
import { type Audited, beginAudit, planAudit } from "./audit.ts";
import { requireServed } from "./backends-needed.ts";
import { specHash } from "./digest.ts";
import { type Judging, planJudging } from "./judging.ts";
import { lateHeaders } from "./late-headers.ts";
import { groupEntry, writtenRollout } from "./log-entry.ts";
import { modelTokens } from "./model-tokens.ts";
import { programsOnly } from "./programs-only.ts";
import { type JournalUse, questionKeys, type ReadingJournal } from "./reading-journal.ts";
import { attributionOf, openSessions, REFUSALS_TOLD_MAX, type Sessions } from "./sessions.ts";
import { judgedAsItFits, type Replanning } from "./shrinking.ts";
import { simulatedVerdicts } from "./simulated.ts";
import { workInTurns } from "./turns.ts";
import { VerdictTexts } from "./verdict-texts.ts";

export interface ScoringDeps {
  verifier: Verifier;
  clock: Clock;
  log_texts?: boolean | undefined;
}

export interface ScoringBatch {
  request: RewardsRequest;
  /** The resolved spec of the request. */
  spec: Spec;
  /** `clock.now()` when the request arrived; the deadline is relative to it. */
  started_ms: number;
  /** Aborted with the reason `cancelled` when the client disconnects. */
  signal: AbortSignal;
  /** Lower values go first at verifiers that support priorities; omitted: 0. */
  priority?: number;
  /** Attribution of the verifier calls, as in `VerifierCall`. */
  tenant?: string;
  work?: string;
  /** Reserves memory for questions, in bytes in addition to the request. May throw to reject the request. */
  reserveBytes?: (bytes: number) => void;
  /** Called as soon as a group is judged, in order of completion. */
  onGroup?: (index: number, group: GroupResult) => void;
  /** Provides answers that are already known, and receives new ones as they arrive. */
  journal?: ReadingJournal;
  /** Set if the caller has already checked the samples for missing facts. Omitted: they are checked here. */
  has_facts?: true;
  /** Counts rollouts without an answer across a run's requests; omitted: only within this request. */
  answers?: AnswerStreaks;
}

export interface ScoredBatch {
  reply: Omit<RewardsReply, "request_id" | "logged">;
  entry: Omit<LogEntry, "request_id" | "key_name" | "kind" | "created_at">;
  session: SessionStats;
  /** Usage of the audit; null if the request has no audit. */
  audit: AuditUse | null;
  /** Tokens of all questions, by model. */
  tokens: readonly ModelTokens[];
  /** The verifier's own reasons for refusing questions: up to REFUSALS_TOLD_MAX sentences, sorted. */
  refused: readonly string[];
  /** The longest wait that a refusing verifier requested, ms; null if none did. */
  retry_after_ms: number | null;
}

/**
 * Scores a batch. Verifier failures do not throw: rewards that cannot be decided are null, with a code.
 * @throws ApiError for invalid requests (`length_tokens_required`, `unsafe_regex`, `unknown_prompt`,
 *   `unbounded_reward`, `list_too_long`, `too_many_generations`), always before the first verifier call
 */
export async function scoreBatch(deps: ScoringDeps, batch: ScoringBatch): Promise<ScoredBatch> {
  const { request, started_ms } = batch;
  const { spec, spec_hash, prepared, judgings, auditing, texts, replanning } = await planned(deps, batch);
  const { compiled, work } = replanning;
  const form = formOf(spec);

  const verifierStarted = deps.clock.now();
  const deadline = armDeadline(deps.clock, request.deadline_ms - (verifierStarted - started_ms), batch.signal);
  const deadline_at = verifierStarted + deadline.after_ms;
  const until = { signal: deadline.signal, deadline_at, priority: batch.priority ?? 0, ...attributionOf(batch) };
  const slots = auditing?.begins === true ? createHeaderSlots() : undefined;
  const opened = openSessions(deps.verifier, compiled, until, slots);
  const audit = auditing === null ? null : beginAudit(auditing, deps, until, slots);
  const copying = comparesFew(compiled) && work(hasCopies(prepared));
  const { judged, results, audited } = await judgeAll(judgings, opened.sessions, replanning, batch.onGroup)
    .then(async (main) => ({ ...main, audited: (await audit?.ended(main.results)) ?? null }))
    .finally(deadline.disarm);
  const session = opened.stats();
  const refused = [...opened.refusals.sentences].sort().slice(0, REFUSALS_TOLD_MAX);
  const verifierMs = deps.clock.now() - verifierStarted;

  const withTexts = spec.log_texts && textChars(request) <= LIMITS.logged_text_chars;
  const groups = await entries(judged, results, form.named, withTexts, audited);
  const total = deps.clock.now() - started_ms;
  const metrics = batchMetrics(results);
  const { run_id = null, step = null } = request;
  const streak = batch.answers?.streakOf(spec_hash, run_id, batch.tenant);
  const shared = {
    ...{ run_id, step, spec_hash, metrics },
    timing_ms: { total, verifier: verifierMs, overhead: Math.max(0, total - verifierMs) },
    warnings: [
      ...new Set(prepared.flatMap(({ warnings }) => warnings)),
      ...loggingWarnings(request, spec.log_texts && !withTexts),
      ...([texts, auditing?.texts].some((verdictTexts) => verdictTexts?.dropped) ? ["verdicts_not_logged"] : []),
      ...(auditing !== null && auditing.left_out > 0 ? ["audit_cut"] : []),
      ...scoredWarnings(compiled, deps.verifier, { judged, results, metrics, session, streak, copies: await copying }),
      ...refused.map((sentence) => `verifier_refused: ${sentence}`),
    ],
  };
  const rewards = results.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const columns = request.columns === true && { columns: columnsOf(results) };
  const range = form.named && { reward_range: [...compiled.reward.range] as [number, number] };
  const measured = measuresOf(compiled, judged);
  const reported = audited !== null && { audit: audited.use };
  return {
    reply: { ...shared, rewards, ...range, ...measured, ...columns, ...reported, groups: results },
    entry: {
      ...shared,
      spec: canonicalJson({ ...asWritten(spec), log_verdicts: undefined, audit: undefined }),
      items: rewards.reduce((sum, { length }) => sum + length, 0),
      groups,
    },
    session,
    audit: audited?.use ?? null,
    tokens: [...modelTokens(judged, compiled, deps.verifier.model ?? null), ...(audited?.tokens ?? [])],
    ...{ refused, retry_after_ms: opened.refusals.retry_after_ms },
  };
}

/** Checks a batch and plans its first questions, before anything is asked. */
async function planned(deps: ScoringDeps, batch: ScoringBatch) {
  const { request, started_ms, reserveBytes } = batch;
  const { verifier } = deps;
  const spec = withLogTexts(batch.spec, deps);
  const compiled = compileSpec(spec, Math.max(...request.groups.map(({ rollouts }) => rollouts.length)));
  (batch.has_facts === true ? requireSound : requireFacts)(request, compiled);
  requireServed(verifier, compiled);
  const spec_hash = await specHash(spec);
  const work = workInTurns(batch.tenant ?? "", deps.clock, started_ms + request.deadline_ms);
  const prepared = await work(preparing(request, compiled));
  const journal: JournalUse | null =
    batch.journal === undefined
      ? null
      : {
          journal: batch.journal,
          keyOf: await questionKeys(prepared, spec_hash, compiled),
          asksUnanswered: true,
          hastens: verifier.protocol === "verify",
        };
  const texts = spec.log_verdicts === true ? new VerdictTexts() : null;
  const replanning: Replanning = { compiled, step: request.step ?? 0, work };
  const options = { ...replanning, journal, texts, reserveBytes };
  const judgings = await work(planJudging(prepared, compiled, replanning.step, verifier.generations_max, options));
  return { spec, spec_hash, prepared, judgings, auditing: planAudit(verifier, spec, prepared), texts, replanning };
}

const STEP_WITHOUT_RUN =
  "step_without_run: The request has a step but no run_id, so it does not appear on any run's page. Set run_id=<name>.";

/** Warnings about parts of the request that the run log does not contain. */
const loggingWarnings = ({ run_id, step }: Pick<RewardsRequest, "run_id" | "step">, dropsTexts: boolean): string[] => [
  ...(dropsTexts ? ["texts_not_logged"] : []),
  ...(step != null && run_id == null ? [STEP_WITHOUT_RUN] : []),
];

interface ScoredGroups {
  judged: readonly GroupSignals[];
  results: readonly GroupResult[];
  metrics: RewardsReply["metrics"];
  session: SessionStats;
  copies: boolean;
  streak?: AnswerStreak | undefined;
}

/** Counts rollouts without an answer within one request, for callers that keep no count across requests. */
const withinRequest: AnswerStreak = (_, rollouts, isAnswered) => (isAnswered ? 0 : rollouts);

/** Warnings from the signals, for example that a signal compares answers but no rollout contains one. */
function signalWarnings({ signals }: CompiledSpec, { judged, streak = withinRequest }: ScoredGroups): string[] {
  return signals.flatMap(({ name, signal, settings }) => {
    if (signal.placesAnswers !== true) return signal.warning?.(settings, 0) ?? [];
    const details = judged.flatMap((group) => group.rowsOf(name).map(({ detail }) => detail));
    const looked = details.filter((detail) => detail?.missing === undefined);
    if (looked.length === 0) return [];
    const isAnswered = looked.some((detail) => detail?.place !== undefined);
    return signal.warning?.(settings, streak(name, looked.length, isAnswered)) ?? [];
  });
}

/** Warnings about the groups' results. */
function scoredWarnings(compiled: CompiledSpec, verifier: Verifier, scored: ScoredGroups): string[] {
  const { judged, results, metrics, session, copies } = scored;
  const prepared = judged.map((signals) => signals.prepared);
  const asks = asksForCandidates(compiled);
  return [
    ...rewardWarnings(prepared, results, metrics, asks, copies),
    ...compiled.signals.flatMap(({ signal, settings }) => signal.caution?.(settings) ?? []),
    ...signalWarnings(compiled, scored),
    ...selectionUnsettled(judged),
    ...programsOnly(verifier, compiled, prepared, results, asks),
    ...simulatedVerdicts(verifier, compiled, results),
    ...lateHeaders(session, prepared.length),
  ];
}

/** Warns about groups whose comparisons do not determine the best rollout. */
function selectionUnsettled(judged: readonly GroupSignals[]): string[] {
  const open = judged.filter((signals) => signals.compared()?.selection.unsettled === true).length;
  if (open === 0) return [];
  return [
    `selection_unsettled: in ${open} of ${judged.length} groups the selected rollout was never compared with another undefeated rollout; use round_robin, swiss, knockout or pivot if the best rollout matters`,
  ];
}

/** Cost of computing one rollout's result, in units of `turn_steps`. */
const STEPS_ROLLOUT = 500;

/** Prepares every group for its questions. Yields the cost of the work done, in units of `turn_steps`. */
export function* preparing({ groups }: RewardsRequest, compiled: CompiledSpec): Generator<number, PreparedGroup[]> {
  const prepare = preparerInSteps(preparerRules(compiled));
  const prepared: PreparedGroup[] = [];
  for (const [index, group] of groups.entries()) prepared.push({ ...(yield* prepare(group, index)), beside: groups });
  return prepared;
}

interface JudgedBatch {
  judged: GroupSignals[];
  results: GroupResult[];
}

/** Judges all groups in parallel and reports each one to `onGroup` as soon as it is judged. */
async function judgeAll(
  judgings: readonly Judging[],
  sessions: Sessions,
  replanning: Replanning,
  onGroup: ScoringBatch["onGroup"],
): Promise<JudgedBatch> {
  const { compiled, work } = replanning;
  const { spec, judgeable } = compiled;
  const judged: GroupSignals[] = [];
  const results: GroupResult[] = [];
  function* resultOf(signals: GroupSignals): Generator<number, GroupResult> {
    yield signals.size * STEPS_ROLLOUT;
    return formOf(spec).replied(groupResult(signals, judgeable));
  }
  await Promise.all(
    judgings.map(async (judging, index) => {
      const signals = await judgedAsItFits(judging, sessions, replanning);
      judged[index] = signals;
      const result = await work(resultOf(signals));
      results[index] = result;
      onGroup?.(index, result);
    }),
  );
  return { judged, results };
}

/** The measures that the signals report; empty if none of them reports any. */
function measuresOf({ signals }: CompiledSpec, judged: readonly GroupSignals[]): Pick<RewardsReply, "signals"> {
  const measured = signals.flatMap(({ name, signal, settings }) => {
    const rows = () => judged.flatMap((group) => group.rowsOf(name));
    const measures = signal.measures === undefined ? null : signal.measures(settings, rows());
    return measures === null ? [] : [[name, measures] as const];
  });
  return measured.length === 0 ? {} : { signals: Object.fromEntries(measured) };
}

/** Signal values of all rollouts, by signal name and then by group. */
function columnsOf(results: readonly GroupResult[]): NonNullable<RewardsReply["columns"]> {
  const names = Object.keys(results[0]?.rollouts[0]?.components ?? {});
  const column = (name: string) =>
    results.map(({ rollouts }) => rollouts.map((rollout) => rollout.components[name] ?? null));
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

interface Deadline {
  signal: AbortSignal;
  after_ms: number;
  disarm: () => void;
}

/** Aborts the verifier's work slightly before the request's deadline, so that the reply arrives in time. */
function armDeadline(clock: Clock, remainingMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const after_ms = Math.max(0, remainingMs - Math.min(LIMITS.deadline_reserve_ms, remainingMs / 10));
  const disarm = clock.after(after_ms, () => controller.abort("deadline"));
  return { signal: AbortSignal.any([outer, controller.signal]), after_ms, disarm };
}

/**
 * Number of characters that `log_texts` would store. Beyond the limit, the isolate's memory could not hold
 * the SQL statement in addition to the request.
 */
function textChars({ groups }: RewardsRequest): number {
  return groups.reduce(
    (sum, { prompt, rollouts }) =>
      sum +
      JSON.stringify(prompt).length +
      rollouts.reduce((chars, rollout) => chars + writtenRollout(rollout).length, 0),
    0,
  );
}

/** Builds log rows one group at a time, so that only one group's encoded strings are in memory at once. */
async function entries(
  judged: readonly GroupSignals[],
  results: readonly GroupResult[],
  named: boolean,
  withTexts: boolean,
  audited: Audited | null,
): Promise<LogEntry["groups"]> {
  const rows = [];
  for (const [g, signals] of judged.entries()) {
    const audit = { scores: audited?.values.get(g), verdicts: audited?.verdicts.get(g) };
    rows.push(await groupEntry(signals, results[g] as GroupResult, named, withTexts, audit));
  }
  return rows;
}
