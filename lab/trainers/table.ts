// The trainers' table as Markdown, and its place between two markers of a page: a run replaces the cells that
// it has.
import { type Cells, NAMED_ONLY, SCENARIOS, type Scenario } from "./scenarios.ts";
import type { Tool } from "./tool.ts";

const BEGIN = "<!-- npm run lab -- trainers: begins -->";
const END = "<!-- npm run lab -- trainers: ends -->";
const IN_PART = "; in part ";
const NAMES = Object.keys(SCENARIOS) as Scenario[];
/** Columns before the scenarios': tool, version. */
const BEFORE = 2;

const row = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
const partsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((part) => part.trim());

/** When, at which commit and with which times a tool's cells were made. */
export interface Run {
  date: string;
  commit: string;
  scale: number;
}

/** The rows of the tools; a cell that this run has not is the earlier table's. */
export function tableOf(tools: readonly Tool[], cells: Cells, { date, commit, scale }: Run, earlier = ""): string {
  const lines = earlier.split("\n").filter((line) => line.startsWith("| "));
  // By the earlier table's own columns: it may lack one.
  const columns = partsOf(lines[0] ?? "");
  const before = new Map(lines.map((line) => [partsOf(line)[0], partsOf(line)]));
  const made = `${date}, ${commit}${scale === 1 ? "" : `, scale ${scale}`}`;
  const rows = tools.map(({ name, version }) => {
    const [now, old] = [cells.get(name), before.get(name) ?? []];
    const scenarioCells = NAMES.map(
      (scenario) => now?.[scenario] ?? old[columns.indexOf(SCENARIOS[scenario])] ?? "not run",
    );
    return row([
      name,
      version,
      ...scenarioCells,
      now === undefined ? (old.at(-1) ?? "") : madeOf(now, old.at(-1) ?? "", made),
    ]);
  });
  const head = row(["tool", "version", ...Object.values(SCENARIOS), "last run, commit"]);
  return [head, `|${"---|".repeat(NAMES.length + BEFORE + 1)}`, ...rows].join("\n");
}

/** For a row whose other cells stay: the run that they are of, and this one. */
function madeOf(now: Partial<Record<Scenario, string>>, before: string, made: string): string {
  const [whole] = before.split(IN_PART);
  const usual = NAMES.filter((name) => !NAMED_ONLY.includes(name));
  return whole === "" || whole === made || usual.every((name) => now[name] !== undefined)
    ? made
    : `${whole}${IN_PART}${made}`;
}

/** The table between the page's markers. @throws Error when it has none */
export function tableIn(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page does not contain ${BEGIN} or ${END}`);
  return page.slice(from + BEGIN.length, to).trim();
}

/** The page with the table between its markers. @throws Error when it has none */
export function withTable(page: string, table: string): string {
  tableIn(page);
  return `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${table}\n\n${page.slice(page.indexOf(END))}`;
}
