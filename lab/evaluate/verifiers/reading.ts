// Reads a benchmark's files: JSON lines, gzipped or not, or one JSON list.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { hashText } from "../../../src/core/math/random.ts";
import { Omissions, readJsonl } from "../../testbed/format/jsonl.ts";
import type { Benchmark, ReadItems } from "./items/benchmark.ts";

interface RowAt {
  row: unknown;
  where: string;
}

/** At most `limit` rows, drawn by a hash of their places: a smaller draw is part of a larger one. */
function drawn(rows: RowAt[], limit: number | null): RowAt[] {
  if (limit === null || limit >= rows.length) return rows;
  const rank = new Map(rows.map((row) => [row, hashText("limit", row.where)[0]] as const));
  const chosen = new Set(rows.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0)).slice(0, limit));
  return rows.filter((row) => chosen.has(row));
}

async function rowsOf(path: string, { row: schema }: Benchmark, omissions: Omissions): Promise<RowAt[]> {
  const name = basename(path).replace(/\.(jsonl|json)(\.gz)?$/, "");
  const at = (row: unknown, i: number) => ({ row, where: `${name}:${i + 1}` });
  if (!path.endsWith(".json")) {
    const rows: unknown[] = [];
    for await (const row of readJsonl(path, schema, omissions)) rows.push(row);
    return rows.map(at);
  }
  const all: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(all))
    throw new Error(`--rows ${path}: a .json file must contain one list; name JSON Lines files .jsonl`);
  return all.flatMap((value, i) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return [at(parsed.data, i)];
    const issue = parsed.error.issues[0];
    omissions.add("malformed row", `${path}:${i + 1} (${issue?.path.join(".")}: ${issue?.message})`);
    return [];
  });
}

export interface ReadFiles extends ReadItems {
  omissions: Omissions;
  /** SHA-256 of all files' bytes, in order. */
  sha256: string;
}

/** @throws Error that names the file, and where no row is left the first faults */
export async function readFiles(paths: readonly string[], layout: Benchmark, limit: number | null): Promise<ReadFiles> {
  const omissions = new Omissions();
  const hash = createHash("sha256");
  const rows: RowAt[] = [];
  for (const path of paths) {
    if (!existsSync(path)) throw new Error(`--rows ${path}: no such file`);
    hash.update(readFileSync(path));
    rows.push(...(await rowsOf(path, layout, omissions)));
  }
  const read = layout.read(drawn(rows, limit), omissions);
  if (read.items.length === 0) throw new Error(`no usable rows\n${omissions.report().join("\n")}`);
  return { ...read, omissions, sha256: hash.digest("hex") };
}
