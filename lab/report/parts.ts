// A report's parts as they go into both formats: sections of the page, and Markdown.
import type { Html } from "../../scripts/build/reference/html.ts";
import { type ReportSection, shownNumber, type Table } from "./page.ts";

/** One part of a report, for both formats. */
export interface Part {
  title: string;
  lead: string;
  tables: readonly Table[];
  charts: readonly Html[];
}

export const sections = (parts: readonly Part[]): ReportSection[] =>
  parts.map(({ title, lead, tables, charts }) => ({ title, lead, content: [...tables, ...charts] }));

/** The same report as Markdown: charts are left out, and the facts come last. */
export function markdown(title: string, headline: string, facts: readonly string[], parts: readonly Part[]): string {
  const blocks = parts.flatMap(({ title: heading, lead, tables }) => [
    `## ${heading}`,
    ...(lead === "" ? [] : [lead]),
    ...tables.flatMap((table) => [`${table.caption}:`, markdownTable(table)]),
  ]);
  const closing = ["## About this run", facts.join("\n")];
  return `${[`# ${title}`, `**${headline}**`, ...blocks, ...closing].join("\n\n")}\n`;
}

/** A verifier's text stays text: it ends no cell, and makes no markup, link or picture. */
const markdownText = (text: string): string =>
  text
    .replace(/[\\`|]/g, "\\$&")
    .replaceAll("](", "]\\(")
    .replaceAll("<", "&lt;");

/** One table, as a command prints it too. */
export function markdownTable({ columns, rows }: Table): string {
  const text = (cell: Table["rows"][number][number]) =>
    typeof cell === "number" || cell === null ? shownNumber(cell) : markdownText(String(cell));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map((row) => line(row.map(text)))].join("\n");
}
