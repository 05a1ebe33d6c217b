// Owns `npm run lab -- ensembles`: weights for the judges of an exported run, or the simulation of
// judges of known quality, as a table in Markdown.
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { mean } from "../../src/core/math/stats.ts";
import { ExportFault, fitExport } from "./exported.ts";
import { type Outcome, SCENARIOS, simulate } from "./simulate.ts";

const {
  export: file,
  signals,
  seeds,
} = commandFlags({
  command: "ensembles",
  call: "npm run lab -- ensembles",
  about:
    "Fits weights for several judges of a run, without labels, from the file that GET /v1/runs/RUN/export?table=signals gave. Without --export: simulates judges of known quality and compares fitted weights with the plain mean.",
  numbers: { seeds: { least: 1, most: 1000, value: 20, whole: true, help: "runs of each simulated scenario" } },
  texts: {
    export: {
      value: "",
      fault: (text) => (existsSync(text) ? null : "must name a file that is there"),
      help: "the exported signals, NDJSON",
    },
    signals: { value: "", help: "whose values to weigh, separated by commas: the signals that judges tell" },
  },
});
if (file === "") tellSimulated();
else await tellFitted();

async function tellFitted(): Promise<void> {
  const names = signals.split(",").filter((name) => name !== "");
  try {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
    console.log(JSON.stringify(await fitExport(lines, names), null, 2));
  } catch (fault) {
    if (!(fault instanceof ExportFault)) throw fault;
    console.error(`kritai ensembles: ${fault.message}`);
    process.exitCode = 2;
  }
}

function tellSimulated(): void {
  const shown = (outcomes: readonly Outcome[], of: (one: Outcome) => number): string =>
    mean(outcomes.map(of)).toFixed(3);
  console.log(
    "| judges (correlation with the truth) | weights preferred | mean | weighted | recommended | best possible | best of 8: mean | recommended | reasons |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const scenario of SCENARIOS) {
    const outcomes = Array.from({ length: seeds }, (_, seed) => simulate(scenario, seed + 1));
    const reasons = [...new Set(outcomes.flatMap(({ fit }) => fit.reasons))].sort();
    const cells = [
      scenario.name,
      `${outcomes.filter(({ fit }) => fit.better).length} of ${seeds}`,
      shown(outcomes, (one) => one.mean.correlation),
      shown(outcomes, (one) => one.weighted.correlation),
      shown(outcomes, (one) => one.recommended.correlation),
      shown(outcomes, (one) => one.possible.correlation),
      shown(outcomes, (one) => one.mean.best),
      shown(outcomes, (one) => one.recommended.best),
      reasons.map((reason) => `\`${reason}\``).join(" "),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
