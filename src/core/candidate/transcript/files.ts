// Owns what is shown of a rollout's files: the text, or against a base the unified diff.
import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import type { Region } from "./view.ts";

export interface FileEvidence {
  path: string;
  text: string;
  /** What it was before. */
  base?: string | undefined;
}

/** Lines added and removed beyond which the whole is shown as replaced: finding fewer takes long. */
const EDITS_MAX = 1_000;
const CONTEXT_LINES = 3;

const lines = (text: string, sign: string): string[] =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);

/** The hunks that make `base` into `text`; none where they are equal. Time: lines times edits. */
function hunks(path: string, base: string, text: string): string {
  const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX };
  const patch = structuredPatch(path, path, base, text, undefined, undefined, options);
  if (patch === undefined) return [...lines(base, "-"), ...lines(text, "+")].join("\n");
  return patch.hunks.length === 0 ? "" : formatPatch(patch, OMIT_HEADERS).replace(/\n$/, "");
}

/** The blocks of files; as `diffs` also those without a base, as what is new. */
export const fileRegions = (files: readonly FileEvidence[], diffs: boolean): Region[] =>
  files.map(({ path, text, base }, i) => ({
    head: `[FILE_${i + 1} ${/^[\w./@+-]{1,256}$/.test(path) ? path : JSON.stringify(path)}]`,
    text: base === undefined && !diffs ? text : hunks(path, base ?? "", text),
    own: false,
    is: "files",
  }));
