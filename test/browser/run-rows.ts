// A made run for the browser tests: rows of many steps, in which the verifier's answers stop being readable
// and rewards become flat.
import type { HealthRow } from "../../src/core/health/health-row.ts";
import type { RunDetail, RunSummary, StepRow } from "../../src/ports/logged-rows.ts";

/** Rows of a run whose parse rate falls at a step. */
export interface MadeRun {
  id: string;
  steps: number;
  /** From this step on verdicts cannot be read; null: never. */
  ill_from: number | null;
}

const STARTED_MS = Date.UTC(2026, 10, 1);
const STEP_MS = 60_000;
const at = (step: number) => new Date(STARTED_MS + step * STEP_MS).toISOString();
const wave = (step: number, period: number) => Math.sin((2 * Math.PI * step) / period);

export function healthRows({ steps, ill_from }: MadeRun) {
  return Array.from({ length: steps }, (_, step) => {
    const ill = ill_from !== null && step >= ill_from;
    return {
      step,
      at_ms: STARTED_MS + step * STEP_MS,
      rollouts: 512,
      reward_mean: 0.5 + 0.05 * wave(step, 90),
      unformatted_mean: 0.5 + 0.05 * wave(step, 90),
      zero_variance_share: ill ? 0.6 : 0.1,
      parse_rate: ill ? 0.6 : 0.99,
      nulls: {},
      malformed_share: 0.04,
      length_p50: 1000 + 50 * wave(step, 200),
      at_cap_share: 0.03,
      length_reward: 0.1,
      duplicate_share: 0.05,
      tie_share: 0.1 + 0.02 * wave(step, 40),
      flip_rate: 0.05,
      cyclic_share: 0.05,
      triples: 1000,
      jam_share: 0,
      evidence_shown: null,
      label_correlation: 0.6,
      // Some steps alone have an audited group.
      audit_correlation: step % 4 === 1 ? 0.7 - 0.4 * (step / steps) + 0.05 * wave(step, 17) : null,
      repeat_correlation: null,
      repeat_rollouts: 0,
      latency_p99_ms: 2000 + 100 * wave(step, 30),
      incomplete_share: 0,
      cut_share: 0,
      parts_correlation: null,
      failed_share: 0,
    } satisfies HealthRow;
  });
}

export const stepRows = (run: MadeRun): StepRow[] =>
  healthRows(run).map((row) => ({
    step: row.step,
    first_at: at(row.step),
    last_at: at(row.step),
    requests: 1,
    groups: 64,
    rollouts: row.rollouts,
    reward_mean: row.reward_mean,
    reward_std: 0.3,
    zero_variance_share: row.zero_variance_share,
    parse_rate: row.parse_rate,
    // Defined in no group of a step, as where all rewards are equal.
    tau_b_mean: row.step === 57 ? null : row.label_correlation,
    list_acc: 0.7,
    length_tokens: { p50: row.length_p50, p95: row.length_p50 * 2 },
    generations: 1920,
    prompt_tokens: 4_000_000,
    completion_tokens: 900_000,
    latency_ms: { p50: 900, p99: row.latency_p99_ms },
    errors: {},
    warnings: [],
    signals: {
      judged: {
        mean: row.reward_mean + 0.02,
        rollouts: row.rollouts,
        nulls: row.step % 10 === 3 ? { deadline: 24 } : {},
      },
      brevity: { mean: -0.2 - 0.1 * wave(row.step, 60), rollouts: row.rollouts, nulls: {} },
    },
  }));

export const summary = ({ id, steps }: MadeRun): RunSummary => ({
  run_id: id,
  owner: null,
  first_step: 0,
  last_step: steps - 1,
  first_at: at(0),
  last_at: at(steps - 1),
  requests: steps,
  groups: 64 * steps,
  rollouts: 512 * steps,
  reward_mean: 0.5,
  parse_rate: 0.9,
  prompt_tokens: 4_000_000 * steps,
  completion_tokens: 900_000 * steps,
});

export const detail = (run: MadeRun): RunDetail => ({
  ...summary(run),
  metadata: null,
  // The second from the middle on.
  specs: [0, 1].map((nth) => ({
    spec_hash: `sha256:${`${nth}`.repeat(64)}`,
    spec: {},
    requests: run.steps / 2,
    first_at: at((nth * run.steps) / 2),
    cut_share: 0.02,
  })),
});

/** Rewards of a made step's group, in the lowest and the highest bin at some steps alone. */
export const rewardsAt = (step: number): number[] => [
  0.3,
  0.6,
  ...(step % 7 === 0 ? [0] : []),
  ...(step % 5 === 0 ? [1] : []),
];
