// Audits a request: another judge judges a share of the groups again, in parallel with the main judging.
// Audit failures affect no reward, and the reply waits for the audit at most LIMITS.audit_wait_ms.

import { createPreparer, type PreparedGroup } from "../core/candidate/prepare.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import type { AuditUse } from "../core/contract/rewards-reply.ts";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { ModelTokens } from "../core/load/prices.ts";
import { drained } from "../core/math/drained.ts";
import { mean } from "../core/math/stats.ts";
import { auditCorrelation, auditSpec, isAudited } from "../core/reward/audit.ts";
import { type CompiledSpec, compileSpec } from "../core/reward/compiled-spec.ts";
import { groupResult } from "../core/reward/group-result.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import type { Spec } from "../core/reward/spec.ts";
import type { HeaderSlots } from "../core/wire/questions.ts";
import type { AuditVerdictRow } from "../ports/log-entry.ts";
import type { Clock, Verifier } from "../ports/ports.ts";
import { type Judging, planJudging } from "./judging.ts";
import { verdictRows } from "./log-entry.ts";
import { modelTokens } from "./model-tokens.ts";
import { openSessions, type Until } from "./sessions.ts";
import { VerdictTexts } from "./verdict-texts.ts";

/** The groups that a request's audit judges again. */
interface AuditPlan {
  compiled: CompiledSpec;
  judgings: readonly Judging[];
  /** Whether any group is to be judged again. */
  begins: boolean;
  /** Number of selected groups that exceed the audit's part of the limits. */
  left_out: number;
  /** Collects the audit judge's answers for the log; null if the spec does not log answers. */
  texts: VerdictTexts | null;
}

/** The result of an audit. */
export interface Audited {
  /** Scores of each rollout by group index, for groups that were audited completely. */
  values: ReadonlyMap<number, readonly (number | null)[]>;
  /** Verdicts of the audit's judge by group index, including groups that were audited only in part. */
  verdicts: ReadonlyMap<number, readonly AuditVerdictRow[]>;
  use: AuditUse;
  tokens: readonly ModelTokens[];
}

/** The audit's share of the judges' answers that a request may log; the same share as for generations. */
const TEXTS_CHARS = Math.floor(LIMITS.logged_verdicts_chars / LIMITS.audit_generations_divisor);

/**
 * Plans the audit of a request; null if the spec has no audit. Groups that exceed the limits are left out
 * instead of rejecting the request.
 */
export function planAudit(verifier: Verifier, spec: Spec, groups: readonly PreparedGroup[]): AuditPlan | null {
  const { audit } = spec;
  const audited = auditSpec(spec);
  if (audit === undefined || audited === null) return null;
  const compiled = compileSpec(audited);
  const prepare = createPreparer(preparerRules(compiled));
  const picked = groups.filter((prepared) => isAudited(audit, spec.seed, prepared));
  const generationsMax = Math.floor(verifier.generations_max / LIMITS.audit_generations_divisor);
  const texts = spec.log_verdicts === true ? new VerdictTexts(TEXTS_CHARS) : null;
  const planned = (some: readonly PreparedGroup[]) => planWithin(some, compiled, generationsMax, texts);
  const asks = verifier.takes?.includes("chat") ?? true;
  let fitting = (asks ? picked : [])
    .map(({ group, index }) => prepare(group, index))
    .filter((prepared) => planned([prepared]) !== null);
  let judgings = planned(fitting);
  while (judgings === null) {
    fitting = fitting.slice(0, Math.floor(fitting.length / 2));
    judgings = planned(fitting);
  }
  return { compiled, judgings, begins: judgings.length > 0, left_out: picked.length - judgings.length, texts };
}

/** Plans the given groups; null if they exceed a limit. */
function planWithin(
  groups: readonly PreparedGroup[],
  compiled: CompiledSpec,
  generationsMax: number,
  texts: VerdictTexts | null,
): Judging[] | null {
  try {
    return drained(planJudging(groups, compiled, 0, generationsMax, { texts }));
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * Starts the audit at once; a verifier with priorities serves its questions after those of the main judging.
 * @param until options of the main judging; its deadline also applies to the audit
 */
export function beginAudit(
  { compiled, judgings }: AuditPlan,
  { verifier, clock }: { verifier: Verifier; clock: Clock },
  until: Until,
  header_slots?: HeaderSlots,
): { ended: (results: readonly GroupResult[]) => Promise<Audited> } {
  const late = new AbortController();
  const signal = AbortSignal.any([until.signal, late.signal]);
  // Gives up early on failed questions instead of retrying them until the deadline.
  const patience = { priority: (until.priority ?? 0) + 1, hand_on: true };
  const { sessions } = openSessions(verifier, compiled, { ...until, ...patience, signal }, header_slots);
  const running = Promise.all(
    judgings.map(async (judging) => ({ index: judging.prepared.index, signals: await judging.run(sessions, false) })),
  );
  const results = running.then((all) =>
    all.map(({ index, signals }) => ({
      index,
      result: groupResult(signals, compiled.judgeable),
      verdicts: verdictRows(signals).map(({ signal: _, ...row }) => row),
      tokens: modelTokens([signals], compiled, verifier.model ?? null),
    })),
  );
  return {
    async ended(main) {
      const cancel = clock.after(LIMITS.audit_wait_ms, () => late.abort("deadline"));
      return auditSummary(await results.finally(cancel), main);
    },
  };
}

interface AuditedGroup {
  index: number;
  result: GroupResult;
  verdicts: AuditVerdictRow[];
  tokens: ModelTokens[];
}

function auditSummary(audits: readonly AuditedGroup[], main: readonly GroupResult[]): Audited {
  const whole = audits.filter(({ result }) => result.status === "ok");
  const values = new Map(
    whole.map(({ index, result }) => [index, result.rollouts.map(({ components }) => components.base ?? null)]),
  );
  const correlations = [...values].flatMap(([index, scores]) => {
    const { status, rollouts } = main[index] as GroupResult;
    return status === "ok"
      ? (auditCorrelation(
          rollouts.map(({ reward }) => reward),
          scores,
        ) ?? [])
      : [];
  });
  const sum = (countOf: (use: GroupResult["verifier"]) => number) =>
    audits.reduce((total, { result }) => total + countOf(result.verifier), 0);
  return {
    values,
    verdicts: new Map(audits.map(({ index, verdicts }) => [index, verdicts])),
    tokens: audits.flatMap(({ tokens }) => tokens),
    use: {
      groups: audits.length,
      audited: whole.length,
      correlation: correlations.length === 0 ? null : mean(correlations),
      comparisons: sum((use) => use.comparisons),
      generations: sum((use) => use.generations),
      parsed: sum((use) => use.parsed),
      unparsed: sum((use) => use.unparsed),
      failed: sum((use) => use.failed),
      saved: sum((use) => use.saved),
      prompt_tokens: sum((use) => use.prompt_tokens),
      completion_tokens: sum((use) => use.completion_tokens),
    },
  };
}
