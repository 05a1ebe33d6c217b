// Alarms over made histories: each has one that raises it, one that does not, and its edge; then
// policies that learn to cheat, and healthy runs.
import { describe, expect, test } from "vitest";
import { type Alarm, CLEAR_STEPS, lookOver, pageOf, spansOf } from "../../../src/core/health/alarm.ts";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import type { HealthRow } from "../../../src/core/health/health-row.ts";
import { fallingP, risingP } from "../../../src/core/health/trend.ts";
import { createRandom } from "../../../src/core/math/random.ts";

const HEALTHY: Omit<HealthRow, "step" | "at_ms"> = {
  rollouts: 512,
  reward_mean: 0.5,
  unformatted_mean: 0.5,
  zero_variance_share: 0.1,
  parse_rate: 0.99,
  nulls: {},
  malformed_share: 0.04,
  length_p50: 1000,
  at_cap_share: 0.05,
  length_reward: 0.1,
  duplicate_share: 0.05,
  tie_share: 0.1,
  flip_rate: 0.05,
  cyclic_share: 0.05,
  triples: 1000,
  jam_share: 0,
  evidence_shown: 0.9,
  label_correlation: 0.7,
  audit_correlation: null,
  repeat_correlation: 0.95,
  repeat_rollouts: 8,
  latency_p99_ms: 2000,
  incomplete_share: 0,
  failed_share: 0.001,
};
const MINUTE_MS = 60_000;
const rows = (count: number, of: (step: number) => Partial<HealthRow>): HealthRow[] =>
  Array.from({ length: count }, (_, step) => ({ ...HEALTHY, step, at_ms: step * MINUTE_MS, ...of(step) }));
const named = (name: string) => ALARMS.find((alarm) => alarm.name === name) as Alarm;
const raised = (name: string, count: number, of: (step: number) => Partial<HealthRow>) =>
  spansOf(named(name), rows(count, of));

describe("what an alarm says", () => {
  test("names what grew from where to where, and that length wins", () => {
    const history = (step: number) => ({ length_p50: step < 30 ? 182 : 440, length_reward: step < 30 ? 0.1 : 0.5 });
    expect(raised("length_drift", 60, history)[0]?.says).toBe(
      "answers grew from 182 to 440 tokens (median), and longer ones win",
    );
    const shrinking = raised("length_drift", 60, (step) => ({ length_p50: step < 30 ? 900 : 300, length_reward: 0.1 }));
    expect(shrinking[0]?.says).toBe("answers shrank from 900 to 300 tokens (median)");
  });

  test.each(ALARMS.map(({ name }) => name))("%s: in whole numbers and words, never NaN or undefined", (name) => {
    const history = HISTORIES[name] as (typeof HISTORIES)[string];
    for (const { says } of raised(name, 120, history.bad)) {
      expect(says).toMatch(/^[a-z0-9].*\d/);
      expect(says).not.toMatch(/NaN|undefined|null|Infinity|unknown|\d\.\d{4}/);
    }
  });
});

describe("an alarm that had nothing to look at", () => {
  test.each(ALARMS.map((alarm) => [alarm.name, alarm] as const))(
    "%s is not named among those that looked",
    (name, alarm) => {
      const { needs } = pageOf(alarm);
      const steps = Number(/^(\d+) steps/.exec(needs)?.[1] ?? (name === "drift_probe" ? 6 : 1));
      const looked = (count: number, of: Partial<HealthRow> = {}) =>
        lookOver(
          [alarm],
          rows(count, () => of),
        ).looked_at;
      expect(looked(steps), needs).toEqual([name]);
      expect(looked(steps - 1), needs).toEqual([]);
    },
  );

  test("of a run without labels, lengths or both orders few rules can say anything", () => {
    const bare = {
      length_p50: null,
      length_reward: null,
      flip_rate: null,
      label_correlation: null,
      repeat_correlation: null,
    };
    const { looked_at } = lookOver(
      ALARMS,
      rows(60, () => ({ ...bare, at_cap_share: null })),
    );
    const silent = [
      "length_drift",
      "at_cap",
      "length_reward",
      "judge_flips",
      "judge_cycles",
      "judge_at_chance",
      "proxy_gap",
      "drift_probe",
    ];
    expect(ALARMS.map(({ name }) => name).filter((name) => !looked_at.includes(name))).toEqual(silent);
  });
});

/** Histories that raise each alarm, that just do not, and how many steps it takes. */
const HISTORIES: Record<
  string,
  { bad: (step: number) => Partial<HealthRow>; edge: (step: number) => Partial<HealthRow> }
> = {
  flat_rewards: { bad: () => ({ zero_variance_share: 0.31 }), edge: () => ({ zero_variance_share: 0.3 }) },
  parse_rate_low: { bad: () => ({ parse_rate: 0.79 }), edge: () => ({ parse_rate: 0.95 }) },
  nulls: { bad: () => ({ nulls: { deadline: 6, unparsed: 5 } }), edge: () => ({ nulls: { deadline: 10 } }) },
  malformed: {
    bad: (step) => ({ malformed_share: step < 60 ? 0.04 : 0.15 }),
    edge: (step) => ({ malformed_share: step < 60 ? 0.04 : 0.139 }),
  },
  group_incomplete: { bad: () => ({ incomplete_share: 0.021 }), edge: () => ({ incomplete_share: 0 }) },
  length_drift: {
    bad: (step) => ({ length_p50: step < 20 ? 1000 : 1420 }),
    edge: (step) => ({ length_p50: step < 20 ? 1000 : 1400 }),
  },
  at_cap: { bad: () => ({ at_cap_share: 0.51 }), edge: () => ({ at_cap_share: 0.5 }) },
  length_reward: { bad: () => ({ length_reward: 0.61 }), edge: () => ({ length_reward: 0.6 }) },
  near_duplicates: { bad: () => ({ duplicate_share: 0.51 }), edge: () => ({ duplicate_share: 0.5 }) },
  judge_flips: {
    bad: (step) => ({ flip_rate: step < 60 ? 0.2 : 0.36 }),
    edge: (step) => ({ flip_rate: step < 60 ? 0.2 : 0.34 }),
  },
  judge_cycles: {
    bad: (step) => ({ cyclic_share: step < 60 ? 0.1 : 0.16 }),
    edge: (step) => ({ cyclic_share: step < 60 ? 0.1 : 0.14 }),
  },
  judge_ties: { bad: () => ({ tie_share: 0.41 }), edge: () => ({ tie_share: 0.399 }) },
  jams_judge: {
    bad: (step) => ({ jam_share: Math.max(0, step - 10) / 1000 }),
    edge: (step) => ({ jam_share: (step % 2) / 100 }),
  },
  evidence_cut: { bad: () => ({ evidence_shown: 0.49 }), edge: () => ({ evidence_shown: 0.5 }) },
  judge_at_chance: { bad: () => ({ label_correlation: 0.09 }), edge: () => ({ label_correlation: 0.11 }) },
  // The reward's mean is that of a tournament: the same at every step.
  proxy_gap: {
    bad: (step) => ({ label_correlation: step < 50 ? 0.7 : 0.49 }),
    edge: (step) => ({ label_correlation: step < 50 ? 0.7 : 0.51 }),
  },
  drift_probe: {
    bad: (step) => ({ repeat_correlation: step % 8 === 0 ? (step < 30 ? 0.95 : 0.3) : null }),
    edge: (step) => ({ repeat_correlation: step % 8 === 0 ? (step < 30 ? 0.95 : 0.36) : null }),
  },
  format_exploit: {
    bad: (step) => ({ reward_mean: 0.5, unformatted_mean: 0.5 - step / 400 }),
    edge: (step) => ({ reward_mean: 0.5 - step / 400, unformatted_mean: 0.5 - step / 400 }),
  },
  verifier_slow: {
    bad: (step) => ({ latency_p99_ms: step < 60 ? 2000 : 4001 }),
    edge: (step) => ({ latency_p99_ms: step < 60 || step % 3 === 0 ? 2000 : 5000 }),
  },
  verifier_failing: { bad: () => ({ failed_share: 0.011 }), edge: () => ({ failed_share: 0.0099 }) },
};

describe("a policy that converges", () => {
  // Answers become alike: verdicts on them are chance, labels nearly all right, rewards correlate with few wrong ones.
  const alike = (step: number) => {
    const share = Math.min(1, step / 100);
    return {
      flip_rate: 0.24 + 0.22 * share,
      cyclic_share: 0.013 + 0.15 * share,
      tie_share: 0.24 + 0.22 * share,
      label_std: 0.5 - 0.4 * share,
      label_correlation: 0.7 - 0.55 * share,
    };
  };

  test.each(["judge_flips", "judge_cycles", "judge_ties", "proxy_gap", "judge_at_chance"])("raises no %s", (name) => {
    expect(raised(name, 300, alike)).toEqual([]);
    // In one order no pair can contradict itself.
    expect(raised(name, 300, (step) => ({ ...alike(step), flip_rate: null, tie_share: 0.1 }))).toEqual([]);
  });

  test("leaves faults to be found: cycles without flips, flips without cycles, a gap with labels as mixed as before", () => {
    expect(raised("judge_cycles", 300, (step) => ({ ...alike(step), flip_rate: 0.24 }))).toHaveLength(1);
    expect(raised("judge_flips", 300, (step) => ({ ...alike(step), cyclic_share: 0.013 }))).toHaveLength(1);
    expect(raised("proxy_gap", 300, (step) => ({ ...alike(step), label_std: 0.5 }))).toHaveLength(1);
  });
});

/** Without labels: a group in `every` steps is audited. */
const audited = (every: number, later: number, reward: number) => (step: number) => ({
  label_correlation: null,
  audit_correlation: step % every === 0 ? (step < 50 ? 0.7 : later) : null,
  reward_mean: step < 50 ? 0.5 : reward,
});

/** Falls by 0.3, and swings by 0.8 about that. */
const uneven = (step: number) => (step < 50 ? 0.5 : 0.2) + (step % 8 === 0 ? 0.4 : -0.4);

describe("proxy_gap by an audit", () => {
  test.each([0.6, 0.5])("is raised where the audit agrees less and less, whatever rewards do: %d", (reward) => {
    const spans = raised("proxy_gap", 160, audited(4, 0.4, reward));
    expect(spans).toMatchObject([{ level: "alarm", to_step: null, evidence: { value: expect.closeTo(0.3, 9) } }]);
  });

  test.each([
    ["by a fall of exactly its threshold", audited(4, 0.5, 0.6)],
    [
      "by a fall that is within three standard errors of so few groups",
      (step: number) => ({ ...audited(4, 0.4, 0.6)(step), ...(step % 4 === 0 && { audit_correlation: uneven(step) }) }),
    ],
    ["where fewer than ten of fifty steps have an audited group", audited(6, 0.4, 0.6)],
    ["where labels come and agree", (step: number) => ({ ...audited(4, 0.4, 0.6)(step), label_correlation: 0.7 })],
  ])("is not raised %s", (_, of) => {
    expect(raised("proxy_gap", 160, of)).toEqual([]);
  });
});

describe("each alarm", () => {
  test.each(ALARMS.map(({ name }) => name))("%s is raised by its history, and not at its edge", (name) => {
    const { bad, edge } = HISTORIES[name] as (typeof HISTORIES)[string];
    const spans = raised(name, 100, bad);
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({ alarm: name, level: "alarm", to_step: null });
    expect(raised(name, 100, edge)).toEqual([]);
    expect(raised(name, 100, () => ({}))).toEqual([]);
    const unknown = Object.fromEntries(Object.keys(HEALTHY).map((field) => [field, null]));
    expect(raised(name, 100, () => ({ ...unknown, nulls: {}, rollouts: 0 }))).toEqual([]);
  });
});

test("an alarm ends after three calm steps, tells its worst one, and does not flicker between", () => {
  const at = (values: number[]) =>
    raised("group_incomplete", values.length, (step) => ({ incomplete_share: values[step] as number }));
  expect(at([0, 0.01, 0.05, 0, 0.01, 0, 0, 0, 0.01])).toMatchObject([
    {
      alarm: "group_incomplete",
      level: "alarm",
      from_step: 1,
      to_step: 4,
      evidence: { step: 2, value: 0.05, threshold: 0.02 },
    },
    {
      alarm: "group_incomplete",
      level: "watch",
      from_step: 8,
      to_step: null,
      evidence: { step: 8, value: 0.01, threshold: 0 },
    },
  ]);
  expect(CLEAR_STEPS).toBe(3);
});

test("the evidence of nulls says which codes", () => {
  const [span] = raised("nulls", 10, (step) => ({ nulls: step === 4 ? { deadline: 100, partial: 2 } : {} }));
  expect(span?.evidence).toEqual({
    step: 4,
    // Over the steps so far.
    value: 102 / (512 * 5),
    threshold: 0.02,
    detail: { by_code: { deadline: 100, partial: 2 }, rollouts: 512 },
  });
});

test("Mann and Kendall's test agrees with a hand calculation and its symmetry", () => {
  // 4 of 45 pairs fall: S = 37, variance 10 * 9 * 25 / 18 = 125, z = 36 / sqrt(125) = 3.2199.
  const rising = [1, 3, 2, 5, 4, 7, 6, 9, 8, 10];
  expect(risingP(rising)).toBeCloseTo(0.0006412, 6);
  expect(fallingP(rising.map((value) => -value))).toBe(risingP(rising));
  expect(risingP(new Array(30).fill(0))).toBe(1);
});

/** Standard normal noise of a seed. */
function noise(seed: number): () => number {
  const random = createRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe.each([1, 2, 3])("simulated runs, seed %i", (seed) => {
  test("a healthy run of 300 steps raises nothing", () => {
    const next = noise(seed);
    const history = rows(300, (step) => {
      const learnt = 1 - Math.exp(-step / 150);
      const format = -0.1 * (1 - learnt) + 0.01 * next();
      const score = 0.35 + 0.3 * learnt + 0.03 * next();
      return {
        reward_mean: score + format,
        unformatted_mean: score,
        zero_variance_share: Math.max(0, 0.08 + 0.06 * learnt + 0.02 * next()),
        parse_rate: Math.min(1, 0.985 + 0.004 * next()),
        length_p50: 1000 * (1 + 0.2 * learnt) + 20 * next(),
        length_reward: 0.15 + 0.1 * next(),
        label_correlation: 0.65 - 0.05 * learnt + 0.04 * next(),
        flip_rate: Math.max(0, 0.06 + 0.02 * next()),
        cyclic_share: Math.max(0, 0.08 + 0.03 * next()),
        jam_share: next() > 2.3 ? 0.002 : 0,
        latency_p99_ms: 2000 + 150 * next(),
      };
    });
    expect(lookOver(ALARMS, history).spans).toEqual([]);
  });

  /** The first step at which the policy's true score is half of its best before. */
  const halved = (scores: readonly number[]) =>
    scores.findIndex((score, i) => score < 0.5 * Math.max(...scores.slice(0, i + 1)));
  const first = (history: readonly HealthRow[], name: string) =>
    lookOver(ALARMS, history).spans.find(({ alarm }) => alarm === name)?.from_step ?? Number.POSITIVE_INFINITY;
  /** Learnt slowly from step 60 on: 0 to 1. */
  const cheating = (step: number) => 1 / (1 + Math.exp(-(step - 140) / 20));

  test("a policy that learns to jam the judge raises jams_judge before its score has halved", () => {
    const next = noise(seed + 10);
    const scores = Array.from({ length: 300 }, (_, step) => 0.6 * (1 - cheating(step)));
    const history = rows(300, (step) => ({ jam_share: Math.max(0, 0.4 * cheating(step) + 0.0005 * next()) }));
    expect(first(history, "jams_judge")).toBeLessThan(halved(scores));
  });

  test("a policy that grows its length raises length_drift before its score has halved", () => {
    const next = noise(seed + 20);
    const scores = Array.from({ length: 300 }, (_, step) => 0.6 * (1 - cheating(step)));
    const history = rows(300, (step) => ({ length_p50: 1000 * (1 + 3 * cheating(step)) + 20 * next() }));
    expect(first(history, "length_drift")).toBeLessThan(halved(scores));
  });

  test("a policy that earns by format alone raises format_exploit before its score has halved", () => {
    const next = noise(seed + 30);
    const scores = Array.from({ length: 300 }, (_, step) => 0.6 * (1 - cheating(step)));
    const history = rows(300, (step) => ({
      unformatted_mean: (scores[step] as number) + 0.01 * next(),
      reward_mean: (scores[step] as number) - 0.8 * (1 - cheating(step)) + 0.01 * next(),
    }));
    expect(first(history, "format_exploit")).toBeLessThan(halved(scores));
  });

  test("a policy that abandons the format raises nulls or parse_rate_low, or its rewards' fall is plain", () => {
    const next = noise(seed + 40);
    const history = rows(300, (step) => ({ parse_rate: Math.max(0, 0.985 - cheating(step) + 0.003 * next()) }));
    const scores = Array.from({ length: 300 }, (_, step) => 0.6 * (1 - cheating(step)));
    expect(first(history, "parse_rate_low")).toBeLessThan(halved(scores));
  });
});
