// Formats the demo's tables and texts.
import { styleText } from "node:util";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { AlarmSpan } from "../../src/core/health/alarm.ts";
import { kendallTauB } from "../../src/core/math/tau-b.ts";
import type { RunDetail, StepRow, StoredVerdict } from "../../src/ports/logged-rows.ts";
import { EXAMPLE_RUN, EXAMPLE_STEPS } from "./example-run.ts";
import { sharesMet, type TextProblem } from "./examples.ts";

export interface Problem {
  title: string;
  kind: string;
  language: string;
  /** Pass rates on the hidden tests, one per rollout. */
  labels: number[];
  /** Examples in the statement, and how many of them each rollout passes. */
  samples: number;
  shown: number[];
  notes: string[];
}

const dim = (text: string) => styleText("dim", text);
const bold = (text: string) => styleText("bold", text);
const fixed = (value: number | null, digits = 2) => (value === null ? "–" : value.toFixed(digits));
const component = (value: number | null) => (value === 0 ? "·" : fixed(value));

/**
 * Rows of cells under a header, with columns as wide as their widest cell. Columns in `left` are aligned
 * left, all others right.
 */
function table(head: readonly string[], rows: readonly (readonly string[])[], left: ReadonlySet<number>): string {
  const widths = head.map((name, c) => Math.max(name.length, ...rows.map((row) => (row[c] as string).length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, c) => (left.has(c) ? cell.padEnd(widths[c] as number) : cell.padStart(widths[c] as number))).join("  ")}`.trimEnd();
  return [dim(line(head)), ...rows.map(line)].join("\n");
}

const bar = (rate: number) => "█".repeat(Math.round(rate * 8)).padEnd(8, "░");

/** A group's measures, in one line. */
function measuresOf(group: GroupResult): string {
  const { tau_b, tau_b_undefined, list_acc, parse_rate } = group.metrics;
  const tied = group.selected_tied.length;
  const selected =
    group.selected === null ? "no selection" : `selects #${group.selected}${tied > 1 ? ` of ${tied} tied` : ""}`;
  const measures = [
    `tau-b ${tau_b === null ? `undefined (${tau_b_undefined})` : fixed(tau_b)}`,
    `${selected}, ${list_acc ? "the best" : "not the best"}`,
    `parse rate ${fixed(parse_rate)}`,
  ];
  return measures.join(" · ");
}

type Scored = GroupResult["rollouts"][number];

const tallyOf = ({ wins, ties, losses }: Scored) => `${wins}-${ties}-${losses}`;

const isCompared = ({ wins, ties, losses }: Scored) => wins + ties + losses > 0;

/** Measures for a judge without comparisons: how well the rewards agree with the labels. */
function gradesMeasures({ rollouts, metrics }: GroupResult, labels: readonly number[]): string {
  const read = rollouts.flatMap(({ reward }, r) => (reward === null ? [] : [[reward, labels[r] as number] as const]));
  const { tau } = kendallTauB(
    read.map(([reward]) => reward),
    read.map(([, label]) => label),
  );
  return `tau-b of the rewards ${fixed(tau)} · parse rate ${fixed(metrics.parse_rate)}`;
}

const labelOf = (rate: number) => `${bar(rate)} ${fixed(rate)}`;

/** The parts of a question and its answers that the table shows. */
type Labelled = Pick<TextProblem, "title" | "kind" | "points"> & {
  answers: readonly { met: number[]; note: string }[];
};

/** The table of a group of texts: one row per answer, with reward, win counts and label. */
export function textTable(problem: Labelled, group: GroupResult): string {
  const shares = sharesMet(problem);
  const rows = group.rollouts.map((rollout, r) => [
    `#${r}`,
    rollout.reward === null ? `${rollout.error}` : fixed(rollout.reward),
    isCompared(rollout) ? tallyOf(rollout) : "–",
    labelOf(shares[r] as number),
    (problem.answers[r] as { note: string }).note,
  ]);
  const head = ["", "reward", "win-tie-loss", "points met", "description"];
  const measures = group.rollouts.some(isCompared) ? measuresOf(group) : gradesMeasures(group, shares);
  return `${bold(problem.title)} ${dim(problem.kind)}   ${measures}\n${table(head, rows, new Set([3, 4]))}\n`;
}

/**
 * The table of a group of programs: one row per rollout, with reward, components, win counts and pass rate.
 */
export function groupTable(problem: Problem, group: GroupResult): string {
  const rows = group.rollouts.map((rollout, r) => [
    `#${r}`,
    fixed(rollout.reward),
    fixed(rollout.components.base ?? null),
    component(rollout.components.format ?? null),
    component(rollout.components.overlong ?? null),
    tallyOf(rollout),
    `${problem.shown[r]}/${problem.samples}`,
    labelOf(problem.labels[r] as number),
    `${rollout.duplicate_of === null ? "" : `= #${rollout.duplicate_of}; `}${problem.notes[r]}`,
  ]);
  const head = ["", "reward", "base", "format", "overlong", "win-tie-loss", "examples", "hidden tests", "description"];
  return `${bold(problem.title)} ${dim(`${problem.kind}, ${problem.language}`)}   ${measuresOf(group)}\n${table(head, rows, new Set([7, 8]))}\n`;
}

/** One row per judge mode. */
export function summaryTable(runs: readonly { name: string; reply: RewardsReply; took: string }[]): string {
  const rows = runs.map(({ name, reply, took }) => {
    const sum = (field: "comparisons" | "generations") =>
      reply.groups.reduce((n, { verifier }) => n + verifier[field], 0);
    const { parse_rate, tau_b_mean, tau_b_undefined, list_acc, reward_mean, reward_std } = reply.metrics;
    return [
      name,
      String(reply.rewards.flat().length),
      String(sum("comparisons")),
      String(sum("generations")),
      `${fixed(reward_mean)} ± ${fixed(reward_std)}`,
      fixed(tau_b_mean, 3),
      String(tau_b_undefined),
      fixed(list_acc, 3),
      fixed(parse_rate, 3),
      took,
    ];
  });
  const head = [
    "",
    "rewards",
    "comparisons",
    "generations",
    "reward",
    "tau-b",
    "undefined",
    "ListAcc",
    "parse rate",
    "took",
  ];
  return `${bold("All problems")}\n${table(head, rows, new Set([0]))}\n`;
}

/**
 * How the verdicts, which follow the examples in the problem statement, agree with the hidden tests, pair by
 * pair, from the log.
 */
export function agreement(problems: readonly Problem[], verdicts: readonly (readonly StoredVerdict[])[]): string {
  const counts = { right: 0, wrong: 0, hiddenSeparates: 0, neitherSeparates: 0 };
  verdicts.forEach((rows, g) => {
    const labels = (problems[g] as Problem).labels;
    for (const { order, letter } of rows) {
      const [first, second] = order.map((r) => labels[r] as number) as [number, number];
      if (letter === null) counts[first === second ? "neitherSeparates" : "hiddenSeparates"]++;
      else counts[(letter === "A") === first > second && first !== second ? "right" : "wrong"]++;
    }
  });
  return [
    bold("Examples in the problem statement against hidden tests, pair by pair"),
    `  ${counts.right + counts.wrong} pairs differ on the examples: ${counts.right} verdicts agree with the hidden tests, ${counts.wrong} do not.`,
    `  ${counts.hiddenSeparates} pairs are equal on the examples but differ on hidden tests; ${counts.neitherSeparates} are equal on both. The verifier gives no verdict for these pairs.\n`,
  ].join("\n");
}

/** The run as read back from Postgres. */
export function logTable(run: RunDetail, steps: readonly StepRow[]): string {
  const rows = steps.map((step) => [
    String(step.step),
    String(step.groups),
    String(step.rollouts),
    fixed(step.reward_mean, 3),
    fixed(step.zero_variance_share, 3),
    fixed(step.tau_b_mean, 3),
    fixed(step.list_acc, 3),
    fixed(step.parse_rate, 3),
    `${fixed(step.length_tokens.p50, 0)} / ${fixed(step.length_tokens.p95, 0)}`,
    String(step.generations),
  ]);
  const head = [
    "step",
    "groups",
    "rollouts",
    "reward",
    "equal rewards",
    "tau-b",
    "ListAcc",
    "parse rate",
    "length p50/p95",
    "generations",
  ];
  const hashes = run.specs.map(({ spec_hash }) => spec_hash.slice(0, 19)).join(", ");
  return `${bold(`Run "${run.run_id}" read back from Postgres`)} ${dim(`${run.requests} requests, specs ${hashes}`)}\n${table(head, rows, new Set())}\n`;
}

/**
 * Introduces the made-up run and says how to open it on a new stack, because the demo's stack has stopped.
 */
export function exampleText(alarms: readonly AlarmSpan[]): string {
  const alarmList = alarms.map(({ alarm, from_step }) => `${alarm} from step ${from_step}`).join(", ");
  return [
    bold("An example run"),
    `  ${EXAMPLE_RUN} is made up: in ${EXAMPLE_STEPS} steps a policy learns that its judge prefers long answers. Alarms: ${alarmList}.`,
    `  npm start -- --example    then open http://127.0.0.1:8787/runs/${EXAMPLE_RUN}\n`,
  ].join("\n");
}

/**
 * The share of the agent runs that a judge saw, and how to open their turns on a new stack, because the
 * demo's stack has stopped.
 */
export function agentsText(reply: RewardsReply): string {
  const shares = reply.groups.flatMap(({ rollouts }) => rollouts.flatMap(({ shown }) => shown ?? []));
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const left = reply.groups.flatMap(({ rollouts }) => rollouts.flatMap(({ left_out = {} }) => Object.keys(left_out)));
  const kinds = [...new Set(left)].join(", ");
  return [
    bold("What the judge saw"),
    `  ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} of each run's characters. Left out, in part or in full: ${kinds} (see \`shown\` and \`left_out\` of each rollout).`,
    "  npm start -- --example    then open http://127.0.0.1:8787/runs/example-agents/steps/0: a group's page shows its runs turn by turn\n",
  ].join("\n");
}
