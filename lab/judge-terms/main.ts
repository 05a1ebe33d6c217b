// `npm run lab -- judge-terms`: what length and the first place earn with the judge of a run, from
// the run's exported verdicts and texts.
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { ExportFault } from "../ensembles/exported.ts";
import { fitExport } from "./exported.ts";

const file = (table: string) => ({
  value: "",
  required: true,
  fault: (text: string) => (existsSync(text) ? null : "must name an existing file"),
  help: `the output of GET /v1/runs/RUN/export?table=${table}`,
});
const { verdicts, texts, signal } = commandFlags({
  command: "judge-terms",
  call: "npm run lab -- judge-terms",
  description:
    "Estimates a judge's length bias (log-odds for a candidate twice as long) and position bias (log-odds for the candidate shown first), with standard errors over groups. A positive length term is a bias only if longer answers are not better: verdicts alone cannot distinguish the two.",
  texts: {
    verdicts: file("verdicts"),
    texts: file("texts"),
    signal: { value: "base", help: "the signal whose pairwise verdicts are used; base in a spec without signals" },
  },
});

const linesOf = (path: string) =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
try {
  console.log(JSON.stringify(await fitExport(linesOf(verdicts), linesOf(texts), signal), null, 2));
} catch (fault) {
  if (!(fault instanceof ExportFault)) throw fault;
  console.error(`kritai judge-terms: ${fault.message}`);
  process.exitCode = 2;
}
