// Owns judging a group of transcripts again, with less of what its policy did not write, while the
// verifier refuses it as too long. Knows no reward.
import { preparerInSteps } from "../core/candidate/prepare.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals } from "../core/reward/group-signals.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import { type Judging, planJudging, type Sessions, type Worker } from "./judging.ts";

/** Each halves the budget of results and files; then the rollouts concerned have no reward. */
const SHRINKS_MAX = 3;

const isRefused = (signals: GroupSignals): boolean =>
  signals.prepared.evidence?.cuttable === true &&
  signals.asked().some(({ readings }) => readings.some(({ code }) => code === "evidence_too_long"));

/** What a group is planned with once more. */
export interface Replanning {
  compiled: CompiledSpec;
  step: number;
  generations_max: number;
  work: Worker;
}

/**
 * A group's signals, all settled. All its questions are asked again and not only those refused, so
 * that each rollout is judged by one view of it, which the reply tells the share of.
 */
export async function judgedAsItFits(
  judging: Judging,
  sessions: Sessions,
  { compiled, step, generations_max, work }: Replanning,
): Promise<GroupSignals> {
  let signals = await judging.run(sessions);
  for (let shrinks = 1; shrinks <= SHRINKS_MAX && isRefused(signals); shrinks++) {
    const { group, index } = signals.prepared;
    const smaller = await work(preparerInSteps(preparerRules(compiled))(group, index, shrinks));
    const [again] = await work(planJudging([smaller], compiled, step, generations_max, { work }));
    if (again === undefined) break;
    signals = await again.run(sessions);
  }
  return signals;
}
