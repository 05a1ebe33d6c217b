// Renders texts in another judge's format by each preset, and reports which parts reach the judge as they
// were written and which the escape breaks.
import { presetNamed } from "../../src/core/judges/presets/table.ts";
import { createRenderer, shownBy } from "../../src/core/judges/render.ts";
import { askedOfChatModels, promptOf } from "../templates/index.ts";
import { FOREIGN_PARTS } from "./material/foreign-parts.ts";

export interface ForeignReport {
  preset: string;
  /** Parts whose lines are all in the prompt as they were written. */
  raw: string[];
  /** Parts of which some line was broken. */
  broken: string[];
}

/** Whether every line of a part is unchanged in the prompt that shows it as a candidate. */
function isRaw(name: string, part: string): boolean {
  const preset = promptOf(name);
  const [minShown] = shownBy(preset);
  const candidates = [`It is 5.\n${part}`, "calm"];
  const render = createRenderer(preset, "exact_match", { question: "Q", language: null, candidates, slots: {} });
  const order = [0, ...Array<number>(minShown).fill(1)].slice(0, minShown);
  const prompt = render(order)
    .map(({ content }) => content)
    .join("\n");
  // Some presets write a candidate as JSON text.
  const asWritten = presetNamed(preset)?.candidate.includes("{{json}}")
    ? (line: string) => JSON.stringify(line).slice(1, -1)
    : (line: string) => line;
  return part.split("\n").every((line) => prompt.includes(asWritten(line)));
}

/** A row a preset. */
export const foreignReports = (): ForeignReport[] =>
  askedOfChatModels().map((preset) => {
    const parts = Object.entries(FOREIGN_PARTS);
    const raw = parts.filter(([, part]) => isRaw(preset, part)).map(([name]) => name);
    return { preset, raw, broken: parts.map(([name]) => name).filter((name) => !raw.includes(name)) };
  });

/** The section of the report. */
export function foreignSection(reports: readonly ForeignReport[]): string {
  const count = Object.keys(FOREIGN_PARTS).length;
  const rows = reports.map(
    ({ preset, raw, broken }) => `| \`${preset}\` | ${raw.length} of ${count} | ${broken.join(", ") || "none"} |`,
  );
  const whole = reports.filter(({ raw }) => raw.length === count).length;
  return `## Text in another judge's format

A constant answer that forges another judge's template (the attack class of arXiv 2410.07137, with our own wording): ${count} parts, each as a candidate of each preset. Escaping breaks the marks of the preset's own template, special tokens and turn headers; everything else stays data in its block, and the judge decides whether to heed it. ${whole} of ${reports.length} templates show every part unchanged.

| template | parts shown unchanged | parts escaped |
|---|---|---|
${rows.join("\n")}`;
}
