// Reads a set from its folder: hashes checked, rows checked, the evaluated part chosen. The format is
// set-format.ts.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { hashText } from "../../src/core/math/random.ts";
import {
  type AdversarialList,
  AdversarialListSchema,
  type SetList,
  SetListSchema,
  type SetManifest,
  SetManifestSchema,
  type SPLITS,
} from "../testbed/format/set-format.ts";

export interface EvaluationSet {
  manifest: SetManifest;
  /** SHA-256 of manifest.json, which holds the hashes of the rest. */
  sha256: string;
  lists: readonly SetList[];
  adversarial: readonly AdversarialList[];
}

export interface Selection {
  split: (typeof SPLITS)[number] | "all";
  /** Most lists, drawn by a hash of their ids; null = all. */
  limit: number | null;
  adversarial: "kept" | "all" | "none";
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** @throws Error that names the file, the row and the field at fault */
export function readSet(folder: string, selection: Selection): EvaluationSet {
  const path = join(folder, "manifest.json");
  if (!existsSync(path)) throw new Error(`--set ${folder}: no manifest.json; build a set with npm run lab -- testbed`);
  const bytes = readFileSync(path);
  const manifest = checked(path, SetManifestSchema, parseJson(path, bytes.toString()));
  const rows = <T extends { list_id: string }>(name: string, schema: z.ZodType<T>): T[] =>
    readRows(folder, manifest, name, schema);
  const lists = rows("lists.jsonl", SetListSchema);
  const adversarial =
    selection.adversarial === "none" || manifest.files["adversarial.jsonl"] === undefined
      ? []
      : rows("adversarial.jsonl", AdversarialListSchema);
  assertUnique(folder, [...lists, ...adversarial]);
  const chosen = choose(lists, selection);
  if (chosen.length === 0) throw new Error(`--set ${folder}: no list matches --split ${selection.split}`);
  const ids = new Set(chosen.map(({ list_id }) => list_id));
  return {
    manifest,
    sha256: sha256(bytes),
    lists: chosen,
    adversarial: adversarial.filter(
      ({ base_list_id, kept: isKept }) => ids.has(base_list_id) && (isKept || selection.adversarial === "all"),
    ),
  };
}

/**
 * The split's lists in the set's order; a limit draws by hash, so that a smaller draw is part of
 * every larger one.
 */
function choose(lists: readonly SetList[], { split, limit }: Selection): SetList[] {
  const inSplit = lists.filter((list) => split === "all" || list.split === split);
  if (limit === null || limit >= inSplit.length) return inSplit;
  const rank = new Map(inSplit.map(({ list_id }) => [list_id, hashText("limit", list_id)[0]] as const));
  const drawn = new Set(
    [...rank]
      .sort(([, a], [, b]) => a - b)
      .slice(0, limit)
      .map(([id]) => id),
  );
  return inSplit.filter(({ list_id }) => drawn.has(list_id));
}

function readRows<T>(folder: string, manifest: SetManifest, name: string, schema: z.ZodType<T>): T[] {
  const path = join(folder, name);
  const promised = manifest.files[name];
  if (promised === undefined) throw new Error(`${folder}/manifest.json does not list ${name}`);
  const bytes = readFileSync(path);
  if (sha256(bytes) !== promised.sha256) {
    throw new Error(`${path} does not match manifest.json (SHA-256 differs); rebuild the set: ${manifest.command}`);
  }
  const lines = bytes
    .toString()
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length !== promised.rows)
    throw new Error(`${path} has ${lines.length} rows, manifest.json says ${promised.rows}`);
  return lines.map((line, i) => checked(`${path}:${i + 1}`, schema, parseJson(`${path}:${i + 1}`, line)));
}

function parseJson(where: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${where}: not valid JSON`);
  }
}

function checked<T>(where: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "row"}: ${message}`);
  throw new Error(`${where}: ${faults.join("; ")}`);
}

function assertUnique(folder: string, rows: readonly { list_id: string }[]): void {
  const seen = new Set<string>();
  for (const { list_id } of rows) {
    if (seen.has(list_id)) throw new Error(`--set ${folder}: two rows have the list_id ${JSON.stringify(list_id)}`);
    seen.add(list_id);
  }
}
