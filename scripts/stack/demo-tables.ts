// The demo's printed tables. Knows reply shapes, no network.
import { styleText } from "node:util";
import type { GroupResult, RewardsReply } from "../../src/core/contract/replies.ts";
import type { AlarmSpan } from "../../src/core/health/alarm.ts";
import { kendallTauB } from "../../src/core/math/stats.ts";
import type { RunDetail, StepRow, StoredVerdict } from "../../src/ports/logged-rows.ts";
import { EXAMPLE_RUN, EXAMPLE_STEPS } from "./example-run.ts";
import { sharesMet, type TextProblem } from "./examples.ts";

export interface Problem {
  title: string;
  kind: string;
  language: string;
  /** Pass rates on the hidden tests, one a rollout. */
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
 * Rows of cells under a head, columns padded to their widest cell; numbers (all but `left`) to the
 * right.
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
    group.selected === null ? "selects none" : `selects #${group.selected}${tied > 1 ? ` of ${tied} tied` : ""}`;
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

/** For a judge that compares nothing: how the rewards themselves go with the labels. */
function gradesMeasures({ rollouts, metrics }: GroupResult, labels: readonly number[]): string {
  const read = rollouts.flatMap(({ reward }, r) => (reward === null ? [] : [[reward, labels[r] as number] as const]));
  const { tau } = kendallTauB(
    read.map(([reward]) => reward),
    read.map(([, label]) => label),
  );
  return `tau-b of the rewards ${fixed(tau)} · parse rate ${fixed(metrics.parse_rate)}`;
}

const labelOf = (rate: number) => `${bar(rate)} ${fixed(rate)}`;

/** The shown parts of a question and its answers. */
type Labelled = Pick<TextProblem, "title" | "kind" | "points"> & {
  answers: readonly { met: number[]; note: string }[];
};

/** A group of texts: a row an answer, with its reward, win counts and label. */
export function textTable(problem: Labelled, group: GroupResult): string {
  const shares = sharesMet(problem);
  const rows = group.rollouts.map((rollout, r) => [
    `#${r}`,
    rollout.reward === null ? `${rollout.error}` : fixed(rollout.reward),
    isCompared(rollout) ? tallyOf(rollout) : "–",
    labelOf(shares[r] as number),
    (problem.answers[r] as { note: string }).note,
  ]);
  const head = ["", "reward", "win-tie-loss", "points met", "what it is"];
  const measures = group.rollouts.some(isCompared) ? measuresOf(group) : gradesMeasures(group, shares);
  return `${bold(problem.title)} ${dim(problem.kind)}   ${measures}\n${table(head, rows, new Set([3, 4]))}\n`;
}

/** One group: a row a rollout, with its reward, components, win counts and measured pass rate. */
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
  const head = ["", "reward", "base", "format", "overlong", "win-tie-loss", "shown", "hidden tests", "what it is"];
  return `${bold(problem.title)} ${dim(`${problem.kind}, ${problem.language}`)}   ${measuresOf(group)}\n${table(head, rows, new Set([7, 8]))}\n`;
}

/** The two judge modes side by side. */
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
 * Where the examples in the statement and the hidden tests agree, pair by pair, from the logged
 * verdicts.
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
    bold("Shown examples against hidden tests, pair by pair"),
    `  ${counts.right + counts.wrong} pairs are separated by the examples in the statement: ${counts.right} verdicts agree with the hidden tests, ${counts.wrong} do not.`,
    `  ${counts.hiddenSeparates} pairs look equal on the examples and differ on hidden tests; ${counts.neitherSeparates} are equal on both. The verifier boxes no letter for these.\n`,
  ].join("\n");
}

/** The run as Postgres has it. */
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

/** The made-up run's lesson, and how to look at it: the demo's own stack is gone by then. */
export function exampleText(alarms: readonly AlarmSpan[]): string {
  const alarmList = alarms.map(({ alarm, from_step }) => `${alarm} from step ${from_step}`).join(", ");
  return [
    bold("A run to look at"),
    `  ${EXAMPLE_RUN} is made up: ${EXAMPLE_STEPS} steps in which a policy learns that its judge likes length. Alarms: ${alarmList}.`,
    `  npm start -- --example    then open http://127.0.0.1:8787/runs/${EXAMPLE_RUN}\n`,
  ].join("\n");
}

/**
 * The share of agents' runs that a judge saw, and where their turns are drawn: the demo's own stack is gone
 * by then.
 */
export function agentsText(reply: RewardsReply): string {
  const shares = reply.groups.flatMap(({ rollouts }) => rollouts.flatMap(({ shown }) => shown ?? []));
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const left = reply.groups.flatMap(({ rollouts }) => rollouts.flatMap(({ left_out = {} }) => Object.keys(left_out)));
  const kinds = [...new Set(left)].join(", ");
  return [
    bold("What the judge saw"),
    `  ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} of each run's characters; left out, in part or whole: ${kinds} (\`shown\` and \`left_out\` of each rollout).`,
    "  npm start -- --example    then open http://127.0.0.1:8787/runs/example-agents/steps/0: a group's page draws its runs turn by turn\n",
  ].join("\n");
}
