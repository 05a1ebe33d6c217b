// `npm run lab -- ensembles`: weights for the judges of an exported run, fitted to its labels.
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { ExportFault, fitExport } from "./exported.ts";

const fault = (text: string) => (existsSync(text) ? null : "must name an existing file");
const {
  export: file,
  labels,
  signals,
} = commandFlags({
  command: "ensembles",
  call: "npm run lab -- ensembles",
  description:
    "Fits weights for several judges of a run to its labels, from the output of GET /v1/runs/RUN/export?table=signals and ?table=groups. Compares the weighted mean on held-out groups with the plain mean and with the best single judge.",
  texts: {
    export: { value: "", fault, help: "the exported signals, NDJSON" },
    labels: { value: "", fault, help: "the exported groups with the labels (pass_rates), NDJSON" },
    signals: { value: "", help: "comma-separated names of the judges' signals to weight" },
  },
});

/** Refusal without labels. Measured on the recorded answers of six judges to JudgeBench. */
const UNLABELLED =
  "--labels is required, because agreement between judges also rewards shared errors. On six recorded judges, weights fitted without labels were right in 64.3 % of pairs, the plain mean in 64.7 %, the best single judge in 77.3 %. Send pass_rate with the rollouts and pass the output of export?table=groups";

const linesOf = (path: string) =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });

try {
  if (file === "") throw new ExportFault("--export is required: the output of export?table=signals");
  if (labels === "") throw new ExportFault(UNLABELLED);
  const names = signals.split(",").filter((name) => name !== "");
  console.log(JSON.stringify(await fitExport(linesOf(file), linesOf(labels), names), null, 2));
} catch (error) {
  if (!(error instanceof ExportFault)) throw error;
  console.error(`kritai ensembles: ${error.message}`);
  process.exitCode = 2;
}
