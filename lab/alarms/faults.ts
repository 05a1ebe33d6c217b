// Conditions of simulated runs: several healthy ones, and one fault per alarm that begins at a step,
// suddenly or slowly.
import { type Condition, HEALTHY } from "./simulated-run.ts";

/** When faults begin. */
export const FAULT_STEP = 100;
/** Over how many steps a slow one comes. */
const SLOW_STEPS = 100;

export interface MadeFault {
  alarm: string;
  what: string;
  /** Its first step, where it is another. */
  since?: number;
  conditionAt(step: number): Condition;
}

/** Lengths and scores of a policy that learns. */
export function learning(step: number): Condition {
  const learnt = 1 - Math.exp(-step / 150);
  return { ...HEALTHY, length: 1000 * (1 + 0.15 * learnt), malformed: 0.04 + 0.06 * Math.exp(-step / 30) };
}

/** Steps over which a policy converges. */
const CONVERGING_STEPS = 200;

/**
 * Answers become similar and correct, so most of a judge's verdicts on them are chance. Ten stages keep
 * the number of pools small.
 */
const converging =
  (orders: 1 | 2) =>
  (step: number): Condition => {
    const share = Math.ceil(10 * Math.min(1, step / CONVERGING_STEPS)) / 10;
    return { ...learning(step), orders, ability: share, spread: 1 - 0.7 * share };
  };

export interface HealthyKind {
  name: string;
  what: string;
  conditionAt(step: number): Condition;
}

export const HEALTHY_KINDS: readonly HealthyKind[] = [
  {
    name: "learning",
    what: "lengths grow by 15 %, fewer rollouts are malformed; pairs judged in both orders",
    conditionAt: learning,
  },
  {
    name: "converging",
    what: "answers converge on right ones; pairs judged in both orders",
    conditionAt: converging(2),
  },
  {
    name: "converging, one order",
    what: "as `converging`, but each pair is judged in one order",
    conditionAt: converging(1),
  },
  {
    name: "correlated latency",
    what: "the log of p99 has an autocorrelation of 0.9 from step to step",
    conditionAt: (step) => ({ ...learning(step), latency_memory: 0.9 }),
  },
];

const from = (step: number): number => Math.min(1, Math.max(0, (step - FAULT_STEP) / SLOW_STEPS));
const atOnce = (alarm: string, what: string, bad: Partial<Condition>): MadeFault => ({
  alarm,
  what,
  conditionAt: (step) => ({ ...learning(step), ...(step >= FAULT_STEP && bad) }),
});
/** In ten stages, so that few pools of groups are made. */
const slowly = (alarm: string, what: string, bad: (share: number) => Partial<Condition>): MadeFault => ({
  alarm,
  what,
  conditionAt: (step) => ({ ...learning(step), ...(step >= FAULT_STEP && bad(Math.ceil(from(step) * 10) / 10)) }),
});

export const FAULTS: readonly MadeFault[] = [
  atOnce("flat_rewards", "half of the groups have equal rewards", { flat: 0.5 }),
  atOnce("parse_rate_low", "25 % of the judge's answers cannot be parsed", { parsed: 0.75 }),
  atOnce("nulls", "6 % of rollouts have no reward", { lost: 0.06 }),
  slowly("malformed", "the share of malformed rollouts grows to 25 %", (x) => ({ malformed: 0.04 + 0.21 * x })),
  atOnce("group_incomplete", "10 % of groups are judged only in part", { partial: 0.1 }),
  slowly("length_drift", "lengths double", (x) => ({ length: 1080 * (1 + x) })),
  atOnce("at_cap", "70 % of rollouts are truncated", { capped: 0.7 }),
  slowly("length_reward", "the judge increasingly decides by length", (x) => ({
    wordy: 0.15 + 6 * x,
    strength: 2 * (1 - 0.8 * x),
  })),
  atOnce("near_duplicates", "70 % of rollouts are duplicates", { duplicates: 0.7 }),
  atOnce("judge_flips", "half of the verdicts choose the candidate shown first", { place: 0.5 }),
  atOnce("judge_cycles", "half of the verdicts are cyclic", { circular: 0.5 }),
  atOnce("judge_ties", "80 % of verdicts are ties", { undecided: 0.8 }),
  slowly("jams_judge", "10 % of rollouts learn to make the judge's answer unreadable", (x) => ({
    jams: 0.001 + 0.1 * x,
  })),
  atOnce("evidence_cut", "judges see 40 % of each run", { shown: 0.4 }),
  slowly("proxy_gap", "rewards gradually lose their correlation with labels", (x) => ({ strength: 2 * (1 - x) })),
  {
    alarm: "judge_at_chance",
    what: "the judge guesses at random from the first step",
    since: 0,
    conditionAt: (step) => ({ ...learning(step), strength: 0 }),
  },
  atOnce("drift_probe", "another model answers under the judge's name", { same_judge: 0.1 }),
  slowly("format_exploit", "the score falls by 0.3 while a bonus compensates for it", (x) => ({
    score: -0.3 * x,
    bonus: 0.3 * x,
  })),
  atOnce("verifier_slow", "answers take three times as long", { latency_ms: 6000 }),
  atOnce("verifier_failing", "4 % of generations return no answer", { failed: 0.04 }),
];
