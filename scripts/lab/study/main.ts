// Owns `npm run study`: every schedule, vote and score over the same lists against a simulated
// verifier, and the report.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { commit } from "../../stack/commit.ts";
import { type Cell, cellsOf, NOISES, type StudyPlan } from "./cells.ts";
import { charts, studyPage } from "./report.ts";

const USAGE = `npm run study -- [--set DIR] [--quick] [--out FILE]

  --set DIR    a set's folder, of which candidates.jsonl is read (sets/small)
  --quick      few lists and sizes: a look in under two minutes
  --out FILE   the report, Markdown; its charts go to a folder of its name beside it (docs/results/schedules.md)`;

function flags(): { set: string; quick: boolean; out: string } {
  try {
    const { values } = parseArgs({
      options: {
        set: { type: "string", default: "sets/small" },
        quick: { type: "boolean", default: false },
        out: { type: "string", default: "docs/results/schedules.md" },
        help: { type: "boolean", default: false },
      },
    });
    if (!values.help) return values;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`kritai study: ${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const { set, quick, out } = flags();
const plan: StudyPlan = quick
  ? { set, sizes: [4, 16], draws: 1, noises: ["usual"], styles: ["direct", "thinking"] }
  : { set, sizes: [4, 8, 16, 32], draws: 2, noises: Object.keys(NOISES), styles: ["direct", "thinking"] };

const cells: Cell[] = [];
for (const cell of cellsOf(plan)) {
  if (cell.way.reference) {
    console.log(
      `${cell.level}, ${cell.style}, n = ${cell.n}, ${cell.noise}: ${cell.lists} lists, tau-b ${cell.tau.mean?.toFixed(3)}`,
    );
  }
  cells.push(cell);
}
const folder = basename(out, ".md");
mkdirSync(join(dirname(out), folder), { recursive: true });
for (const [name, svg] of Object.entries(charts(cells))) writeFileSync(join(dirname(out), folder, name), svg);
const command = `npm run study -- --set ${set}${quick ? " --quick" : ""}`;
writeFileSync(out, studyPage(`\`${command}\` at ${commit()}.`, cells, folder));
console.log(`wrote ${out} and ${Object.keys(charts(cells)).length} charts beside it`);
