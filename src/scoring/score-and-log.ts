// Scores one validated request of any API contract, logs it, and builds the native reply.

import type { GroupResult } from "../core/contract/group-reply.ts";
import type { CostUse, RewardsReply } from "../core/contract/rewards-reply.ts";
import { isMendable } from "../core/faults/mendable.ts";
import { costOf, knownUsd, type TokenCost } from "../core/load/prices.ts";
import type { RewardsRequest } from "../core/reward/requests.ts";
import type { Spec } from "../core/reward/spec.ts";
import type { LogEntry } from "../ports/log-entry.ts";
import { countBatch } from "./count-batch.ts";
import type { JudgingDeps } from "./deps.ts";
import { appendEntry } from "./log-append.ts";
import { partyOf } from "./party.ts";
import type { ReadingJournal } from "./reading-journal.ts";
import type { RequestScope, ScoredCounts } from "./request-scope.ts";
import { rewardCounts, tally } from "./reward-counts.ts";
import { type ScoredBatch, scoreBatch } from "./score-batch.ts";

/** The native reply, and the log rows of each group, including single verdicts. */
export interface ScoredRequest {
  reply: RewardsReply;
  groups: LogEntry["groups"];
  /** The longest wait that a refusing verifier requested, ms; null if none did. */
  retry_after_ms: number | null;
}

const tokensOf = ({ tokens }: ScoredBatch): number =>
  tokens.reduce((sum, { prompt_tokens, completion_tokens }) => sum + prompt_tokens + completion_tokens, 0);

const promptTokens = (tokens: ScoredBatch["tokens"]): number =>
  tokens.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0);

function countsOf({ reply, entry, session, tokens, refused }: ScoredBatch, cost: TokenCost | null): ScoredCounts {
  const failed = tally(entry.groups.flatMap(({ verdicts }) => verdicts.flatMap(({ error }) => error ?? [])));
  return {
    groups: reply.groups.length,
    ...rewardCounts(reply.groups.flatMap(({ rollouts }) => rollouts)),
    verifier_calls: session.requests,
    verifier_prompt_tokens: promptTokens(tokens),
    ...(cost !== null && { usd: cost.usd, unpriced_tokens: cost.unpriced_tokens }),
    ...(failed !== null && { failed }),
    ...(refused.length > 0 && { reasons: refused }),
  };
}

/** The cost as shown in a reply. */
const costReply = (cost: TokenCost, { session, tokens }: ScoredBatch): CostUse => ({
  calls: session.requests,
  prompt_tokens: promptTokens(tokens),
  usd: knownUsd(cost),
  unpriced_tokens: cost.unpriced_tokens,
});

/** Number of run log rows of a scored request, including those for stored prompts and answers. */
function rowsOf({ groups }: Pick<LogEntry, "groups">): number {
  const ofGroup = ({ prompt, rollouts, verdicts, signals = [], audit_verdicts = [] }: LogEntry["groups"][number]) => {
    const turned = rollouts.filter(({ turn_hashes }) => turn_hashes !== undefined).length;
    const ofRollouts = rollouts.length * (prompt === null ? 1 : 2) + turned;
    return 1 + ofRollouts + verdicts.length + signals.length + audit_verdicts.length;
  };
  return groups.reduce((sum, group) => sum + ofGroup(group), 1);
}

/**
 * Scores, counts and logs a request. Throws only for invalid requests (see `scoreBatch`); if the log write
 * fails, the reply has a warning.
 */
export async function scoreAndLog(
  deps: JudgingDeps,
  scope: RequestScope,
  request: RewardsRequest,
  spec: Spec,
  signal: AbortSignal,
  onGroup?: (index: number, group: GroupResult) => void,
  journal?: ReadingJournal,
): Promise<ScoredRequest> {
  const { priority, key_name, reserveBytes, work, has_facts } = scope;
  const hooks = {
    answers: deps.answers,
    ...(reserveBytes && { reserveBytes }),
    ...(onGroup && { onGroup }),
    ...(journal && { journal }),
    ...(priority && { priority }),
    ...(work !== undefined && { work }),
    ...(has_facts && { has_facts }),
  };
  const batch = { request, spec, started_ms: scope.started_ms, signal, ...hooks, ...partyOf(key_name) };
  const scored: ScoredBatch = await scoreBatch(deps, batch);
  scope.verifier_ms += scored.reply.timing_ms.verifier;
  const cost = deps.prices === null ? null : costOf(scored.tokens, deps.prices);
  scope.scored = countsOf(scored, cost);
  countBatch(deps.metrics, scored);
  if (deps.keyLimits !== null) {
    const use = { tokens: tokensOf(scored), usd: cost?.usd_most ?? 0, log_rows: rowsOf(scored.entry) };
    scope.keep_alive?.(deps.keyLimits.spend(scope.key_name, use));
  }
  if (scored.refused.length > 0) {
    deps.report({ level: "warn", event: "verifier_refused", request_id: scope.id, reasons: scored.refused });
  }
  journal?.onScored();
  if (isMendable(scored.reply)) await scope.give_up_key?.();
  const outcome = await appendEntry(deps, scope, {
    ...scored.entry,
    request_id: scope.id,
    key_name: scope.key_name,
    // A trainer retries after a broken connection; an `attempt` keeps its rollouts from being counted twice.
    kind: signal.aborted && signal.reason === "cancelled" ? "attempt" : "rewards",
    created_at: deps.clock.date(),
    warnings: [...scored.entry.warnings, ...(scope.warnings ?? [])],
    ...(cost !== null && cost.unpriced_tokens === 0 && { usd: cost.usd }),
  });
  const warnings = [...scored.reply.warnings, ...outcome.warnings];
  const priced = cost !== null && { cost: costReply(cost, scored) };
  const reply = { request_id: scope.id, ...scored.reply, ...priced, logged: outcome.logged, warnings };
  return { reply, groups: scored.entry.groups, retry_after_ms: scored.retry_after_ms };
}
