// Owns the guarantee that docs/invariants.md points at files and tests that are there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url).pathname;
const rows = readFileSync(`${ROOT}docs/invariants.md`, "utf8")
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The paths between backticks: those of tests from the root, all others below src. */
const pathsOf = (cell: string) =>
  [...cell.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.ts|test\/[\w/-]+)`/g)].map(([, path]) => path as string);

test.each(rows)("%s%s: %s", (_, number, __, asserted = "", tested = "") => {
  const missing = [
    ...pathsOf(asserted).filter((path) => !existsSync(`${ROOT}src/${path}`)),
    ...pathsOf(tested).filter((path) => !existsSync(`${ROOT}${path}`)),
  ];
  expect(missing).toEqual([]);
  expect(pathsOf(tested), `row ${number} names its tests`).not.toEqual([]);
  const texts = pathsOf(tested)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(`${ROOT}${path}`, "utf8"));
  for (const [, title] of tested.matchAll(/"([^"]+)"/g)) {
    expect(
      texts.some((text) => text.includes(title as string)),
      title,
    ).toBe(true);
  }
});
