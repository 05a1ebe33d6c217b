// Summary of a replayed run: compares new rewards with old ones by their moments, ranks and best rollout per
// group. Keeps only sums, so memory does not grow with the run.
import { kendallTauB } from "../../math/tau-b.ts";

type Rewards = readonly (number | null)[];

/** Statistics over the groups that have all rewards under both specs. */
export interface RewardsSummary {
  mean: number | null;
  /** Population standard deviation. */
  std: number | null;
  /** Share of groups whose rewards are all equal. */
  zero_variance_share: number | null;
  /** Number of rollouts without a reward, over all groups. */
  nulls: number;
}

export interface ReplaySummary {
  groups: number;
  rollouts: number;
  /**
   * Number of groups in which every rollout has a reward under both specs. All fields below cover only these
   * groups.
   */
  complete: number;
  old: RewardsSummary;
  new: RewardsSummary;
  /**
   * Kendall's tau-b of old and new rewards within a group, averaged over groups. `undefined` counts the
   * groups in which the old or the new rewards are all equal.
   */
  rank_correlation: { kind: "kendall_tau_b"; mean: number | null; groups: number; undefined: number };
  /** Share of groups in which no rollout with the highest old reward has the highest new reward. */
  best_changed_share: number | null;
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const isWhole = (rewards: Rewards): rewards is readonly number[] => rewards.every((reward) => reward !== null);

/** Streaming mean and variance (Welford 1962). */
class RewardMoments {
  private n = 0;
  private mean = 0;
  private squares = 0;
  private flat = 0;
  private groups = 0;
  nulls = 0;

  add(rewards: readonly number[]): void {
    this.groups++;
    if (Math.min(...rewards) === Math.max(...rewards)) this.flat++;
    for (const reward of rewards) {
      this.n++;
      const off = reward - this.mean;
      this.mean += off / this.n;
      this.squares += off * (reward - this.mean);
    }
  }

  summary(): RewardsSummary {
    const some = this.n > 0;
    return {
      mean: some ? this.mean : null,
      std: some ? Math.sqrt(this.squares / this.n) : null,
      zero_variance_share: ratio(this.flat, this.groups),
      nulls: this.nulls,
    };
  }
}

function keepsBest(old: readonly number[], renewed: readonly number[]): boolean {
  const [best, now] = [Math.max(...old), Math.max(...renewed)];
  return old.some((reward, r) => reward === best && renewed[r] === now);
}

export class ReplayTally {
  private groups = 0;
  private rollouts = 0;
  private complete = 0;
  private changed = 0;
  private taus = 0;
  private tauSum = 0;
  private readonly before = new RewardMoments();
  private readonly after = new RewardMoments();

  add(old: Rewards, renewed: Rewards): void {
    this.groups++;
    this.rollouts += old.length;
    this.before.nulls += old.filter((reward) => reward === null).length;
    this.after.nulls += renewed.filter((reward) => reward === null).length;
    if (!isWhole(old) || !isWhole(renewed)) return;
    this.complete++;
    this.before.add(old);
    this.after.add(renewed);
    if (!keepsBest(old, renewed)) this.changed++;
    const { tau } = kendallTauB(old, renewed);
    if (tau === null) return;
    this.taus++;
    this.tauSum += tau;
  }

  summary(): ReplaySummary {
    const { groups, rollouts, complete, taus } = this;
    return {
      groups,
      rollouts,
      complete,
      old: this.before.summary(),
      new: this.after.summary(),
      rank_correlation: {
        kind: "kendall_tau_b",
        mean: ratio(this.tauSum, taus),
        groups: taus,
        undefined: complete - taus,
      },
      best_changed_share: ratio(this.changed, complete),
    };
  }
}
