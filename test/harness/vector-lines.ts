// Reads vectors that hold one case a line.
import { readFileSync } from "node:fs";

/** The cases of a `.jsonl` file in `test/vectors`. */
export const lines = <T>(file: string): T[] =>
  readFileSync(new URL(`../vectors/${file}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
