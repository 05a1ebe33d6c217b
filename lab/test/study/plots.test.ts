// Guarantees that the plots of lab/results are those of the tables there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plots } from "../../study/plots.ts";

const RESULTS = join(import.meta.dirname, "../../results");
const read = (path: string) => readFileSync(join(RESULTS, path), "utf8");

it("stored plots match their tables (regenerate: npm run lab -- study --plots)", () => {
  const files = plots(read);
  expect(Object.keys(files)).toHaveLength(3);
  for (const [path, text] of Object.entries(files)) expect(read(path) === text, path).toBe(true);
});

it("a table that lacks a column is not drawn", () => {
  expect(() => plots((path) => (path === "early.md" ? "| K |\n|---|\n" : read(path)))).toThrow("no table of K, spread");
});
