// Finds real programs and answers on this machine: sources cut into functions, pages cut into sections, rows
// of sets.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { hashText } from "../../src/core/math/random.ts";

/** A shorter text is neither an answer nor a program. */
const CHARS_LEAST = 40;
const CHARS_MOST = 12_000;
/** No author's work counts for more. */
const PIECES_OF_FILE = 12;
/** A program with longer lines was written by a program. */
const LINE_CHARS_MOST = 400;

/** Where a source is cut, by its file's end: before these at a line's start. */
const CUTS: Readonly<Record<string, RegExp>> = {
  ".py": /^(?=(?:async def|def|class|@\w)[ \w])/m,
  ".js": /^(?=(?:export |module\.exports|async function|function|class|const \w+ = (?:async )?\())/m,
  ".md": /^(?=#{1,6} )/m,
  ".rst": /\n{2}(?=\S[^\n]*\n[-=~^]{4})/,
};
const LIKE: Readonly<Record<string, string>> = { ".mjs": ".js", ".cjs": ".js", ".ts": ".js", ".txt": ".rst" };
/** Taken whole. */
const WHOLE: ReadonlySet<string> = new Set([".cpp", ".java", ".c", ".h", ".jsx", ".tsx"]);

const isReal = (text: string): boolean =>
  text.length >= CHARS_LEAST &&
  text.length <= CHARS_MOST &&
  text.split("\n").every((line) => line.length <= LINE_CHARS_MOST || line.includes(". "));

/** All strings in a value of JSON. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The programs and answers in a file, none where it is not of a kind that holds them. */
function piecesOf(path: string): string[] {
  const end = extname(path);
  const cut = CUTS[LIKE[end] ?? end];
  const isRows = end === ".jsonl";
  if (cut === undefined && !isRows && end !== ".json" && !WHOLE.has(end)) return [];
  const text = readFileSync(path, "utf8");
  // A file of another encoding is left out.
  if (text.includes("\ufffd")) return [];
  if (isRows || end === ".json") {
    const rows = isRows ? text.split("\n").filter((line) => line !== "") : [text];
    return rows.flatMap((row) => stringsIn(JSON.parse(row))).filter(isReal);
  }
  const pieces = cut === undefined ? [text] : text.split(cut);
  return pieces
    .map((piece) => piece.trim())
    .filter(isReal)
    .slice(0, PIECES_OF_FILE);
}

/** Files of a folder whose strings are programs and answers; elsewhere JSON is settings. */
const HOLDS_JSON = /^(?:sets|problems)(?:\/|$)/;

/** The texts of one folder, in an order that depends on the names alone. */
function* realTextsIn(folder: string): Generator<string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const inOrder = names
    .map((name) => [hashText(name.slice(folder.length)).join(), name] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, name] of inOrder) {
    if (!/\.jsonl?$/.test(name) || HOLDS_JSON.test(folder)) yield* piecesOf(name);
  }
}

/** Python's own library and what is installed beside it; null without Python. */
export function pythonFolder(): string | null {
  const asked = spawnSync("python3", ["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
  return asked.status === 0 ? asked.stdout.toString().trim() : null;
}

/**
 * Different real texts, by turns of each folder while it has some.
 * @param limit the largest number
 */
export function realTexts(folders: readonly string[], limit: number): string[] {
  const open = new Set(folders.map((folder) => realTextsIn(folder)));
  const texts = new Set<string>();
  while (open.size > 0 && texts.size < limit) {
    for (const folder of open) {
      const { value, done } = folder.next();
      if (done === true) open.delete(folder);
      else if (texts.size < limit) texts.add(value);
    }
  }
  return [...texts];
}
