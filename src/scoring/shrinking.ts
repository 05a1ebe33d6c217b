// Owns judging a group of transcripts again, with less of what its policy did not write, while the
// verifier refuses it as too long. Knows no reward.
import { preparerInSteps } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals, SignalQuestion } from "../core/reward/group-signals.ts";
import { preparerRules } from "../core/reward/preparing.ts";
import { type Judging, planJudging, type Worker } from "./judging.ts";
import type { Sessions } from "./sessions.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/** Each halves the budget of results and files; then the rollouts concerned have no reward. */
const SHRINKS_MAX = 3;

const isRefused = (signals: GroupSignals): boolean =>
  signals.prepared.evidence?.cuttable === true &&
  signals
    .asked()
    .some(
      ({ question: { by }, readings }) => by !== "first" && readings.some(({ code }) => code === "evidence_too_long"),
    );

const generationsOf = (asked: readonly SignalQuestion[]): number =>
  asked.reduce((sum, { question, charged }) => sum + (charged ? question.samples : 0), 0);

/** What a group is planned with once more. */
export interface Replanning {
  compiled: CompiledSpec;
  step: number;
  work: Worker;
  judgeTexts: VerdictTexts | null;
  /** What groups share has no second asking. */
  step_budget: object | undefined;
}

/**
 * A group's signals, all settled. All its questions are asked again and not only those refused, so
 * that each rollout is judged by one view of it, which the reply tells the share of; as often as
 * the group's share of the request's generations pays for that.
 */
export async function judgedAsItFits(
  judging: Judging,
  sessions: Sessions,
  { compiled, step, work, judgeTexts, step_budget }: Replanning,
): Promise<GroupSignals> {
  let signals = await judging.run(sessions);
  if (step_budget !== undefined) return signals;
  for (let shrinks = 1; shrinks <= SHRINKS_MAX && isRefused(signals); shrinks++) {
    const { group, index } = signals.prepared;
    const earlier = [...signals.earlier, ...signals.asked()];
    const smaller = await work(preparerInSteps(preparerRules(compiled))(group, index, shrinks));
    const left = judging.most() - generationsOf(earlier);
    const [again] = await work(planJudging([smaller], compiled, step, left, { work, judgeTexts })).catch(unpaid);
    if (again === undefined) break;
    signals = await again.run(sessions);
    signals.earlier = earlier;
  }
  return signals;
}

/** What the limits of a request refuse is not asked; the first asking stands. */
function unpaid(fault: unknown): Judging[] {
  if (fault instanceof ApiError) return [];
  throw fault;
}
