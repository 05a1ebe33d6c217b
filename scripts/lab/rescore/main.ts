// Owns `npm run rescore`: flags, exit codes, what is printed and written. Asking is ask.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FolderFault, makeFolder } from "../report/out-folder.ts";
import { RescoreFault, rescoreRun } from "./ask.ts";
import { ByStep } from "./by-step.ts";
import { rescoredPage, rescoredTable } from "./report.ts";

const USAGE = `npm run rescore -- --run ID --spec FILE [flags]

Scores a logged run again under another spec, without a verifier: prints what changes and writes a report.

  --run ID          the run
  --spec FILE       the new spec, JSON
  --from-step N     only steps from this one
  --to-step N       only steps up to this one
  --target URL      where Kritai is (http://127.0.0.1:8787); KRITAI_API_KEY is its key
  --out FOLDER      where report.html and summary.json go (dist/rescore)`;

const EXIT = { ok: 0, fault: 1, usage: 2 } as const;

function refuse(reason: string): never {
  console.error(`kritai rescore: ${reason}\n\n${USAGE}`);
  process.exit(EXIT.usage);
}

function stepOf(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,10}$/.test(text)) refuse(`${flag} takes a step, not ${text}`);
  return Number(text);
}

function specIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return refuse(`--spec ${file}: ${(error as Error).message}`);
  }
}

function readOptions() {
  const text = { type: "string" } as const;
  const options = {
    ...{ run: text, spec: text, "from-step": text, "to-step": text },
    target: { ...text, default: "http://127.0.0.1:8787" },
    out: { ...text, default: "dist/rescore" },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(USAGE);
      process.exit(EXIT.ok);
    }
    const { run, spec, target, out } = values;
    if (run === undefined || spec === undefined) return refuse("--run and --spec are needed");
    if (!URL.canParse(target)) return refuse(`--target takes a URL, not ${target}`);
    const steps = {
      from_step: stepOf("--from-step", values["from-step"]),
      to_step: stepOf("--to-step", values["to-step"]),
    };
    makeFolder("--out", out, ["report.html", "summary.json"]);
    return { run_id: run, spec: specIn(spec), target, out, ...steps };
  } catch (fault) {
    if (fault instanceof FolderFault || fault instanceof TypeError) return refuse(fault.message);
    throw fault;
  }
}

const { out, ...asked } = readOptions();
const steps = new ByStep();
try {
  const end = await rescoreRun({ ...asked, api_key: process.env.KRITAI_API_KEY || null }, (group) => steps.add(group));
  const command = `npm run rescore -- ${process.argv.slice(2).join(" ")}`;
  const { run_id, spec } = asked;
  const rescored = { run_id, spec, command, at: new Date().toISOString(), end, steps: steps.told() };
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
