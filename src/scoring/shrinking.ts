// Judges a group of agent runs again, with runs shown shorter, while the verifier refuses questions as too
// long. Shortens only runs that may have caused a refusal, so that a run's judgement does not depend on the
// length of the others. Any remaining refusal is attributed to runs by core/tournament/attribution.ts.
import { preparerInSteps } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals, SignalQuestion } from "../core/reward/group-signals.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import { type Judging, planJudging, type Worker } from "./judging.ts";
import type { Sessions } from "./sessions.ts";

const generationsOf = (asked: readonly SignalQuestion[]): number =>
  asked.reduce((sum, { question, charged }) => sum + (charged ? question.samples : 0), 0);

/** Inputs for re-planning a group. */
export interface Replanning {
  compiled: CompiledSpec;
  step: number;
  work: Worker;
}

/**
 * Judges a group and returns its signals, all settled. After shortening, all questions are asked again, even
 * those that were answered, so that each rollout is shown in one form only and the reply can report how much
 * of it was shown. Repeats while the group's share of the request's generations suffices for another round.
 */
export async function judgedAsItFits(
  judging: Judging,
  sessions: Sessions,
  { compiled, step, work }: Replanning,
): Promise<GroupSignals> {
  const generationBudget = judging.generationBudget();
  let round = judging;
  let earlier: readonly SignalQuestion[] = [];
  for (;;) {
    const left = generationBudget - generationsOf(earlier);
    // A round that ends early must leave enough generations to ask all its questions again.
    const shortens = round.size * 2 <= left;
    const signals = await round.run(sessions, shortens);
    signals.earlier = earlier;
    const { shorter, prepared } = signals;
    if (shorter.size === 0 || prepared.evidence === undefined) return signals;
    earlier = [...earlier, ...signals.asked()];
    const { items: evidence, shrinks } = prepared.evidence;
    const smaller = { evidence, shrinks: shrinks.map((count, r) => count + (shorter.has(r) ? 1 : 0)) };
    const prepare = preparerInSteps(preparerRules(compiled));
    const shrunk = { ...prepared, ...(await work(prepare(prepared.group, prepared.index, smaller))) };
    const paid = generationBudget - generationsOf(earlier);
    const [next] = await work(planJudging([shrunk], compiled, step, paid, { work })).catch(unpaid);
    if (next === undefined) return signals;
    round = next;
  }
}

/** Error handler for re-planning: if the shortened group exceeds a limit, the previous result is kept. */
function unpaid(fault: unknown): Judging[] {
  if (fault instanceof ApiError) return [];
  throw fault;
}
