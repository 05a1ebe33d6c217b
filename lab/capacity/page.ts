// The page of the capacity model: GPUs by size and time, what more GPUs, an autoscaler and a region do, how
// near the model is.

import { tInterval } from "../loadtest/intervals.ts";
import { type Axis, lineChart, type Series } from "../report/charts.ts";
import type { Checked } from "./check.ts";
import { checkTable } from "./check.ts";
import { Model } from "./model.ts";
import { gpusFor, type Measured, measured } from "./needed.ts";
import type { Autoscaler, Setting } from "./setting.ts";
import { erlangWait, pollaczekWait, type Queue, queueRun } from "./theory.ts";

interface Asked {
  setting: Setting;
  seeds: number;
  max_gpus: number;
  /** Leaves out the largest steps. */
  quick: boolean;
  check: readonly Checked[] | null;
  folder: string;
  command: string;
  commit: string;
}

type Say = (line: string) => void;

const thinking = (setting: Setting, median: number, max: number): Setting => ({
  ...setting,
  tokens: { ...setting.tokens, max },
  noise: { ...setting.noise, thinking_median_tokens: median },
});

/** Verifiers by how they answer: a step's time depends on that most. */
const VERIFIERS: readonly (readonly [name: string, of: (setting: Setting) => Setting])[] = [
  ["no thinking", (setting) => thinking(setting, 0, 64)],
  ["short thinking (median 300 tokens, at most 1,024)", (setting) => thinking(setting, 300, 1_024)],
  ["thinking (median 2,200 tokens, at most 4,096)", (setting) => thinking(setting, 2_200, 4_096)],
];
/** What is asked of each verifier; the large ones take the model minutes. */
const STEPS_ASKED = [
  { schedule: "round_robin", groups: 64, rollouts: 8, quick: true },
  { schedule: "swiss", groups: 64, rollouts: 16, quick: true },
  { schedule: "round_robin", groups: 64, rollouts: 16, quick: false },
  { schedule: "swiss", groups: 256, rollouts: 16, quick: false },
  { schedule: "round_robin", groups: 256, rollouts: 16, quick: false },
];
const TARGETS = [60];
const SCHEDULES = ["round_robin", "swiss"];

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const seconds = ({ mean_s, ci95: [low, high] }: Measured): string =>
  `${mean_s.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;

async function answers({ setting, seeds, max_gpus, quick }: Asked, say: Say): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, configure] of VERIFIERS) {
    // For the first verifier a large step too: its questions are soon answered.
    const steps = STEPS_ASKED.filter(
      (step) => step.quick || !quick || (configure === VERIFIERS[0]?.[1] && step.schedule === "swiss"),
    );
    for (const { schedule, groups, rollouts } of steps) {
      const cells: string[] = [];
      for (const target_s of TARGETS) {
        const sized = { ...configure(setting), groups, rollouts, judge: { ...setting.judge, schedule } };
        const { gpus, at } = await gpusFor(sized, { target_s, seeds, max_gpus });
        const none = `none (${seconds(at)} on ${at.gpus})`;
        cells.push(gpus === null ? none : `**${gpus}**, ${seconds(at)}`);
        say(`${name}, ${schedule}, ${groups} x ${rollouts} in ${target_s} s: ${cells.at(-1)}`);
      }
      rows.push([`${groups} x ${rollouts}`, schedule, name, ...cells]);
    }
  }
  return rows;
}

/** Seconds of a step by GPUs, 32 x 8. */
async function curves({ setting, seeds }: Asked, say: Say): Promise<Series[]> {
  const series: Series[] = [];
  for (const [name, configure] of VERIFIERS) {
    const points = [];
    for (const gpus of [1, 2, 4, 8, 16, 32]) {
      const { mean_s, ci95 } = await measured({ ...configure(setting), groups: 32, rollouts: 8, gpus }, seeds);
      points.push({ x: gpus, y: mean_s, low: ci95[0], high: ci95[1] });
    }
    series.push({ name, points });
    say(`curve: ${name}`);
  }
  return series;
}

const RULE: Autoscaler = { min: 1, max: 8, every_s: 15, wait_s: 15, up: 2, start_s: 120, idle_s: 300 };
const STEPS = 5;
/** The trainer's own time between two steps. */
const GAPS = [60, 600];

async function scaled({ setting, seeds }: Asked, say: Say): Promise<string[][]> {
  const [, configure] = VERIFIERS[1] as (typeof VERIFIERS)[number];
  const base = { ...configure(setting), groups: 32, rollouts: 8 };
  const ways: (readonly [string, number, Autoscaler | null])[] = [
    [`${RULE.min} fixed`, RULE.min, null],
    [`${RULE.min} to ${RULE.max}, start in ${RULE.start_s} s`, RULE.min, RULE],
    [`${RULE.min} to ${RULE.max}, start in 10 s`, RULE.min, { ...RULE, start_s: 10 }],
    [`${RULE.max} fixed`, RULE.max, null],
  ];
  const rows: string[][] = [];
  for (const gap of GAPS) {
    for (const [name, gpus, autoscaler] of ways) {
      const [first, last, hours]: number[][] = [[], [], []];
      for (let k = 0; k < seeds; k++) {
        const model = new Model({ ...base, gpus, autoscaler, seed: base.seed + k });
        let paid = 0;
        for (let step = 0; step < STEPS; step++) {
          if (step > 0) await model.timeline.until(model.timeline.wait(gap));
          const done = await model.step();
          paid += done.gpu_s;
          if (step === 0) first?.push(done.seconds);
          if (step === STEPS - 1) last?.push(done.seconds);
        }
        hours?.push(paid / 3_600);
      }
      const formatInterval = (values: number[] = []) => {
        const [low, high] = tInterval(values) ?? [values[0] as number, values[0] as number];
        return `${((low + high) / 2).toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
      };
      rows.push([`${gap} s`, name, formatInterval(first), formatInterval(last), formatInterval(hours)]);
      say(`autoscaler: ${rows.at(-1)?.join(", ")}`);
    }
  }
  return rows;
}

const RTTS_MS = [2, 20, 80, 200];

async function regions({ setting, seeds }: Asked, say: Say): Promise<string[][]> {
  const [, configure] = VERIFIERS[0] as (typeof VERIFIERS)[number];
  const rows: string[][] = [];
  for (const schedule of SCHEDULES) {
    for (const protocol of ["verify", "openai"] as const) {
      const cells: string[] = [];
      for (const ms of RTTS_MS) {
        const judge = { ...setting.judge, schedule };
        const near = {
          ...configure(setting),
          groups: 8,
          rollouts: 16,
          gpus: 4,
          judge,
          protocol,
          backend_rtt_s: ms / 1_000,
        };
        cells.push(seconds(await measured(near, seeds)));
      }
      rows.push([schedule, `\`${protocol}\``, ...cells]);
      say(`region: ${rows.at(-1)?.join(", ")}`);
    }
  }
  return rows;
}

const QUEUES: readonly (readonly [string, Queue, number])[] = [
  ["M/M/1, load 0.6", { servers: 1, load: 0.6, service: "exponential", kind: "slots" }, erlangWait(1, 0.6)],
  [
    "M/M/4, load 0.8, slots of one engine",
    { servers: 4, load: 0.8, service: "exponential", kind: "slots" },
    erlangWait(4, 0.8),
  ],
  [
    "M/M/8, load 0.8, eight engines",
    { servers: 8, load: 0.8, service: "exponential", kind: "engines" },
    erlangWait(8, 0.8),
  ],
  ["M/D/1, load 0.7", { servers: 1, load: 0.7, service: "fixed", kind: "slots" }, pollaczekWait(0.7, 0)],
];
const QUEUE_SEEDS = 6;
const QUEUE_REQUESTS = 2_500;

async function queues(say: Say): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, queue, wanted] of QUEUES) {
    const runs = [];
    for (let seed = 1; seed <= QUEUE_SEEDS; seed++) runs.push(await queueRun(queue, QUEUE_REQUESTS, seed));
    const [low, high] = tInterval(runs.map(({ wait }) => wait)) as [number, number];
    const little = runs.map(({ present, arrivals, sojourn }) => present / (arrivals * sojourn));
    const law = tInterval(little) as [number, number];
    const formatInterval = (from: number, to: number) =>
      `${((from + to) / 2).toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`;
    rows.push([name, wanted.toFixed(3), formatInterval(low, high), formatInterval(...law)]);
    say(`queue: ${rows.at(-1)?.join(", ")}`);
  }
  return rows;
}

const GPUS: Axis = { label: "GPUs", log: true, ticks: [1, 2, 4, 8, 16, 32] };

/** The whole page; some minutes. */
export async function capacityPage(asked: Asked, say: Say): Promise<{ text: string; files: Record<string, string> }> {
  const { seeds, check, folder, command, commit, setting } = asked;
  const chart = lineChart({
    title: "Seconds per step of 32 x 8, all pairs, by GPUs",
    description: "Error bars: 95 % interval of the mean over seeds.",
    x: GPUS,
    y: { label: "seconds", log: true },
    series: await curves(asked, say),
    rules: [{ axis: "y", at: 60, name: "60 s" }],
  });
  const [byRule, byRegion, byTheory] = [await scaled(asked, say), await regions(asked, say), await queues(say)];
  const needed = await answers(asked, say);
  const { engine, tokens } = setting;
  const text = `# GPUs for a step

\`${command}\` at ${commit}. Unless marked as measured on the stack, every figure is simulated: the mean over ${seeds} seeds, with its 95 % interval in brackets.

The simulator's 14B verifier on H200s: ${Math.round(1 / engine.token_compute_s).toLocaleString("en-US")} prompt tokens per second, ${Math.round(1 / (engine.step_overhead_s + engine.weights_read_s))} tokens per second in one stream, ${engine.sequences_max} slots, prefix cache. Prompts of ${tokens.template + tokens.question + 2 * tokens.candidate} tokens, one sample, \`verify\` with ${Math.round(setting.backend_rtt_s * 1_000)} ms to the gateway. In bold: the fewest GPUs for which the interval's upper end meets the target time (from 32 GPUs on, to within 1/16); then the seconds per step.

${table(["step", "schedule", "verifier", ...TARGETS.map((target) => `in ${target} s`)], needed)}

"none": the longest answers alone take longer, in each wave of the schedule. Fewer tokens per answer or another schedule help; more GPUs do not.

![Seconds per step by GPUs](${folder}/seconds-of-a-step-of-32-x-8.svg)

## What autoscaling does

32 x 8, all pairs, a verifier with short thinking; ${STEPS} steps, with the trainer's own work between them. The autoscaler checks every ${RULE.every_s} s: if requests wait over ${RULE.wait_s} s it adds at most ${RULE.up} GPUs, and after ${RULE.idle_s} idle seconds it removes one.

${table(["between steps", "GPUs", "first step, s", "last step, s", "total GPU hours"], byRule)}

## What a region costs

8 x 16, a verifier without thinking, 4 GPUs; seconds per step by the round-trip time between edge and gateway (\`openai\`: engine).

${table(["schedule", "protocol", ...RTTS_MS.map((ms) => `${ms} ms`)], byRegion)}

\`verify\` costs one round trip per wave, \`openai\` one per six generations of a request.

## Accuracy of the simulation

Compared with the real stack on one machine (Worker in workerd, gateway, simulated engines with given latencies), three steps each (\`npm run lab -- capacity --check --json\`; the last column is the machine's load average during the run, on two cores):

${check === null ? "Not measured in this run." : checkTable(check)}

Compared with queueing theory, using the simulation's own components as the queue; waits in units of the mean service time, ${QUEUE_SEEDS} seeds of ${QUEUE_REQUESTS.toLocaleString("en-US")} requests:

${table(["queue", "formula", "wait", "Little's law: mean number in system over arrival rate x mean time"], byTheory)}

## What is simulated

- Real code: the gateway's scheduler, jobs, early stop, choice of replica and adaptive cap, and the product's tournament, wave by wave. Simulated: continuous batching and verdicts.
- Not simulated: refusals, faults and retries, repetitive answers, soft votes, the cost of the log, and the edge's CPU beyond a fixed time per request.
- \`--calibrate FOLDER\` replaces the assumptions with a load test's results.
`;
  return { text, files: { "seconds-of-a-step-of-32-x-8.svg": chart.standalone } };
}
