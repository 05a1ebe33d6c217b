// The command that measures the examples and writes their generated files; `--check` compares with the
// committed ones instead.
import { readFileSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { agentsFile } from "./agents.ts";
import { generatedFiles, type PassRates } from "./groups.ts";
import { measureProblems } from "./measure.ts";
import { loadProblems } from "./problem.ts";

function printTable(passRates: PassRates): void {
  for (const [id, { samples, hidden, rollouts }] of Object.entries(passRates.problems)) {
    console.log(`${id}: ${samples} shown tests, ${hidden} hidden`);
    for (const { file, candidate, pass_rate, samples_passed, failures } of rollouts) {
      const shown = candidate ? `${samples_passed}/${samples}` : "no candidate";
      const why = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
      console.log(`  ${file}  pass rate ${pass_rate.toFixed(2)}  shown ${shown}  ${why.join(", ")}`);
    }
  }
}

function differs(file: URL, text: string): boolean {
  try {
    return readFileSync(file, "utf8") !== text;
  } catch {
    return true;
  }
}

const { check } = commandFlags({
  command: "measure",
  call: "npm run lab -- measure",
  description: "Runs the example programs and agents' commands, and writes their pass rates, groups and runs.",
  switches: { check: "compare with the committed files instead; exit 1 if they differ" },
});
const problems = await loadProblems();
const sandbox = await createSandbox();
const passRates = await measureProblems(sandbox, problems).finally(() => sandbox.close());
printTable(passRates);
const files = [...generatedFiles(problems, passRates), agentsFile()];
if (check) {
  const stale = files.filter(({ file, text }) => differs(file, text));
  for (const { file } of stale) console.error(`differs from the new measurement: ${file.pathname}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { file, text } of files) writeFileSync(file, text);
}
