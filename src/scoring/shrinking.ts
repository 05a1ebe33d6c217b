// Judges a group of agents' runs again with less of their results while the verifier refuses it as
// too long. Only runs that a refusal may be about are shown shorter: how a neighbour is judged does not
// depend on how long another's run is. What is refused at last is the doing of whoever is too long, as
// it is of texts (core/tournament/attribution.ts).
import { preparerInSteps } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals, SignalQuestion } from "../core/reward/group-signals.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import { type Judging, planJudging, type Worker } from "./judging.ts";
import type { Sessions } from "./sessions.ts";

const generationsOf = (asked: readonly SignalQuestion[]): number =>
  asked.reduce((sum, { question, charged }) => sum + (charged ? question.samples : 0), 0);

/** Inputs for planning a group again. */
export interface Replanning {
  compiled: CompiledSpec;
  step: number;
  work: Worker;
}

/**
 * A group's signals, all settled. All its questions are asked again and not only those refused, so
 * that each rollout is judged by one view of it, which the reply tells the share of; as often as
 * the group's share of the request's generations pays for that.
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
    // A round that ends early must leave enough to ask all of it again.
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

/** Groups that the request's limits refuse are not asked again; the first asking stays. */
function unpaid(fault: unknown): Judging[] {
  if (fault instanceof ApiError) return [];
  throw fault;
}
