// `npm run lab -- trainers`: every tool's client against a separate stack through outages, a restart, a lost
// sample, validation and a second epoch; writes lab/results/trainers.md's table.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { NAMED_ONLY, runScenarios, SCENARIOS, type Scenario } from "./scenarios.ts";
import { tableIn, tableOf, withTable } from "./table.ts";
import { TOOLS } from "./tools.ts";

const flags = commandFlags({
  command: "trainers",
  call: "npm run lab -- trainers",
  description:
    "Tests every trainer's reward client against a local stack under outages, and writes the results into a page's table. Needs the Python client's environment: bash clients/python/run-tests.sh --prepare.",
  numbers: {
    scale: {
      min: 0.05,
      max: 1,
      value: 1,
      help: "factor for the durations of outages, deadlines and client pauses",
    },
    groups: { min: 1, max: 256, value: 64, help: "prompts per step, with 8 samples each; 8 in CI" },
  },
  texts: {
    tools: {
      value: "",
      help: "only the tools whose names contain one of these comma-separated words; other cells stay unchanged",
    },
    scenarios: {
      value: "",
      help: `only these of ${Object.keys(SCENARIOS).join(", ")}; other cells stay unchanged. Default: all except ${NAMED_ONLY.join(", ")}`,
    },
    out: { value: "lab/results/trainers.md", file: true, help: "the page with the table; if empty, none is written" },
  },
});

const words = (text: string) => text.split(",").filter((word) => word !== "");
const [wanted, named] = [words(flags.tools), words(flags.scenarios)];
const wholeNames = new Set(TOOLS.map(({ name }) => name));
const fits = (name: string, word: string) => (wholeNames.has(word) ? name === word : name.includes(word));
const tools = TOOLS.filter(({ absent }) => absent !== true).filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => fits(name, word)),
);
const all = Object.keys(SCENARIOS) as Scenario[];
const scenarios = all.filter((scenario) =>
  named.length === 0 ? !NAMED_ONLY.includes(scenario) : named.includes(scenario),
);
const script = await bundleWorker();
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const date = new Date().toISOString().slice(0, 10);
const cells = await runScenarios({
  script,
  tools,
  scenarios,
  scale: flags.scale,
  step_groups: flags.groups,
  note: (line) => console.log(line),
});
const page = flags.out === "" ? null : readFileSync(flags.out, "utf8");
const run = { date, commit, scale: flags.scale };
const table = tableOf(TOOLS, cells, run, page === null ? "" : tableIn(page));
console.log(`\n${table}`);
if (page !== null) writeFileSync(flags.out, withTable(page, table));
process.exit([...cells.values()].some((row) => Object.values(row).some((cell) => cell.startsWith("wrong"))) ? 1 : 0);
