// The page of the decisions study: what was asked of whom, and one table of figures.
import type { Measure } from "./measures.ts";

export interface StudyFacts {
  command: string;
  /** Who answered, with what was made up about it. */
  judge: string;
  simulated: boolean;
  api: string;
  /** Model names of the replies. */
  models: readonly string[];
  date: string;
  groups: number;
  of_groups: number;
  calls: number;
  tokens: number;
  dollars: number;
  faults: Readonly<Record<string, number>>;
}

const shown = (value: number | null): string =>
  value === null ? "not measured" : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(3);

/** Markdown. */
export function decisionsPage(facts: StudyFacts, measures: readonly Measure[]): string {
  const { simulated, judge, api, models, date, groups, of_groups, calls, tokens, dollars, faults, command } = facts;
  const said = simulated
    ? `**No decision model was measured**: ${judge} answered. The figures only show that the study works.`
    : `${judge} answered by the API \`${api}\` as ${models.map((name) => `\`${name}\``).join(", ") || "no named model"}.`;
  const rows = measures.map(({ name, value, count, says }) => `| ${name} | ${shown(value)} | ${count} | ${says} |`);
  const failed = Object.entries(faults).map(([name, count]) => `${count} x ${name}`);
  return `# Decision models: all pairs in one state, and each pair alone

${said} ${groups} of ${of_groups} groups, ${calls} requests, ${tokens} input tokens, $${dollars.toFixed(4)}, ${date}. \`${command}\`.

| figure | value | n | meaning |
|---|---|---|---|
${rows.join("\n")}

Requests without answers: ${failed.join(", ") || "none"}. ${groups < of_groups ? "The budget ended the study: run it again with a larger budget to resume. " : ""}How the product uses them: [decision models](../decision-models.md).
`;
}
