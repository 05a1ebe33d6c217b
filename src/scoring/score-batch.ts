// Owns the one use case: extract → plan → verify → decide → shape → summarise. Knows no HTTP, no
// database and no verifier protocol.

import { createPreparer } from "../core/candidate/prepare.ts";
import type { GroupResult, RewardsReply } from "../core/contract/replies.ts";
import { canonicalJson } from "../core/contract/spec.ts";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import {
  type AnySpec,
  asksForCandidates,
  type CompiledSpec,
  compileSpec,
  hasSignals,
} from "../core/signals/compiled-spec.ts";
import { requireFacts } from "../core/signals/facts.ts";
import { groupResult } from "../core/signals/group-result.ts";
import type { GroupSignals } from "../core/signals/group-signals.ts";
import { preparerRules } from "../core/signals/preparing.ts";
import type { RewardsRequest } from "../core/signals/requests.ts";
import type { Judge } from "../core/signals/signal.ts";
import { batchMetrics } from "../core/tournament/metrics.ts";
import { rewardWarnings } from "../core/tournament/warnings.ts";
import { createHeaderSlots } from "../core/wire/header-slots.ts";
import type { SessionStats } from "../core/wire/questions.ts";
import { specHash } from "./digest.ts";
import { type Judging, planJudging, type Sessions } from "./judging.ts";
import { groupEntry } from "./log-entry.ts";
import type { Clock, Verifier, VerifierCall, VerifierSession } from "./ports.ts";
import { keyedJournal, type ReadingJournal } from "./reading-journal.ts";
import type { LogEntry } from "./run-log-port.ts";

export interface ScoringDeps {
  verifier: Verifier;
  clock: Clock;
}

export interface ScoringBatch {
  request: RewardsRequest;
  /** The request's spec, resolved. */
  spec: AnySpec;
  /** `clock.now()` when the request came in; the deadline counts from there. */
  started_ms: number;
  /** Aborted with the reason `cancelled` when the client goes. */
  signal: AbortSignal;
  /** Lower goes first at verifiers that know priorities; absent: 0. */
  priority?: number;
  /** Called as soon as a group is done, in the order in which groups finish. */
  onGroup?: (index: number, group: GroupResult) => void;
  /**
   * Comparisons that need not be asked again, and where newly judged ones are handed out as they
   * settle.
   */
  journal?: ReadingJournal;
}

export interface ScoredBatch {
  reply: Omit<RewardsReply, "request_id" | "logged">;
  entry: Omit<LogEntry, "request_id" | "key_name" | "kind" | "created_at">;
  session: SessionStats;
  /** Why the verifier refused questions, in its own words, a few; ascending. */
  refused: readonly string[];
}

/**
 * Scores a batch. A verifier's fault never throws: what it left undecided is null with a code.
 * @throws ApiError for faults of the request (`length_tokens_required`, `unsafe_regex`,
 *   `unknown_prompt`, `unbounded_reward`,
 * `list_too_long`, `too_many_generations`), always before the first verifier call
 */
export async function scoreBatch(deps: ScoringDeps, batch: ScoringBatch): Promise<ScoredBatch> {
  const { request, spec, started_ms } = batch;
  const compiled = compileSpec(spec, Math.max(...request.groups.map(({ rollouts }) => rollouts.length)));
  requireFacts(request, compiled);
  requireBackends(deps.verifier, compiled);
  const spec_hash = await specHash(spec);
  const prepared = request.groups.map(createPreparer(preparerRules(compiled)));
  const named = hasSignals(spec);
  const journal = batch.journal === undefined ? null : await keyedJournal(batch.journal, prepared, spec_hash, named);
  const judgings = planJudging(prepared, compiled, request.step ?? 0, deps.verifier.generations_max, journal);

  const verifierStarted = deps.clock.now();
  const deadline = armDeadline(request.deadline_ms - (verifierStarted - started_ms), batch.signal);
  const { priority = 0 } = batch;
  const until = { signal: deadline.signal, deadline_at: verifierStarted + deadline.after_ms, priority };
  const opened = openSessions(deps.verifier, compiled, until);
  const { judged, results } = await judgeAll(judgings, compiled, opened.sessions, batch.onGroup).finally(
    deadline.disarm,
  );
  const session = opened.stats();
  const refused = [...opened.refusals].sort().slice(0, REFUSALS_TOLD_MAX);
  const verifierMs = deps.clock.now() - verifierStarted;

  const withTexts = spec.log_texts && textChars(request) <= LIMITS.logged_text_chars;
  const groups = await entries(judged, results, named, withTexts);
  const total = deps.clock.now() - started_ms;
  const metrics = batchMetrics(results);
  const shared = {
    run_id: request.run_id ?? null,
    step: request.step ?? null,
    spec_hash,
    metrics,
    timing_ms: { total, verifier: verifierMs, overhead: Math.max(0, total - verifierMs) },
    warnings: [
      ...new Set(prepared.flatMap(({ warnings }) => warnings)),
      ...(spec.log_texts && !withTexts ? ["texts_not_logged"] : []),
      ...rewardWarnings(prepared, results, metrics, asksForCandidates(compiled)),
      ...refused.map((sentence) => `verifier_refused: ${sentence}`),
    ],
  };
  const rewards = results.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const columns = request.columns === true && { columns: columnsOf(results) };
  const [low, high] = compiled.reward.range;
  const range = named && { reward_range: [low, high] as [number, number] };
  const items = rewards.reduce((sum, { length }) => sum + length, 0);
  return {
    reply: { ...shared, rewards, ...range, ...columns, groups: results },
    entry: { ...shared, spec: canonicalJson(spec), items, groups },
    session,
    refused,
  };
}

/** Throws ApiError `not_configured` for a signal whose questions no backend answers. */
function requireBackends({ takes = ["chat"] }: Verifier, { signals, spec }: CompiledSpec): void {
  const missing = signals.find(({ judge, signal }) => judge !== null && !takes.includes(signal.to ?? "chat"));
  if (missing === undefined) return;
  const { to = "chat", kind } = missing.signal;
  const path = hasSignals(spec) ? `spec.signals.${missing.name}` : "spec.judge";
  const message = `asks a ${to} backend, and this deployment has none${to === "chat" ? "" : ` (VERIFIER_PROTOCOL or VERIFIER_FALLBACKS with the protocol "${to}")`}`;
  throw new ApiError("not_configured", `A signal of the kind ${kind} ${message}.`, { errors: [{ path, message }] });
}

interface Judged {
  judged: GroupSignals[];
  results: GroupResult[];
}

/** All groups side by side, each finished as soon as its own samples are in. */
async function judgeAll(
  judgings: readonly Judging[],
  { spec, judgeable }: CompiledSpec,
  sessions: Sessions,
  onGroup: ScoringBatch["onGroup"],
): Promise<Judged> {
  const judged: GroupSignals[] = [];
  const results: GroupResult[] = [];
  await Promise.all(
    judgings.map(async (judging, index) => {
      const signals = await judging.run(sessions);
      judged[index] = signals;
      results[index] = groupResult(signals, spec, judgeable);
      onGroup?.(index, results[index]);
    }),
  );
  return { judged, results };
}

/**
 * One session for each signal that asks; they share the places for requests that wait for headers.
 */
function openSessions(
  verifier: Verifier,
  { signals, spec }: CompiledSpec,
  until: Pick<VerifierCall, "signal" | "deadline_at" | "priority">,
): { sessions: Sessions; stats: () => SessionStats; refusals: ReadonlySet<string> } {
  const asking = signals.flatMap(({ name, judge }) => (judge === null ? [] : [{ name, judge }]));
  const shared = asking.length > 1 ? { header_slots: createHeaderSlots() } : {};
  const refusals = new Set<string>();
  const sessions = asking.map(({ name, judge }) => {
    const session = verifier.session({ ...verifierCall(judge, spec.seed), ...until, ...shared });
    return [name, overheard(session, refusals)] as const;
  });
  const stats = () => {
    const all = sessions.map(([, session]) => session.stats);
    const sum = (field: keyof SessionStats) => all.reduce((total, one) => total + one[field], 0);
    const most = (field: keyof SessionStats) => all.reduce((top, one) => Math.max(top, one[field]), 0);
    return {
      headers_waiting_max: most("headers_waiting_max"),
      in_flight_max: sum("in_flight_max"),
      requests: sum("requests"),
      retries: sum("retries"),
    };
  };
  return { sessions: Object.fromEntries(sessions), stats, refusals };
}

/** Sentences of refusals that are kept, and that one reply tells: the first ascending. */
const REFUSALS_MAX = 256;
const REFUSALS_TOLD_MAX = 3;

/** The same session; why questions were refused is taken down. */
function overheard(session: VerifierSession, refusals: Set<string>): VerifierSession {
  return {
    judge: (job, sink) =>
      session.judge(job, (generation) => {
        const { reason } = generation;
        if (reason != null && refusals.size < REFUSALS_MAX) refusals.add(reason);
        sink(generation);
      }),
    get stats() {
      return session.stats;
    },
  };
}

/** By signal: the values of every group's rollouts. */
function columnsOf(results: readonly GroupResult[]): NonNullable<RewardsReply["columns"]> {
  const names = Object.keys(results[0]?.rollouts[0]?.components ?? {});
  const column = (name: string) => results.map(({ rollouts }) => rollouts.map((one) => one.components[name] ?? null));
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

function verifierCall({ prompt, form, model, temperature, top_p, max_tokens, strict_model }: Judge, seed: number) {
  return { prompt, form, model, temperature, top_p, max_tokens, seed, strict_model: strict_model === true };
}

interface Deadline {
  signal: AbortSignal;
  after_ms: number;
  disarm: () => void;
}

/**
 * Ends the verifier's work a little before the request's own deadline, so that the reply itself is
 * in time.
 */
function armDeadline(remainingMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const after_ms = Math.max(0, remainingMs - Math.min(LIMITS.deadline_reserve_ms, remainingMs / 10));
  const timer = setTimeout(() => controller.abort("deadline"), after_ms);
  return { signal: AbortSignal.any([outer, controller.signal]), after_ms, disarm: () => clearTimeout(timer) };
}

/**
 * Characters that `log_texts` would store. Beyond the limit the isolate's memory could not hold the
 * statement beside the request.
 */
function textChars({ groups }: RewardsRequest): number {
  return groups.reduce(
    (sum, { prompt, rollouts }) =>
      sum + JSON.stringify(prompt).length + rollouts.reduce((chars, { text }) => chars + text.length, 0),
    0,
  );
}

/** Log rows group by group, so that the encoded copies of all texts are never held at once. */
async function entries(
  judged: readonly GroupSignals[],
  results: readonly GroupResult[],
  named: boolean,
  withTexts: boolean,
): Promise<LogEntry["groups"]> {
  const rows = [];
  for (const [g, signals] of judged.entries()) {
    rows.push(await groupEntry(signals, results[g] as GroupResult, named, withTexts));
  }
  return rows;
}
