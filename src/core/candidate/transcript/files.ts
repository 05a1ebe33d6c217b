// Blocks for a rollout's files, which count as the policy's own words: the content of a file, or its unified
// diff against the base.
import { LIMITS } from "../../faults/limits.ts";
import { unifiedDiff } from "../../text/line-diff.ts";
import type { Region } from "./view.ts";

interface FileEvidence {
  path: string;
  text: string;
  /** The file's content before the run. */
  base?: string | undefined;
}

/** Work steps per character of a file. */
const STEPS_CHAR = 1 / 64;

/**
 * Returns the blocks of a rollout's files. With `diffs`, files without a base are included as additions. All
 * diffs of a rollout share a budget of steps that grows with the size of the files. Yields the number of work
 * steps it took.
 */
export function* fileRegions(files: readonly FileEvidence[], diffs: boolean): Generator<number, Region[]> {
  const chars = files.reduce((sum, { text, base = "" }) => sum + text.length + base.length, 0);
  const budget = { steps: LIMITS.diff_steps_char * chars };
  const regions: Region[] = [];
  for (const [i, { path, text, base }] of files.entries()) {
    const isShown = base === undefined && !diffs;
    regions.push({
      head: `[FILE_${i + 1} ${/^[\w./@+-]{1,256}$/.test(path) ? path : JSON.stringify(path)}]`,
      text: isShown ? text : yield* unifiedDiff(base ?? "", text, budget),
      isOwn: true,
      is: "files",
    });
    yield Math.ceil(text.length * STEPS_CHAR);
  }
  return regions;
}
