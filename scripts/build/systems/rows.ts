// Reads docs/systems.jsonl, one published system a line, and renders the page in Markdown.
import { readFileSync } from "node:fs";

/** How far Kritai reproduces a system's reward; the page explains each state. */
export const STATES = ["the same", "stand-in", "partly", "out of scope"] as const;

export interface System {
  /** Heading of the table that contains the system. */
  section: string;
  name: string;
  /** An arXiv id or a URL. */
  source: string;
  reward: string;
  state: (typeof STATES)[number];
  /** A spec for `POST /v1/rewards`. */
  spec?: Record<string, unknown>;
  /** A body of `POST /v1/verdicts`; the page shows its formulation. */
  verdicts?: Record<string, unknown>;
  /** A function of `kritai.formulas` in both clients, with the arguments of example calls. */
  formula?: { name: string; calls: unknown[][] };
  command?: string;
  why?: string;
  /** Additional data for the test of the row (test/systems). */
  check?: Record<string, unknown>;
}

const FILE = new URL("../../../docs/systems.jsonl", import.meta.url);

export const systems = (): System[] =>
  readFileSync(FILE, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as System);

const cell = (text: string) => text.replaceAll("|", "\\|");
const code = (text: string) => `\`${cell(text)}\``;

function linked(source: string): string {
  if (/^\d{4}\.\d{5}$/.test(source)) return `[${source}](https://arxiv.org/abs/${source})`;
  return `[${source.replace(/^https:\/\/(?:github\.com\/|www\.)?/, "")}](${source})`;
}

function way({ spec, verdicts, formula, command }: System): string[] {
  const formulation = verdicts && { ...verdicts, items: undefined };
  return [
    ...(spec === undefined ? [] : [code(JSON.stringify(spec))]),
    ...(formulation === undefined ? [] : [`\`/v1/verdicts\` ${code(JSON.stringify(formulation))}`]),
    ...(formula === undefined ? [] : [code(`kritai.formulas.${formula.name}`)]),
    ...(command === undefined ? [] : [code(command)]),
  ];
}

function rowOf(system: System): string {
  const { name, source, reward, state, why } = system;
  const said = [state === "the same" ? "" : `**${state}**`, cell(why ?? "")].filter((text) => text !== "");
  return `| ${cell(name)} | ${linked(source)} | ${cell(reward)} | ${way(system).join(", ")} | ${said.join(": ")} |\n`;
}

const MEANINGS: Record<System["state"], string> = {
  "the same":
    "the published formula; for a trained judge, its own markers in [prompts written by us](judges.md#presets)",
  "stand-in":
    "a reward of the same form; the row names the differences. A judge trained on another prompt needs [your own preset](judges.md#your-own-presets)",
  partly: "a part of the reward; the row says why the rest is missing",
  "out of scope": "not a reward, or a part of the reward that the trainer computes",
};

/** The page in Markdown: what each state means, then a table for each section. */
export function systemsPage(): string {
  const rows = systems();
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  const states = STATES.map((state) => `| **${state}** | ${count(state)} | ${MEANINGS[state]} |\n`);
  const sections = [...new Set(rows.map(({ section }) => section))];
  const tables = sections.map((section) => {
    const sectionRows = rows.filter((row) => row.section === section);
    return `\n## ${section}\n\n| system | source | reward | in Kritai | |\n|---|---|---|---|---|\n${sectionRows.map(rowOf).join("")}`;
  });
  return `# Published systems

The rewards of papers and open projects from 2023 to 2026, and the spec that computes each of them in Kritai. A test runs every spec with simulated judges and services that know which rollout is better. No spec was tested with a system's own weights. Numbers of samples, targets, bounds and weights are examples. \`https://checker.example\` stands for [your checker](signals.md#numbers-of-a-checker). If a preset is not built in, store it from [lab/templates](../lab/templates/README.md) first.

| | systems | |
|---|---|---|
${states.join("")}${tables.join("")}`;
}
