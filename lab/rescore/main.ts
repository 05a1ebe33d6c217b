// `npm run lab -- rescore`: flags, exit codes, what is printed and written. Asking is ask.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { FolderFault, makeFolder } from "../../scripts/command-line/out-folder.ts";
import { RescoreFault, rescoreRun } from "../../scripts/rescore/ask.ts";
import { ByStep } from "../../scripts/rescore/by-step.ts";
import { carriesKey } from "../loadtest/target-url.ts";
import { rescoredPage, rescoredTable } from "./report.ts";

const EXIT = { ok: 0, fault: 1, usage: 2 } as const;

/** Why an address cannot be asked, or null. */
function targetFault(text: string): string | null {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return "must be an http or https URL";
  if (!carriesKey(text)) return null;
  return "must not carry a key, because reports contain the URL: use the variable KRITAI_API_KEY";
}

const STEP = {
  value: "",
  fault: (text: string) => (/^\d{0,10}$/.test(text) ? null : "must be a step number, 0 or more"),
};

function refuse(reason: string): never {
  console.error(`kritai rescore: ${reason}; npm run lab -- rescore --help explains the flags`);
  process.exit(EXIT.usage);
}

function specIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return refuse(`--spec ${file}: ${(error as Error).message}`);
  }
}

function readOptions() {
  const flags = commandFlags({
    command: "rescore",
    call: "npm run lab -- rescore",
    description:
      "Rescores a logged run under another spec without calling a verifier, prints the changes and writes a report.",
    texts: {
      run: { value: "", required: true, help: "id of the run" },
      spec: { value: "", required: true, help: "JSON file with the new spec" },
      "from-step": { ...STEP, help: "first step to rescore" },
      "to-step": { ...STEP, help: "last step to rescore" },
      target: { value: "http://127.0.0.1:8787", secret: true, fault: targetFault, help: "Kritai's URL" },
      out: { value: "dist/rescore", help: "output folder of report.html and summary.json" },
    },
    variables: { KRITAI_API_KEY: "the API key; needs the scope logs" },
  });
  const { run, target, out } = flags;
  const stepOf = (text: string) => (text === "" ? null : Number(text));
  const spec = specIn(flags.spec);
  try {
    makeFolder("--out", out, ["report.html", "summary.json"]);
  } catch (fault) {
    if (!(fault instanceof FolderFault)) throw fault;
    return refuse(fault.message);
  }
  return { run_id: run, spec, target, out, from_step: stepOf(flags["from-step"]), to_step: stepOf(flags["to-step"]) };
}

const { out, ...asked } = readOptions();
const steps = new ByStep();
try {
  const end = await rescoreRun({ ...asked, api_key: process.env.KRITAI_API_KEY || null }, (group) => steps.add(group));
  const command = `npm run lab -- rescore ${process.argv.slice(2).join(" ")}`;
  const { run_id, spec } = asked;
  const rescored = { run_id, spec, command, at: new Date().toISOString(), end, steps: steps.summaries() };
  console.log(rescoredTable(rescored));
  writeFileSync(join(out, "report.html"), rescoredPage(rescored));
  writeFileSync(join(out, "summary.json"), `${JSON.stringify(rescored, null, 2)}\n`);
  console.log(`\n${join(out, "report.html")}`);
  process.exit(EXIT.ok);
} catch (fault) {
  if (!(fault instanceof RescoreFault)) throw fault;
  console.error(`kritai rescore: ${fault.message}`);
  process.exit(EXIT.fault);
}
