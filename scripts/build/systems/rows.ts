// Reads docs/systems.jsonl, one published system a line, and renders the page in Markdown.
import { readFileSync } from "node:fs";

/** How a system's reward is had here; the page explains each. */
export const STATES = ["the same", "stand-in", "partly", "out of scope"] as const;

export interface System {
  /** Heading of its table. */
  section: string;
  name: string;
  /** An arXiv id, or an address. */
  source: string;
  reward: string;
  state: (typeof STATES)[number];
  /** A spec for `POST /v1/rewards`. */
  spec?: Record<string, unknown>;
  /** A body of `POST /v1/verdicts`, whose formulation the page shows. */
  verdicts?: Record<string, unknown>;
  /** A function of `kritai.formulas` in both clients, with the arguments of some calls. */
  formula?: { name: string; calls: unknown[][] };
  command?: string;
  why?: string;
  /** Further data for the test of the row (test/systems). */
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
  "the same": "the published formula; of a trained judge its own markers, in [sentences of ours](judges.md#presets)",
  "stand-in":
    "its shape; the row names what differs. A judge trained on other words needs [a preset of your own](judges.md#your-own-presets)",
  partly: "a part of it, and why not the rest",
  "out of scope": "no reward, or the trainer's side of one",
};

/** The page in Markdown: what each state means, then a table for each section. */
export function systemsPage(): string {
  const rows = systems();
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  const states = STATES.map((state) => `| **${state}** | ${count(state)} | ${MEANINGS[state]} |\n`);
  const sections = [...new Set(rows.map(({ section }) => section))];
  const tables = sections.map((section) => {
    const sectionRows = rows.filter((row) => row.section === section);
    return `\n## ${section}\n\n| system | source | its reward | here | |\n|---|---|---|---|---|\n${sectionRows.map(rowOf).join("")}`;
  });
  return `# Published systems

What papers and open projects of 2023 to 2026 reward, and the spec that does it here. A test posts each spec to judges and services that know which rollout is better. None was tried on a system's own weights. Samples, targets, bounds and weights are examples; \`https://checker.example\` is [a checker of yours](signals.md#numbers-of-a-checker). Store a preset that is not built in from [lab/templates](../lab/templates/README.md) first.

| | systems | |
|---|---|---|
${states.join("")}${tables.join("")}`;
}
