// Owns reading docs/errors.md: one heading per code, with its cause and remedy. Fails when page and
// tables disagree.
import { ITEM_ERRORS, REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";

export interface ErrorEntry {
  kind: "request" | "item" | "warning";
  code: string;
  status: number | null;
  title: string;
  retryable: boolean | null;
  cause: string;
  remedy: string;
}

function paragraph(body: string, label: "Cause" | "Remedy", code: string): string {
  const found = new RegExp(`^\\*\\*${label}\\.\\*\\* (.+)$`, "m").exec(body)?.[1];
  if (found === undefined) throw new Error(`docs/errors.md: "## ${code}" has no "**${label}.**" line`);
  return found;
}

function entry(code: string, body: string): ErrorEntry {
  const texts = { cause: paragraph(body, "Cause", code), remedy: paragraph(body, "Remedy", code) };
  if (code in REQUEST_ERRORS) {
    return { kind: "request", code, ...REQUEST_ERRORS[code as keyof typeof REQUEST_ERRORS], ...texts };
  }
  const item = (ITEM_ERRORS as Record<string, string>)[code];
  const kind = item === undefined ? "warning" : "item";
  return { kind, code, status: null, title: item ?? code, retryable: null, ...texts };
}

/** The page's headings in order. Throws when a code of the tables has none. */
export function readErrorPage(markdown: string): ErrorEntry[] {
  const sections = markdown.split(/^## /m).slice(1);
  const entries = sections.map((section) => {
    const [heading = "", ...body] = section.split("\n");
    return entry(heading.trim(), body.join("\n"));
  });
  const known = new Set(entries.map((e) => e.code));
  const missing = [...Object.keys(REQUEST_ERRORS), ...Object.keys(ITEM_ERRORS)].filter((code) => !known.has(code));
  if (missing.length > 0) throw new Error(`docs/errors.md has no heading for: ${missing.join(", ")}`);
  return entries;
}
