// Reads docs/errors.jsonl, one error code per line with cause and remedy, for the OpenAPI document and a
// Markdown page. Fails if the lines and the tables of codes disagree.
import { readFileSync } from "node:fs";
import { ITEM_ERRORS, REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";

interface ErrorLine {
  code: string;
  cause: string;
  remedy: string;
}

export interface ErrorEntry extends ErrorLine {
  kind: "request" | "item" | "warning";
  status: number | null;
  title: string;
  retryable: boolean | null;
}

const FILE = new URL("../../../docs/errors.jsonl", import.meta.url);

function entry(line: ErrorLine): ErrorEntry {
  const { code } = line;
  if (code in REQUEST_ERRORS) {
    return { kind: "request", ...line, ...REQUEST_ERRORS[code as keyof typeof REQUEST_ERRORS] };
  }
  const item = (ITEM_ERRORS as Record<string, string>)[code];
  return { kind: item === undefined ? "warning" : "item", ...line, status: null, title: item ?? code, retryable: null };
}

/** Every code in the order of the page. Throws if a code of the tables has no line or two lines. */
export function errorEntries(): ErrorEntry[] {
  const lines = readFileSync(FILE, "utf8").trim().split("\n");
  const entries = lines.map((line) => entry(JSON.parse(line) as ErrorLine));
  const codes = entries.map(({ code }) => code);
  const missing = [...Object.keys(REQUEST_ERRORS), ...Object.keys(ITEM_ERRORS)].filter((code) => !codes.includes(code));
  if (missing.length > 0) throw new Error(`docs/errors.jsonl has no line for: ${missing.join(", ")}`);
  const twice = codes.filter((code, i) => codes.indexOf(code) !== i);
  if (twice.length > 0) throw new Error(`docs/errors.jsonl has two lines for: ${twice.join(", ")}`);
  return entries;
}

const INTRODUCTIONS: Record<ErrorEntry["kind"], string> = {
  request:
    "A rejected request returns an RFC 9457 problem document: `type`, `title`, `status`, `detail`, `code`, `request_id`, `retryable`, and `errors: [{path, message}]`. `type` is the URL of the code's heading on the same server.",
  item: "Failures never become rewards. If a reward is `null`, `rollouts[].error` is one of these codes, and `rollouts[].retryable` says whether the same request may produce the reward later.",
  warning: "Warnings are in `warnings` of a reply, or in the header `X-Kritai-Warnings`. The rewards are valid.",
};
const TITLES = { request: "Errors", item: "Codes inside a reply", warning: "Warnings inside a reply" };

/** The page in Markdown: a heading per code, with its cause and remedy. */
export function errorsPage(): string {
  const entries = errorEntries();
  return (["request", "item", "warning"] as const)
    .map((kind) => {
      const kindEntries = entries.filter((entry) => entry.kind === kind);
      const sections = kindEntries.map(
        ({ code, cause, remedy }) => `## ${code}\n\n**Cause.** ${cause}\n\n**Remedy.** ${remedy}\n`,
      );
      return `# ${TITLES[kind]}\n\n${INTRODUCTIONS[kind]}\n\n${sections.join("\n")}`;
    })
    .join("\n");
}
