// Defines what a ranking is worth when its deadline comes before its last comparison: the product's scoring
// against a judge in virtual time, schedule by schedule.
import type { NamedSchedule } from "../../src/core/contract/judge-settings.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { csv } from "../report/csv.ts";
import { LEVELS, NOISES } from "./cells.ts";
import { type Noise, verifierOf } from "./verifier-model.ts";
import { VirtualJudge, type VirtualJudgeOptions } from "./virtual-judge.ts";

/** How candidates are asked about, and in which order what is asked leaves. */
interface Setting {
  judge: keyof typeof JUDGES;
  n: number;
  in_flight: number;
  schedule: NamedSchedule;
  /** Pairs go by the places of their candidates in the input. */
  by_index?: true;
}

/** A share of documents, or a chance over trials. */
interface Ranked {
  answered: number;
  returned: number;
  /** Chance that the judge's own best is first, and among the first three; ties are drawn. */
  first: number;
  top: number;
  seconds: number;
}

/** Seconds of an answer. */
const SECONDS = [0.5, 1.5] as const;
const TOP = 3;
/** As contracts that rank have it: half of what was asked is enough. */
const MIN_DECIDED = 0.5;

const EXACT: Noise = {
  ...{ discrimination: 1e6, candidate_bias: 0, pair_bias: 0, position_bias: 0, position_spread: 0 },
  style: "direct",
};
/** A judge that is always right, and those of the study. */
const JUDGES = {
  exact: EXACT,
  strong: { ...(LEVELS.strong as Noise), ...(NOISES.usual as Noise), style: "direct" },
  middle: { ...(LEVELS.middle as Noise), ...(NOISES.usual as Noise), style: "direct" },
} as const satisfies Record<string, Noise>;

const documentOf = (at: number) => `Document ${at}.`;
const numberOf = (text: string) => Number(/\d+/.exec(text)?.[0]);

/** One list ranked until the deadline, in virtual seconds. */
async function ranked(
  { judge: name, n, in_flight, schedule, by_index }: Setting,
  trial: number,
  deadline: number,
): Promise<Ranked> {
  const worth = shuffled(
    Array.from({ length: n }, (_, i) => i),
    createRandom(hashText("worth", n, trial)),
  );
  const seen = verifierOf(
    worth.map((value) => value / (n - 1)),
    JUDGES[name],
    `${n} ${trial}`,
  );
  const judge = new VirtualJudge({
    ...{ in_flight, seconds: SECONDS, deadline, seed: `${n} ${trial}` },
    prefersFirst: (first, second, sample) => seen.pair(numberOf(first), numberOf(second), sample).hard === 1,
    ...(by_index === true && { inOrder: byIndex }),
  });
  const rollouts = worth.map((_, i) => ({ text: documentOf(i) }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: `Rank ${trial}.`, rollouts }] });
  const spec = SpecSchema.parse({ candidate: { extract: "whole" }, judge: { schedule, min_decided: MIN_DECIDED } });
  const batch = { request, spec, started_ms: 0, signal: new AbortController().signal };
  const { reply } = await judge.run(scoreBatch({ verifier: judge.verifier, clock: judge.clock }, batch));
  const rewards = reply.rewards[0] as (number | null)[];
  // The judge's own: what it is wrong about no deadline mends.
  const best = seen.seen.indexOf(Math.max(...seen.seen));
  const chance = (places: number) => chanceAmong(rewards, best, places);
  return {
    answered: judge.answered,
    returned: rewards.filter((reward) => reward !== null).length,
    ...{ first: chance(1), top: chance(TOP), seconds: judge.now },
  };
}

/** As pairs were asked before: those of the first document first. */
const byIndex: NonNullable<VirtualJudgeOptions["inOrder"]> = (questions) => {
  const low = ({ shown }: (typeof questions)[number]) => Math.min(...shown) * 1_000 + Math.max(...shown);
  return [...questions].sort((a, b) => low(a) - low(b));
};

/** Chance of being among this many of the highest, where equals are drawn; 0 without a value. */
function chanceAmong(values: readonly (number | null)[], index: number, places: number): number {
  const target = values[index] ?? null;
  if (target === null) return 0;
  const above = values.filter((value) => value !== null && value > target).length;
  const equal = values.filter((value) => value === target).length;
  return Math.min(1, Math.max(0, (places - above) / equal));
}

/** Several trials, and their means. */
interface Trials {
  results: readonly Ranked[];
  mean: Ranked;
}

async function trialsOf(setting: Setting, trials: number, deadline: number): Promise<Trials> {
  const results: Ranked[] = [];
  for (let trial = 0; trial < trials; trial++) results.push(await ranked(setting, trial, deadline));
  const mean = (field: keyof Ranked) => meanOf(results.map((result) => result[field]));
  const means = { returned: mean("returned"), first: mean("first"), top: mean("top") };
  return { results, mean: { ...means, answered: mean("answered"), seconds: mean("seconds") } };
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How many answers a judge gives at once: few lists need more than one round of them. */
const IN_FLIGHT: Readonly<Record<number, number>> = { 8: 6, 32: 128, 64: 128 };
/** Shares of the time that all pairs take. */
const SHARES = [0.25, 0.5, 1, 2] as const;
const IN_WAVES = ["active", "knockout", "swiss", "pivot"] as const;

export interface DeadlineRow extends Ranked {
  judge: string;
  n: number;
  /** Virtual seconds, and as a share of what all pairs take. */
  deadline: number;
  share: number;
  way: string;
  /** For all pairs: less than `circular` of as many calls, and half of the interval's width. */
  gain?: { top: number; half: number };
}

export interface DeadlinePlan {
  judges: readonly string[];
  sizes: readonly number[];
  trials: number;
  /** Seconds in place of the shares of what all pairs take. */
  deadlines?: readonly number[];
  /** Schedules in waves are asked too. */
  waves: boolean;
}

/** Every judge, size and deadline, schedule by schedule. */
export async function deadlineRows(
  plan: DeadlinePlan,
  onRow: (row: DeadlineRow) => void = () => {},
): Promise<DeadlineRow[]> {
  const rows: DeadlineRow[] = [];
  for (const judge of plan.judges as (keyof typeof JUDGES)[]) {
    for (const n of plan.sizes) {
      const setting = { judge, n, in_flight: IN_FLIGHT[n] ?? n, schedule: "round_robin" };
      const whole = (await trialsOf(setting, Math.min(8, plan.trials), Number.POSITIVE_INFINITY)).mean.seconds;
      for (const deadline of plan.deadlines ?? SHARES.map((share) => share * whole)) {
        const conditions = { judge, n, deadline, share: deadline / whole };
        const addRow = (way: string, mean: Ranked, gain?: DeadlineRow["gain"]) => {
          const row = { ...conditions, way, ...mean, ...(gain !== undefined && { gain }) };
          rows.push(row);
          onRow(row);
        };
        const play = (overrides: Partial<Setting>) => trialsOf({ ...setting, ...overrides }, plan.trials, deadline);
        const even = await play({});
        // Rings for as many calls as were answered, so that the same number is.
        const degree = Math.max(1, Math.ceil(even.mean.answered / n));
        const rings = await play({ schedule: { name: "circular", degree } });
        addRow("all pairs", even.mean, gainOver(even.results, rings.results));
        addRow("circular with equal calls", rings.mean);
        addRow("all pairs, by index", (await play({ by_index: true })).mean);
        for (const schedule of plan.waves ? IN_WAVES : []) addRow(schedule, (await play({ schedule })).mean);
      }
    }
  }
  return rows;
}

/** Trial by trial. */
function gainOver(results: readonly Ranked[], other: readonly Ranked[]): { top: number; half: number } {
  const gains = results.map(({ top }, k) => top - (other[k] as Ranked).top);
  const mean = meanOf(gains);
  const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / Math.max(1, gains.length - 1);
  return { top: mean, half: 1.96 * Math.sqrt(variance / gains.length) };
}

/** The goal of the reported setting: 32 documents and 2.5 s. */
const GOAL = { n: 32, seconds: 2.5, top: 0.8 };

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

function rowsTable(rows: readonly DeadlineRow[]): string {
  const head = [
    "judge",
    "deadline",
    "schedule",
    "calls answered",
    "returned",
    "best is first",
    "best in 3",
    "gain over `circular`",
  ];
  return table(
    head,
    rows.map(({ judge, deadline, share, way, answered, returned, first, top, gain, n }) => [
      judge,
      `${share.toFixed(2)} x (${deadline.toFixed(1)} s)`,
      way,
      answered.toFixed(0),
      `${returned.toFixed(1)} of ${n}`,
      first.toFixed(2),
      top.toFixed(2),
      gain === undefined ? "" : `${gain.top >= 0 ? "+" : ""}${gain.top.toFixed(3)} +- ${gain.half.toFixed(3)}`,
    ]),
  );
}

/** All rows; `gain` is of "best in 3" over `circular` of as many calls, with half of its 95 % interval. */
export const deadlinesCsv = (rows: readonly DeadlineRow[]): string =>
  csv(
    ["judge", "n", "deadline_s", "share", "asked", "answered", "returned", "first", "top_3", "gain", "gain_half"],
    rows.map((row) => [
      ...[row.judge, row.n, row.deadline.toFixed(2), row.share.toFixed(2), row.way, row.answered.toFixed(1)],
      ...[row.returned.toFixed(2), row.first.toFixed(3), row.top.toFixed(3)],
      ...[row.gain?.top.toFixed(3) ?? "", row.gain?.half.toFixed(3) ?? ""],
    ]),
  );

const percent = (share: number) => (100 * share).toFixed(1);

/**
 * The page.
 * @param goal rows of the reported setting
 * @param folder of `rows.csv`, beside the page
 */
export function deadlinesPage(
  command: string,
  [goalTrials, trials]: readonly [number, number],
  goal: readonly DeadlineRow[],
  rows: readonly DeadlineRow[],
  folder: string,
): string {
  const even = goal.filter(({ way }) => way === "all pairs");
  const reached = even.map(({ judge, returned, top }) => {
    const half = 1.96 * Math.sqrt((top * (1 - top)) / goalTrials);
    return `${judge} judge: ${returned.toFixed(1)} returned, the best among the first three in ${percent(top)} +- ${percent(half)} %`;
  });
  const lost = rows.filter(({ way, n, returned }) => way === "all pairs" && returned < n - 0.05);
  const lostAt = lost.map(
    ({ judge, n, share, returned }) => `${n} documents at ${share.toFixed(2)} x, ${judge}: ${returned.toFixed(1)}`,
  );
  const worse = rows.filter(({ gain }) => gain !== undefined && gain.top + gain.half < 0);
  const wholes = rows.filter(({ way }) => way === "all pairs");
  return `# Rankings cut off by a deadline

**${GOAL.n} documents, ${GOAL.seconds} s, answers of ${SECONDS.join(" to ")} s (goal: all returned, the best among the first three in ${100 * GOAL.top} %). ${reached.join("; ")}. Documents are missing in ${lost.length} settings (${lostAt.join("; ")}). All pairs are significantly worse than \`circular\` with the same number of calls in ${worse.length} of ${rows.filter(({ gain }) => gain !== undefined).length} settings.**

${command}

Simulated in virtual time: the product's scoring with the settings of the ranking APIs (\`win_rate\`, \`min_decided\` ${MIN_DECIDED}), and a judge that
answers a fixed number of comparisons concurrently, first come, first served. Each row is the mean of ${trials} lists (${goalTrials} in the reported setting) whose documents have evenly spaced quality and a random order.
Deadlines are fractions of the time that all pairs take. "Best" is the judge's own best document, because a deadline does not change the judge's mistakes; ties
in the score are broken at random. "By index" sends the pairs in their former order, those of the first document first, and skips the comparisons that the
deadline cut off; formerly a document with less than half of its pairs was not returned at all. With an exact judge, "by index" is better for the first place
only, because its first documents have met all others. \`circular\` has as many rings as the answered calls of all pairs allow, at the same deadline (fewer
if the judge's concurrency is larger than that); the last column is the paired difference in "best in 3", with its 95 % interval.
An exact judge always chooses the better document; "strong" is [the study's](schedules.md) strong judge, with candidate, pair and position bias.

## The reported setting

${rowsTable(goal)}

## All pairs in every setting

All schedules: [rows.csv](${folder}/rows.csv). The judge answers ${IN_FLIGHT[8]} comparisons concurrently for 8 documents, ${IN_FLIGHT[32]} for more.

${rowsTable(wholes)}
`;
}
