// Early judging: asks questions about an incomplete group, but only those that will be needed whichever
// samples are still to join the group.
import { LIMITS } from "../core/faults/limits.ts";
import { compileSpec } from "../core/reward/compiled-spec.ts";
import { requireSound } from "../core/reward/facts.ts";
import type { Spec } from "../core/reward/spec.ts";
import type { Verifier } from "../ports/ports.ts";
import { requireServed } from "./backends-needed.ts";
import { specHash } from "./digest.ts";
import { planJudging } from "./judging.ts";
import { questionKeys, type ReadingJournal } from "./reading-journal.ts";
import { preparing, type ScoringBatch, type ScoringDeps } from "./score-batch.ts";
import { attributionOf, openSessions } from "./sessions.ts";
import { workInTurns } from "./turns.ts";

/** Lower priority than for complete groups, at verifiers that support priorities. */
const EARLY_PRIORITY = 1;

/**
 * Whether a group of at most `size` rollouts may be judged before it is complete. Requires that every signal
 * asks the same questions about a subset as about the whole group, and that the whole group does not exceed
 * the generation limit of a request, since that limit ignores questions that were already answered.
 */
export function mayBeginEarly(spec: Spec, size: number | null, verifier: Verifier): boolean {
  const sizeMax = size ?? LIMITS.rollouts_per_group_max;
  // A journal does not store the verifier's answers, so they could not be logged later.
  if (spec.log_verdicts === true) return false;
  let generations = 0;
  for (const { signal, settings, judge, when } of compileSpec(spec, sizeMax).signals) {
    if (judge === null) continue;
    const early = signal.earlyGenerations?.(settings, sizeMax) ?? null;
    if (early === null || when !== null) return false;
    generations += early;
  }
  return generations > 0 && generations <= verifier.generations_max;
}

/** A group for which only some samples have arrived. */
type EarlyBatch = Pick<ScoringBatch, "request" | "spec" | "signal" | "tenant" | "work" | "reserveBytes"> & {
  journal: ReadingJournal;
};

/**
 * Asks the questions about the samples that have arrived, except those already answered in the journal.
 * Resolves once every question has been answered or has failed; a verifier failure does not reject.
 * @throws ApiError for the same reasons as `scoreBatch`
 */
export async function askEarly({ verifier, clock }: ScoringDeps, batch: EarlyBatch): Promise<void> {
  const { request, signal, journal, reserveBytes, tenant } = batch;
  // An audit needs complete groups. It is not part of the spec's hash, so the journal keys stay the same.
  const { audit: _, ...spec } = batch.spec;
  const compiled = compileSpec(spec, Math.max(...request.groups.map(({ rollouts }) => rollouts.length)));
  requireSound(request, compiled);
  requireServed(verifier, compiled);
  const deadline_at = clock.now() + request.deadline_ms;
  const work = workInTurns(tenant ?? "", clock, deadline_at);
  const prepared = await work(preparing(request, compiled));
  const keyOf = await questionKeys(prepared, await specHash(spec), compiled);
  const options = { journal: { journal, keyOf, asksUnanswered: false, hastens: false }, reserveBytes, work };
  const judgings = await work(planJudging(prepared, compiled, request.step ?? 0, verifier.generations_max, options));
  // Gives up early, since failed questions are asked again when the group is complete.
  const until = { signal, deadline_at, priority: EARLY_PRIORITY, hand_on: true, ...attributionOf(batch) };
  const { sessions } = openSessions(verifier, compiled, until);
  await Promise.all(judgings.map((judging) => judging.begin(sessions)));
}
