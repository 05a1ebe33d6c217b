// A soak's result as Markdown.
import type { Summary } from "../loadtest/summary-schema.ts";
import type { Comparison, SoakWindow } from "./windows.ts";

interface Soak {
  command: readonly string[];
  knee: number;
  rate: number;
  minutes: number;
  summary: Summary;
  comparison: Comparison;
  /** The machine's own word at the end; neighbours show here. */
  load: string;
}

const MIB = 2 ** 20;

const ROWS: readonly [string, (window: SoakWindow) => string][] = [
  ["requests", ({ requests }) => String(requests)],
  ["failed", ({ failed }) => String(failed)],
  ["null rewards", ({ nulls }) => String(nulls)],
  ["p50, ms", ({ p50_ms }) => p50_ms.toFixed(1)],
  ["p99, ms", ({ p99_ms }) => p99_ms.toFixed(1)],
  ["workerd resident memory, MiB", ({ workerd }) => (workerd / MIB).toFixed(1)],
  ["Node process with the queues, MiB", ({ node }) => (node / MIB).toFixed(1)],
];

export function soakReport({ command, knee, rate, minutes, summary, comparison, load }: Soak): string {
  const { environment } = summary;
  const { window_s, first, last, p99_ratio, memory_ratio, growth, faults } = comparison;
  const rows = ROWS.map(([name, format]) => `| ${name} | ${format(first)} | ${format(last)} |`);
  const machine = `${environment.cores} cores of ${environment.cpu}, ${(environment.memory_bytes / 2 ** 30).toFixed(1)} GiB, ${environment.os}`;
  return `# Soak, ${minutes} minutes at ${((100 * rate) / knee).toFixed(0)} % of the knee

\`${["npm run lab -- soak", ...command].join(" ")}\`, ${summary.ended_at}, commit ${environment.commit}, Node ${environment.node}, ${machine}. Load at the end: \`${load}\`.

The edge with its log queue, an embedded Postgres, the gateway and a simulated 14B engine at 400 times its speed all share this machine with the load generator, so the knee
is that of the whole setup. Each isolate's heap is limited to 96 MiB. Each request has one group of four, that is six comparisons. Knee: ${knee.toFixed(1)} requests per second (${summary.knee.rule}). Offered: ${rate.toFixed(1)} per second, open loop.

| | first ${(window_s / 60).toFixed(1)} min | last ${(window_s / 60).toFixed(1)} min |
|---|---|---|
${rows.join("\n")}

p99 ratio ${p99_ratio.toFixed(3)}, memory ratio ${memory_ratio.toFixed(3)}; workerd grows by ${growth.slope.toFixed(1)} MiB per hour, fitted to its one-minute means [${(growth.slope - growth.doubt).toFixed(1)}, ${(growth.slope + growth.doubt).toFixed(1)}]. ${faults.length === 0 ? "All goals are met." : `Goals missed: ${faults.join("; ")}.`}
`;
}
