// Guarantees that docs/invariants.md points at files and tests that are there, and that each invariant
// stands, word for word, in the header of the test that holds it.
import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url).pathname;
const textOf = (path: string) => readFileSync(ROOT + path, "utf8");
const rows = textOf("docs/invariants.md")
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The paths between backticks: those of tests from the root, all others below src. */
const pathsOf = (cell: string) =>
  [...cell.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.ts|test\/[\w/-]+)`/g)].map(([, path]) => path as string);

/** The comment with which a file begins, as one line. */
function headerOf(path: string): string {
  const [header = ""] = /^(?:\/\/.*\n)*/.exec(textOf(path)) ?? [];
  return header.replace(/^\/\/ ?/gm, "").replace(/\s+/g, " ");
}

test.each(rows)("%s%s: %s", (_, number = "", sentence, asserted = "", tested = "") => {
  const missing = [
    ...pathsOf(asserted).filter((path) => !existsSync(`${ROOT}src/${path}`)),
    ...pathsOf(tested).filter((path) => !existsSync(`${ROOT}${path}`)),
  ];
  expect(missing).toEqual([]);
  const [holder = ""] = pathsOf(tested);
  expect(headerOf(holder)).toContain(`Invariant ${number}: ${sentence}`);
  const texts = pathsOf(tested)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => textOf(path));
  for (const [, title] of tested.matchAll(/"([^"]+)"/g)) {
    expect(
      texts.some((text) => text.includes(title as string)),
      title,
    ).toBe(true);
  }
});

test("no test's header names an invariant that the page does not have", () => {
  const named = globSync("test/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] }).flatMap((path) =>
    [...headerOf(path).matchAll(/\bInvariant (\d+):/g)].map(([, number]) => `${path} ${number}`),
  );
  expect(named.sort()).toEqual(rows.map(([, number, , , tested = ""]) => `${pathsOf(tested)[0]} ${number}`).sort());
});
