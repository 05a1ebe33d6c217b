// The page of the study of alarms.
import { ALARMS } from "../../src/core/health/alarms/table.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { FAULT_STEP, HEALTHY_KINDS } from "./faults.ts";
import type { Size } from "./simulated-run.ts";
import type { Counts, Tried } from "./tried.ts";

interface Result {
  size: Size;
  result: readonly Tried[];
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
const named = ({ groups, n }: Size) => `${groups} x ${n}`;

/** A table over alarms and sizes. */
const over = (results: readonly Result[], cell: (tried: Tried) => string | number) =>
  table(
    ["alarm", ...results.map(({ size }) => named(size))],
    ALARMS.map(({ name }) => [
      `\`${name}\``,
      ...results.map(({ result }) => {
        const entry = result.find(({ alarm }) => alarm === name);
        return entry === undefined ? "" : cell(entry);
      }),
    ]),
  );

const tenths = (steps: number): number => Math.round(steps * 10) / 10;

const middle = ({ delays }: Tried): string =>
  delays.length === 0 ? "-" : `${tenths(percentile(delays, 0.5))} (${tenths(percentile(delays, 0.95))})`;

export function alarmsPage(
  results: readonly Result[],
  { healthy, faulty, steps, groupsMax, seed, commit }: Counts & { groupsMax: number; seed: number; commit: string },
): string {
  const faults = results[0]?.result ?? [];
  return `# Alarms on simulated runs

\`npm run lab -- alarms --healthy ${healthy} --faulty ${faulty} --groups ${groupsMax} --steps ${steps} --seed ${seed}\` at ${commit}.

Runs of ${steps} steps are simulated, without a GPU or a log. Every pair of a group is judged by a simulated verifier that is right in 83 % of verdicts on answers of the first steps. The drift probe re-judges the groups of the first steps with the largest reward differences, 32 rollouts in all, as the client does. Thresholds were chosen on runs with other seeds. Sizes are groups per step x rollouts per group. The log of a real run has more kinds of noise.

## Healthy runs

Each number counts the runs, out of ${healthy} healthy runs of each kind, in which the alarm fired at any step.

${HEALTHY_KINDS.map(({ name, what }, kind) => `### ${name[0]?.toUpperCase()}${name.slice(1)}\n\n${what[0]?.toUpperCase()}${what.slice(1)}.\n\n${over(results, ({ on }) => on[kind] ?? "")}`).join("\n\n")}

## Faults detected

Each number counts the runs, out of ${faulty} with the alarm's fault, in which the alarm fired after the fault began. Faults begin at step ${FAULT_STEP}, except that the guessing judge guesses from the first step.

${over(results, ({ found }) => found)}

## Delays

Steps from the start of the fault to the alarm: the median, with the 95th percentile in brackets, over the runs in which the fault was detected. Gradual faults take 100 steps to reach their full size.

${over(results, middle)}

## The faults

${table(
  ["alarm", "fault"],
  faults.map(({ alarm, fault }) => [`\`${alarm}\``, fault]),
)}
`;
}
