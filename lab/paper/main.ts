// `npm run lab -- paper`: the Aletheia paper's figures that can be computed again, beside what the paper or
// its release says, where the two differ, and what needs what is not here.
import { basename, dirname } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { writeFiles } from "../report/exports.ts";
import type { Table } from "../report/page.ts";
import { markdownTable } from "../report/parts.ts";
import { agrees, FIGURES, type Figure, NOT_COMPUTED } from "./figures.ts";

const { out } = commandFlags({
  command: "paper",
  call: "npm run lab -- paper",
  description:
    "Recomputes the Aletheia paper's figures that need no models and compares them with the printed ones. Exits 1 if one differs for no known reason.",
  texts: { out: { value: "dist/paper.md", file: true, help: "the Markdown report" } },
});

const shown = (value: number | null, digits: number) =>
  value === null ? "–" : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
const row = (figure: Figure) => [
  figure.where,
  figure.description,
  shown(figure.printed, figure.digits),
  shown(figure.computed, figure.digits),
];
const known = FIGURES.filter(({ unlike }) => unlike !== undefined);
const unexplained = FIGURES.filter((figure) => figure.unlike === undefined && !agrees(figure));
const tables: Table[] = [
  {
    caption: "Figures that differ, and why",
    columns: ["source", "figure", "printed", "computed", "reason"],
    rows: known.map((figure) => [...row(figure), figure.unlike ?? ""]),
  },
  {
    caption: "Recomputed figures",
    columns: ["source", "figure", "printed", "computed"],
    rows: FIGURES.filter(({ unlike }) => unlike === undefined).map(row),
  },
  {
    caption: "Figures not computed here",
    columns: ["table", "reason", "requirements"],
    rows: NOT_COMPUTED.map(({ table, why, command }) => [table, why, command]),
  },
];
const same = FIGURES.length - known.length - unexplained.length;
const headline = `${same} figures of the Aletheia paper (arXiv 2601.12186) or its release are reproduced; ${known.length} differ for a reason given below, ${unexplained.length} for no known reason.`;
const text = [headline, ...tables.map((table) => `## ${table.caption}\n\n${markdownTable(table)}`)].join("\n\n");
console.log(text);
writeFiles(dirname(out), { [basename(out)]: `# The Aletheia paper, recomputed\n\n${text}\n` });
console.log(`\nwrote ${out}`);
process.exitCode = unexplained.length === 0 ? 0 : 1;
