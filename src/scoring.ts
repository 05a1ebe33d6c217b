// Owns the one use case: extract → plan → verify → decide → shape → summarise. Knows no HTTP, no database and no verifier protocol.
import type { RewardsRequest } from "./core/contract.ts";
import type { GroupResult, RewardsReply } from "./core/contract-replies.ts";
import { ApiError, type FieldError } from "./core/errors.ts";
import { groupResult } from "./core/group-result.ts";
import type { AskedSamples } from "./core/judged.ts";
import { LIMITS } from "./core/limits.ts";
import { batchMetrics } from "./core/metrics.ts";
import { createPreparer, type PreparedGroup } from "./core/prepare.ts";
import { canonicalJson, type Spec } from "./core/spec.ts";
import type { SessionStats } from "./core/verifying.ts";
import { specHash } from "./digest.ts";
import { type Judging, planJudging } from "./judging.ts";
import { groupEntry } from "./log-entry.ts";
import type { Clock, LogEntry, Verifier, VerifierCall } from "./ports.ts";
import { keyedJournal, type SampleJournal } from "./sample-journal.ts";

export interface ScoringDeps {
  verifier: Verifier;
  clock: Clock;
}

export interface ScoringBatch {
  request: RewardsRequest;
  /** The request's spec, resolved. */
  spec: Spec;
  /** `clock.now()` when the request came in; the deadline counts from there. */
  started_ms: number;
  /** Aborted with the reason `cancelled` when the client goes. */
  signal: AbortSignal;
  /** Called as soon as a group is done, in the order in which groups finish. */
  onGroup?: (index: number, group: GroupResult) => void;
  /** Comparisons that need not be asked again, and where newly judged ones are handed out as they settle. */
  journal?: SampleJournal;
}

export interface ScoredBatch {
  reply: Omit<RewardsReply, "request_id" | "logged">;
  entry: Omit<LogEntry, "request_id" | "key_name" | "kind" | "created_at">;
  session: SessionStats;
}

/**
 * Scores a batch. A verifier's fault never throws: what it left undecided is null with a code.
 * @throws ApiError for faults of the request (`length_tokens_required`, `unsafe_regex`, `unknown_prompt`, `list_too_long`,
 * `too_many_generations`), always before the first verifier call
 */
export async function scoreBatch(deps: ScoringDeps, batch: ScoringBatch): Promise<ScoredBatch> {
  const { request, spec, started_ms } = batch;
  requireLengths(request, spec);
  const spec_hash = await specHash(spec);
  const prepared = request.groups.map(createPreparer(spec));
  const journal = batch.journal === undefined ? null : await keyedJournal(batch.journal, prepared, spec_hash);
  const judgings = planJudging(prepared, spec, deps.verifier.generations_max, journal);

  const verifierStarted = deps.clock.now();
  const deadline = armDeadline(request.deadline_ms - (verifierStarted - started_ms), batch.signal);
  const call = { ...verifierCall(spec), signal: deadline.signal, deadline_at: verifierStarted + deadline.after_ms };
  const { judged, results, session } = await judgeAll(deps.verifier, call, judgings, spec, batch.onGroup).finally(
    deadline.disarm,
  );
  const verifierMs = deps.clock.now() - verifierStarted;

  const withTexts = spec.log_texts && textChars(request) <= LIMITS.logged_text_chars;
  const groups = await entries(prepared, judged, results, withTexts);
  const total = deps.clock.now() - started_ms;
  const shared = {
    run_id: request.run_id ?? null,
    step: request.step ?? null,
    spec_hash,
    metrics: batchMetrics(results),
    timing_ms: { total, verifier: verifierMs, overhead: Math.max(0, total - verifierMs) },
    warnings: [
      ...new Set(prepared.flatMap(({ warnings }) => warnings)),
      ...(spec.log_texts && !withTexts ? ["texts_not_logged"] : []),
      ...(results.some(({ verifier }) => verifier.models.length > 1) ? ["models_mixed"] : []),
    ],
  };
  const rewards = results.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const items = rewards.reduce((sum, { length }) => sum + length, 0);
  return {
    reply: { ...shared, rewards, groups: results },
    entry: { ...shared, spec: canonicalJson(spec), items, groups },
    session,
  };
}

interface Judged {
  judged: (readonly AskedSamples[])[];
  results: GroupResult[];
  session: SessionStats;
}

/** All groups side by side in one session, each finished as soon as its own samples are in. */
async function judgeAll(
  verifier: Verifier,
  call: VerifierCall,
  judgings: readonly Judging[],
  spec: Spec,
  onGroup: ScoringBatch["onGroup"],
): Promise<Judged> {
  const session = verifier.session(call);
  const judged: (readonly AskedSamples[])[] = [];
  const results: GroupResult[] = [];
  await Promise.all(
    judgings.map(async (judging, index) => {
      const asked = await judging.run(session);
      judged[index] = asked;
      results[index] = groupResult(judging.prepared, asked, spec);
      onGroup?.(index, results[index]);
    }),
  );
  return { judged, results, session: session.stats };
}

/** With `overlong` every rollout needs its length in the policy's tokens; it is never guessed from characters. */
function requireLengths({ groups }: RewardsRequest, spec: Spec): void {
  if (spec.overlong === null) return;
  const errors: FieldError[] = groups.flatMap(({ rollouts }, g) =>
    rollouts.flatMap(({ length_tokens }, r) =>
      length_tokens === undefined
        ? [{ path: `groups[${g}].rollouts[${r}].length_tokens`, message: "required because the spec has overlong" }]
        : [],
    ),
  );
  if (errors.length === 0) return;
  throw new ApiError(
    "length_tokens_required",
    `The spec has overlong, so every rollout needs length_tokens (the policy's completion tokens); ${errors.length} have none.`,
    { errors: errors.slice(0, LIMITS.validation_errors_max) },
  );
}

function verifierCall({ judge, seed }: Spec) {
  const { prompt, form, model, temperature, top_p, max_tokens, strict_model = false } = judge;
  return { prompt, form, model, temperature, top_p, max_tokens, seed, strict_model };
}

interface Deadline {
  signal: AbortSignal;
  after_ms: number;
  disarm: () => void;
}

/** Ends the verifier's work a little before the request's own deadline, so that the reply itself is in time. */
function armDeadline(remainingMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const after_ms = Math.max(0, remainingMs - Math.min(LIMITS.deadline_reserve_ms, remainingMs / 10));
  const timer = setTimeout(() => controller.abort("deadline"), after_ms);
  return { signal: AbortSignal.any([outer, controller.signal]), after_ms, disarm: () => clearTimeout(timer) };
}

/** Characters that `log_texts` would store. Beyond the limit the isolate's memory could not hold the statement beside the request. */
function textChars({ groups }: RewardsRequest): number {
  return groups.reduce(
    (sum, { prompt, rollouts }) =>
      sum + JSON.stringify(prompt).length + rollouts.reduce((chars, { text }) => chars + text.length, 0),
    0,
  );
}

/** Log rows group by group, so that the encoded copies of all texts are never held at once. */
async function entries(
  prepared: readonly PreparedGroup[],
  judged: readonly (readonly AskedSamples[])[],
  results: readonly GroupResult[],
  withTexts: boolean,
): Promise<LogEntry["groups"]> {
  const rows = [];
  for (const [g, group] of prepared.entries()) {
    rows.push(await groupEntry(group, judged[g] as readonly AskedSamples[], results[g] as GroupResult, withTexts));
  }
  return rows;
}
