// JSON lines on disk: reading row by row with malformed rows counted and named, writing with a running hash.
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, renameSync, type WriteStream } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type * as z from "zod";

/** One row may hold a problem with all its tests. */
const LINE_CHARS_MAX = 256 * 1024 * 1024;
/** Malformed rows that are named; the rest is only counted. */
const NAMED_MAX = 10;

/** How a line's text becomes a value. */
type Parse = (text: string) => unknown;

/** Rows left out while reading, by reason, with the first few places. */
export class Omissions {
  readonly counts: Record<string, number> = {};
  readonly named: string[] = [];

  add(reason: string, where: string): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    if (this.named.length < NAMED_MAX) this.named.push(`${where}: ${reason}`);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Lines for people; empty when nothing was left out. */
  report(): string[] {
    if (this.total === 0) return [];
    const counts = Object.entries(this.counts).map(([reason, count]) => `${count} ${reason}`);
    const more = this.total - this.named.length;
    return [
      `excluded ${this.total}: ${counts.join(", ")}`,
      ...this.named.map((line) => `  ${line}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ];
  }
}

/**
 * A file's lines; null for one over the limit, which is not kept. Rejects when the file cannot be
 * read or unpacked.
 */
async function* linesOf(path: string): AsyncGenerator<string | null> {
  const file = createReadStream(path);
  // The pipeline hands the file's error on to the reader below, which is who learns of it.
  const input: Readable = path.endsWith(".gz") ? pipeline(file, createGunzip(), () => {}) : file;
  input.setEncoding("utf8");
  let parts: string[] = [];
  let length = 0;
  const taken = (): string | null => {
    const line = length > LINE_CHARS_MAX ? null : parts.join("");
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input as AsyncIterable<string>) {
    for (const [index, part] of chunk.split("\n").entries()) {
      if (index > 0) yield taken();
      length += part.length;
      if (length <= LINE_CHARS_MAX) parts.push(part);
    }
  }
  yield taken();
}

/**
 * The rows of a .jsonl or .jsonl.gz file that fit the schema, one at a time and in order; blank lines are
 * skipped. A row that is not JSON or does not fit is counted in `omissions` under `malformed row`, with its
 * line number and first fault. Rejects when the file cannot be read.
 */
export async function* readJsonl<T>(
  path: string,
  schema: z.ZodType<T>,
  omissions: Omissions,
  parse: Parse = JSON.parse,
): AsyncGenerator<T> {
  let line = 0;
  for await (const text of linesOf(path)) {
    line++;
    if (text?.trim() === "") continue;
    const parsed = parseRow(text, schema, parse);
    if ("row" in parsed) yield parsed.row;
    else omissions.add("malformed row", `${path}:${line} (${parsed.message})`);
  }
}

function parseRow<T>(text: string | null, schema: z.ZodType<T>, parse: Parse): { row: T } | { message: string } {
  if (text === null) return { message: `longer than the limit of ${LINE_CHARS_MAX} characters per line` };
  try {
    const parsed = schema.safeParse(parse(text));
    if (parsed.success) return { row: parsed.data };
    const { path, message } = deepestFault(parsed.error.issues[0] as z.core.$ZodIssue);
    return { message: `${path.join(".") || "row"}: ${message}` };
  } catch {
    return { message: "not JSON" };
  }
}

/**
 * For a value that fits none of several shapes the fault that one of them found deepest inside it: it came
 * nearest to that shape.
 */
function deepestFault(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  const inner = issue.code === "invalid_union" ? issue.errors.flat().map(deepestFault) : [];
  const deepest = inner.reduce<{ path: PropertyKey[]; message: string } | null>(
    (best, fault) => (best === null || fault.path.length > best.path.length ? fault : best),
    null,
  );
  return deepest === null ? issue : { path: [...issue.path, ...deepest.path], message: deepest.message };
}

/** Every row of a file; throws when one is malformed, for files that this tool wrote itself. */
export async function readAllJsonl<T>(path: string, schema: z.ZodType<T>, parse: Parse = JSON.parse): Promise<T[]> {
  const omissions = new Omissions();
  const rows: T[] = [];
  for await (const row of readJsonl(path, schema, omissions, parse)) rows.push(row);
  if (omissions.total > 0) throw new Error(omissions.named[0]);
  return rows;
}

/**
 * Writes rows as they come and knows the file's hash and length at its end. The file takes its name
 * only then, so that a killed run leaves the one that was there.
 */
export class JsonlWriter {
  readonly #path: string;
  readonly #stream: WriteStream;
  readonly #hash: Hash = createHash("sha256");
  #rows = 0;

  constructor(path: string) {
    this.#path = path;
    this.#stream = createWriteStream(`${path}.part`);
  }

  async write(row: unknown): Promise<void> {
    const line = `${JSON.stringify(row)}\n`;
    this.#hash.update(line);
    this.#rows++;
    if (!this.#stream.write(line)) await once(this.#stream, "drain");
  }

  /** Rejects when the file could not be written. */
  async close(): Promise<{ sha256: string; rows: number }> {
    this.#stream.end();
    await finished(this.#stream);
    renameSync(`${this.#path}.part`, this.#path);
    return { sha256: this.#hash.digest("hex"), rows: this.#rows };
  }
}

/** Writes a whole file of rows. */
export async function writeJsonl(path: string, rows: Iterable<unknown>): Promise<{ sha256: string; rows: number }> {
  const writer = new JsonlWriter(path);
  for (const row of rows) await writer.write(row);
  return writer.close();
}
