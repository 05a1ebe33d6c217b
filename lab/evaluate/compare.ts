// Puts several runs, and figures from elsewhere, on one front.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../scripts/command-line/out-folder.ts";
import { replaceFiles } from "../report/exports.ts";
import { type Point, PointsFileSchema } from "./pareto.ts";
import { compareReports } from "./report.ts";
import { type Summary, SummarySchema } from "./summary.ts";
import { type Difference, differencesOf, type Pair, pairedTables } from "./tables.ts";

/** @throws Error that names the file and the field */
export function readPoints(path: string): Point[] {
  const parsed = PointsFileSchema.safeParse(readJson(path, "--points "));
  if (parsed.success) return parsed.data.points;
  const issue = parsed.error.issues[0];
  throw new Error(`--points ${path}: ${issue?.path.join(".")}: ${issue?.message}`);
}

function readJson(path: string, flag = ""): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${flag}${path}: ${(error as Error).message}`);
  }
}

function readSummary(folder: string): Summary {
  const path = join(folder, "summary.json");
  if (!existsSync(path))
    throw new Error(`${folder} contains no evaluation: pass --compare the --out folders of earlier runs`);
  const parsed = SummarySchema.safeParse(readJson(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(`${path} is not a kritai-evaluation/1 summary: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** Every row of the runs after the first against the first run's row that was asked alike. */
function pairsOf([first, ...others]: readonly Summary[]): Pair[] {
  return others.flatMap(({ name, cells }) =>
    cells.flatMap((row) => {
      const other = first?.cells.find(({ cell }) => cell === row.cell);
      return other === undefined
        ? []
        : [{ label: `${name} ${row.cell}`, against: `${first?.name} ${other.cell}`, row, other }];
    }),
  );
}

/**
 * Writes compare.json, compare.md and compare.html into `out`.
 * @throws Error when the runs are of different sets or splits
 */
export function compareRuns(
  folders: readonly string[],
  out: string,
  pointsFile: string | null,
): { points: Point[]; differences: Difference[] } {
  const summaries = folders.map(readSummary);
  const parts = new Set(
    summaries.map(
      ({ set }) => `${set.name} (manifest ${set.sha256.slice(0, 12)}), split ${set.split}, ${set.lists} lists`,
    ),
  );
  if (parts.size > 1)
    throw new Error(`the runs evaluated different lists and cannot be compared: ${[...parts].join("; ")}`);
  // Other runs' --points would come once for each run that was given them.
  const runPoints = summaries.flatMap(({ name, cells, points }) => {
    const names = new Set(cells.map(({ cell }) => `${name} ${cell}`));
    return points.filter((point) => names.has(point.name));
  });
  const points = [...runPoints, ...(pointsFile === null ? [] : readPoints(pointsFile))];
  const facts = [["Set", [...parts][0] as string], ...summaries.map(({ name, target }) => [name, target])] as [
    string,
    string,
  ][];
  const [first] = summaries;
  const differences = first === undefined ? [] : differencesOf(pairsOf(summaries), first.settings);
  const chance = first?.set.chance_list_acc ?? null;
  const { html, markdown, files } = compareReports(points, facts, chance, pairedTables(differences));
  makeFolder("--out", out, ["compare.json", "compare.md", "compare.html"]);
  const comparison = { format: "kritai-comparison/1", points, differences };
  writeFileSync(join(out, "compare.json"), `${JSON.stringify(comparison, null, 2)}\n`);
  writeFileSync(join(out, "compare.md"), markdown);
  writeFileSync(join(out, "compare.html"), html);
  replaceFiles(join(out, "export"), files);
  return { points, differences };
}
