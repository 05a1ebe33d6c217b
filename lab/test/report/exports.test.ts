// A report's tables as LaTeX and charts as SVG files: whole, escaped, each under a separate name.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Window } from "happy-dom";
import { expect, it } from "vitest";
import { barChart, scatterChart } from "../../report/charts.ts";
import { exportsOf, latexTable, replaceFiles } from "../../report/exports.ts";

const table = {
  caption: "A & B, 95 %",
  columns: ["way_1", "n"],
  rows: [
    ["50 % of {x}", 1234.5],
    ["–", null],
    ["[1]", 0],
  ],
};

it("writes a table as LaTeX that compiles: escaped, with rules, numbers to the right", () => {
  expect(latexTable(table).split("\n")).toEqual([
    "% \\usepackage{booktabs}",
    "\\begin{table}",
    "\\centering",
    "\\caption{A \\& B, 95 \\%}",
    "\\label{tab:a-b}",
    "\\begin{tabular}{lr}",
    "\\toprule",
    "way\\_1 & n \\\\",
    "\\midrule",
    "50 \\% of \\{x\\} & 1,235 \\\\",
    "-- & -- \\\\",
    "{[}1] & 0 \\\\",
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ]);
});

it("gives every table and chart a file, and equal titles different names", () => {
  const bars = barChart({ title: "Bars", value: { label: "ms" }, bars: [{ name: "a", value: 1 }] });
  const files = exportsOf([
    { title: "One", content: [table, bars] },
    { title: "Two", content: [bars, table] },
  ]);
  expect(Object.keys(files)).toEqual(["a-b.tex", "bars.svg", "bars-2.svg", "a-b-2.tex"]);
});

it("draws a chart's file with its title and its legend, escaped, as one SVG that needs nothing else", () => {
  const axis = { label: "x", log: false };
  const series = ["<b>", "hard"].map((name) => ({ name, points: [{ x: 1, y: 2 }] }));
  const [svg = ""] = Object.values(
    exportsOf([{ title: "t", content: [scatterChart({ title: "T & T", x: axis, y: axis, series })] }]),
  );
  const { document } = new Window();
  document.body.innerHTML = svg;
  const root = document.querySelector("svg");
  expect(root?.getAttribute("xmlns")).toBe("http://www.w3.org/2000/svg");
  const texts = [...document.querySelectorAll("svg text")].map((text) => text.textContent);
  expect(texts).toEqual(expect.arrayContaining(["T & T", "<b>", "hard"]));
  expect(svg).not.toMatch(/href=|url\(|<b>/);
});

it("takes an earlier run's figures away, and nothing that it did not write", () => {
  const folder = mkdtempSync(join(tmpdir(), "kritai-exports-"));
  try {
    writeFileSync(join(folder, "mine.svg"), "");
    replaceFiles(folder, { "at-10-s.svg": "", "cost.tex": "" });
    replaceFiles(folder, { "at-3-s.svg": "", "cost.tex": "" });
    expect(readdirSync(folder).sort()).toEqual([".written", "at-3-s.svg", "cost.tex", "mine.svg"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
