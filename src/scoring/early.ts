// Asks of a group that is not complete what will be asked of all of it, whoever else comes.
import { LIMITS } from "../core/faults/limits.ts";
import { type AnySpec, compileSpec } from "../core/reward/compiled-spec.ts";
import { requireSound } from "../core/reward/facts.ts";
import type { Verifier } from "../ports/ports.ts";
import { requireServed } from "./backends-needed.ts";
import { specHash } from "./digest.ts";
import { planJudging } from "./judging.ts";
import { keyedJournal, type ReadingJournal } from "./reading-journal.ts";
import { preparing, type ScoringBatch, type ScoringDeps } from "./score-batch.ts";
import { openSessions } from "./sessions.ts";
import { workInTurns } from "./turns.ts";

/** Behind the questions of complete groups, where the verifier knows priorities. */
const EARLY_PRIORITY = 1;

/**
 * Whether the judging of a group of at most `size` rollouts may begin before all are there: every
 * signal that asks does so of some members as of all, and a whole group is within the request's
 * limit, which counts what is left to ask.
 */
export function mayBeginEarly(spec: AnySpec, size: number | null, verifier: Verifier): boolean {
  const sizeMax = size ?? LIMITS.rollouts_per_group_max;
  // A journal remembers no words.
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

/** A group of which some members are there. */
type EarlyBatch = Pick<ScoringBatch, "request" | "spec" | "signal" | "tenant" | "work" | "reserveBytes"> & {
  journal: ReadingJournal;
};

/**
 * Asks of the members there are what the journal does not know, and resolves when all is answered
 * or has failed. Never rejects for a verifier's fault.
 * @throws ApiError as scoreBatch
 */
export async function askEarly({ verifier, clock }: ScoringDeps, batch: EarlyBatch): Promise<void> {
  const { request, signal, journal, reserveBytes, tenant, work: workId } = batch;
  // An audit looks at whole groups, and is not part of the hash.
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
  const attribution = { ...(tenant !== undefined && { tenant }), ...(workId !== undefined && { work: workId }) };
  // Its failures are asked again with the whole group: it gives up soon.
  const until = { signal, deadline_at, priority: EARLY_PRIORITY, hand_on: true, ...attribution };
  const { sessions } = openSessions(verifier, compiled, until);
  await Promise.all(judgings.map((judging) => judging.begin(sessions)));
}
