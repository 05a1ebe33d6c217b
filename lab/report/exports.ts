// A report's tables as LaTeX and its charts as SVG files, for papers.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Html } from "../../scripts/build/reference/html.ts";
import { Figure } from "./figure.ts";
import { type Cell, type ReportSection, shownNumber, type Table } from "./page.ts";

const LATEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "{": "\\{",
  "}": "\\}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "–": "--",
  "\u00a0": "~",
};

const latexText = (text: string): string =>
  text.replace(/[\\&%$#_{}~^<>–\u00a0]/g, (character) => LATEX[character] as string);

function latexCell(cell: Cell): string {
  if (typeof cell === "number" || cell === null) return latexText(shownNumber(cell));
  return latexText(cell instanceof Html ? cell.markup.replace(/<[^>]*>/g, "") : cell);
}

const SLUG_CHARS = 40;

/**
 * `Metrics by formulation (95 % intervals)` as `metrics-by-formulation`: of a file, or a label. The
 * words before the first comma, colon or bracket, whole ones as far as they go.
 */
export const slugOf = (title: string): string => {
  const [words = ""] = title.toLowerCase().split(/[,:(]/);
  const slug = words.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  if (slug.length <= SLUG_CHARS) return slug;
  return slug.slice(0, SLUG_CHARS + 1).replace(/-[^-]*$/, "");
};

/** A table environment with booktabs rules; columns of numbers are set right. */
export function latexTable({ caption, columns, rows }: Table): string {
  const isNumber = (at: number) => rows.every((row) => typeof row[at] === "number" || row[at] === null);
  const spec = columns.map((_, at) => (at > 0 && isNumber(at) ? "r" : "l")).join("");
  // After the end of a row a bracket would be taken for its argument.
  const line = (cells: readonly Cell[]) => `${cells.map(latexCell).join(" & ").replace(/^\[/, "{[}")} \\\\`;
  return [
    "% \\usepackage{booktabs}",
    "\\begin{table}",
    "\\centering",
    `\\caption{${latexText(caption)}}`,
    `\\label{tab:${slugOf(caption)}}`,
    `\\begin{tabular}{${spec}}`,
    "\\toprule",
    line(columns),
    "\\midrule",
    ...rows.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

/**
 * Each table as `<caption>.tex` and each chart as `<title>.svg`, by file name; equal ones are
 * numbered.
 */
export function exportsOf(sections: readonly ReportSection[]): Record<string, string> {
  const files: Record<string, string> = {};
  const add = (title: string, kind: string, text: string) => {
    const base = slugOf(title);
    let name = `${base}.${kind}`;
    for (let n = 2; name in files; n++) name = `${base}-${n}.${kind}`;
    files[name] = text;
  };
  for (const part of sections.flatMap(({ content = [] }) => content)) {
    if (part instanceof Figure) add(part.title, "svg", part.standalone);
    else if (!(part instanceof Html)) add(part.caption, "tex", latexTable(part));
  }
  return files;
}

/**
 * Writes the files into `folder`, which is made where it is missing; what else lies there stays.
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Names of the last run's files, a line each. */
const LAST = ".written";

/** The same, in place of those that an earlier run wrote there: its figures would stay beside. */
export function replaceFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const list = join(folder, LAST);
  const before = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
  for (const name of before) if (!(name in files)) rmSync(join(folder, basename(name)), { force: true });
  writeFiles(folder, { ...files, [LAST]: `${Object.keys(files).join("\n")}\n` });
}
