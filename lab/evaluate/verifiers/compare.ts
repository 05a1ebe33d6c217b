// Several verifiers on one benchmark: what each got right beside the first, and the items on which all agree
// against the label.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { exportsOf, replaceFiles } from "../../report/exports.ts";
import { reportPage, type Table } from "../../report/page.ts";
import { markdown, sections } from "../../report/parts.ts";
import { clusteredRatio } from "../../statistics/clusters.ts";
import { readAllJsonl } from "../../testbed/format/jsonl.ts";
import { type Estimate, percent } from "../figures/estimate.ts";
import {
  type ItemLine,
  ItemLineSchema,
  VERIFIER_FORMAT,
  type VerifierSummary,
  VerifierSummarySchema,
} from "./summary.ts";

export interface VerifierRun {
  summary: VerifierSummary;
  items: ReadonlyMap<string, ItemLine>;
}

/** Whether a folder holds a run over a benchmark's rows. */
export function isVerifierRun(folder: string): boolean {
  const path = join(folder, "summary.json");
  return existsSync(path) && readFileSync(path, "utf8").includes(`"format": "${VERIFIER_FORMAT}"`);
}

async function readRun(folder: string): Promise<VerifierRun> {
  if (!isVerifierRun(folder)) throw new Error(`${folder} contains no run of --layout`);
  const summary = VerifierSummarySchema.parse(JSON.parse(readFileSync(join(folder, "summary.json"), "utf8")));
  const items = await readAllJsonl(join(folder, "items.jsonl"), ItemLineSchema);
  return { summary, items: new Map(items.map((item) => [item.id, item])) };
}

/** The items that `one` got right more often than `other`, over those that both answered. */
export function creditDifference(run: VerifierRun, other: VerifierRun): Estimate {
  const { seed, bootstrap } = other.summary.settings;
  const observations = [...run.items.values()].flatMap(({ id, credit, problem }) => {
    const beside = other.items.get(id);
    return beside === undefined ? [] : [{ over: credit - beside.credit, under: 1, cluster: problem }];
  });
  return clusteredRatio(observations, { resamples: bootstrap, seed: hashText(seed, "paired items"), range: [-1, 1] });
}

/** Items that all answered alike and against their label: who agrees is often right. */
export function labelAudit(runs: readonly VerifierRun[]): ItemLine[] {
  const [first, ...others] = runs;
  return [...(first?.items.values() ?? [])].filter(
    (item) =>
      item.said !== null && item.credit < 1 && others.every(({ items }) => items.get(item.id)?.said === item.said),
  );
}

const AUDITED = 50;

function tablesOf(runs: readonly VerifierRun[], audit: readonly ItemLine[]): Table[] {
  const [first] = runs as [VerifierRun, ...VerifierRun[]];
  return [
    {
      caption: `${first.summary.main.name}, and paired differences to ${first.summary.name} (95 % intervals)`,
      columns: ["verifier", "%", "items", `difference to ${first.summary.name}, points`, "shared items"],
      rows: runs.map((run) => {
        const { name, main, answered } = run.summary;
        const difference = run === first ? null : creditDifference(run, first);
        return [name, percent(main.value), answered, difference && percent(difference), difference?.n ?? null];
      }),
    },
    ...(audit.length === 0
      ? []
      : [
          {
            caption: `Possible label errors: ${audit.length} items on which all ${runs.length} verifiers agree against the label`,
            columns: ["item", "subset", "label", "verdict of all"],
            rows: audit.slice(0, AUDITED).map(({ id, subset, label, said }) => [id, subset, label, said]),
          },
        ]),
  ];
}

/**
 * Writes compare.json, compare.md, compare.html and audit.jsonl into `out`.
 * @throws Error where the runs are not of the same rows
 */
export async function compareVerifiers(folders: readonly string[], out: string): Promise<string> {
  const runs = await Promise.all(folders.map(readRun));
  const rows = new Set(runs.map(({ summary }) => `${summary.layout}, rows ${summary.rows.sha256.slice(0, 12)}`));
  if (rows.size > 1)
    throw new Error(`the runs evaluated different rows and cannot be compared: ${[...rows].join("; ")}`);
  const [first, ...others] = runs as [VerifierRun, ...VerifierRun[]];
  const audit = runs.length < 2 ? [] : labelAudit(runs);
  const parts = [{ title: "Verifiers", lead: "", tables: tablesOf(runs, audit), charts: [] }];
  const title = `Verifiers compared on ${first.summary.layout}`;
  const headline = `${runs.length} verifiers on ${first.summary.answered} items; on ${audit.length} of them all verifiers contradict the label.`;
  const facts = runs.map(({ summary }): [string, string] => [summary.name, summary.target]);
  makeFolder("--out", out, ["compare.json", "compare.md", "compare.html", "audit.jsonl"]);
  const comparison = {
    format: "kritai-verifier-comparison/1",
    differences: others.map((run) => ({
      name: run.summary.name,
      against: first.summary.name,
      credit: creditDifference(run, first),
    })),
    audit: audit.length,
  };
  const pages = sections(parts);
  const subtitle = "A paired comparison on the same rows.";
  const lines = facts.map(([name, value]) => `- ${name}: ${value}`);
  writeFileSync(join(out, "compare.json"), `${JSON.stringify(comparison, null, 2)}\n`);
  writeFileSync(join(out, "audit.jsonl"), audit.map((item) => `${JSON.stringify(item)}\n`).join(""));
  writeFileSync(join(out, "compare.md"), markdown(title, headline, lines, parts));
  writeFileSync(join(out, "compare.html"), reportPage({ title, subtitle, headline, facts, sections: pages }));
  replaceFiles(join(out, "export"), exportsOf(pages));
  return headline;
}
