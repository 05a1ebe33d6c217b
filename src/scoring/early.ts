// Early judging: asks questions about an incomplete group that will be asked regardless of its further
// members.
import { LIMITS } from "../core/faults/limits.ts";
import { type AnySpec, compileSpec } from "../core/reward/compiled-spec.ts";
import { requireSound } from "../core/reward/facts.ts";
import type { Verifier } from "../ports/ports.ts";
import { requireServed } from "./backends-needed.ts";
import { specHash } from "./digest.ts";
import { planJudging } from "./judging.ts";
import { keyedJournal, type ReadingJournal } from "./reading-journal.ts";
import { preparing, type ScoringBatch, type ScoringDeps } from "./score-batch.ts";
import { attributionOf, openSessions } from "./sessions.ts";
import { workInTurns } from "./turns.ts";

/** Lower priority than complete groups, at verifiers that support priorities. */
const EARLY_PRIORITY = 1;

/**
 * Whether a group of at most `size` rollouts may be judged before it is complete: every signal asks about a
 * subset what it asks about the whole group, and the whole group fits the request's generation limit, which
 * counts only questions left to ask.
 */
export function mayBeginEarly(spec: AnySpec, size: number | null, verifier: Verifier): boolean {
  const sizeMax = size ?? LIMITS.rollouts_per_group_max;
  // A journal does not store verdict texts.
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

/** A group with some of its members present. */
type EarlyBatch = Pick<ScoringBatch, "request" | "spec" | "signal" | "tenant" | "work" | "reserveBytes"> & {
  journal: ReadingJournal;
};

/**
 * Asks the questions about the present members that the journal cannot answer. Resolves when all are answered
 * or have failed; never rejects for a verifier's fault.
 * @throws ApiError as scoreBatch
 */
export async function askEarly({ verifier, clock }: ScoringDeps, batch: EarlyBatch): Promise<void> {
  const { request, signal, journal, reserveBytes, tenant } = batch;
  // An audit needs whole groups, and is not part of the hash.
  const { audit: _, ...spec } = batch.spec;
  const compiled = compileSpec(spec, Math.max(...request.groups.map(({ rollouts }) => rollouts.length)));
  requireSound(request, compiled);
  requireServed(verifier, compiled);
  const deadline_at = clock.now() + request.deadline_ms;
  const work = workInTurns(tenant ?? "", clock, deadline_at);
  const prepared = await work(preparing(request, compiled));
  const keyed = await keyedJournal(journal, prepared, await specHash(spec), compiled);
  const options = { journal: keyed, reserveBytes, work };
  const judgings = await work(planJudging(prepared, compiled, request.step ?? 0, verifier.generations_max, options));
  // Gives up soon, since failed questions are asked again with the whole group.
  const until = { signal, deadline_at, priority: EARLY_PRIORITY, hand_on: true, ...attributionOf(batch) };
  const { sessions } = openSessions(verifier, compiled, until);
  await Promise.all(judgings.map((judging) => judging.begin(sessions)));
}
