// One verifier's run over one benchmark, from options to files. Readers, metrics and transport are separate
// modules.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SimulatorOptions } from "../../../gpu-backend/engines/simulator/simulator.ts";
import { commit } from "../../../scripts/stack/commit.ts";
import type { OwnVerifier } from "../../own-stack.ts";
import { exportsOf, replaceFiles } from "../../report/exports.ts";
import { reportPage, type Table } from "../../report/page.ts";
import { markdown, type Part, sections } from "../../report/parts.ts";
import { type AnswerStore, openAnswers } from "../asking/answers.ts";
import { assertReady } from "../asking/preflight.ts";
import { runWork, type Surroundings } from "../asking/runner.ts";
import { percent } from "../figures/estimate.ts";
import type { Judged, Settings } from "./items/benchmark.ts";
import { askItems, type Scored, ScoredSchema } from "./items/scored.ts";
import { LAYOUTS, type LayoutName } from "./layouts/table.ts";
import { type ReadFiles, readFiles } from "./reading.ts";
import { type ItemLine, VERIFIER_FORMAT, type VerifierSummary } from "./summary.ts";
import { coverageTable, difficultyTable, mistakesTable, resultBars, subsetTable } from "./tables.ts";

export interface VerifierOptions {
  layout: LayoutName;
  rows: readonly string[];
  limit: number | null;
  spec: unknown;
  target: string | null;
  ownVerifier: OwnVerifier | null;
  simulator: SimulatorOptions;
  name: string;
  out: string;
  json: boolean;
  batch: number;
  concurrency: number;
  deadline_ms: number;
  settings: Settings;
}

/** Everything is asked in one way. */
const CELL = { name: "verifier" };

/**
 * Asks what is missing, then writes summary.json, items.jsonl, report.md, report.html and export/.
 * Rejects with the signal's reason when it is stopped; what was answered by then is kept.
 */
export async function evaluateVerifier(options: VerifierOptions, around: Surroundings): Promise<VerifierSummary> {
  const read = await readFiles(options.rows, LAYOUTS[options.layout], options.limit);
  for (const line of read.omissions.report()) around.onNote(line);
  const { layout, spec, out, ownVerifier, simulator } = options;
  const behind =
    ownVerifier === null
      ? `control:simulator ${JSON.stringify(simulator)}`
      : `verifier:${ownVerifier.url} ${ownVerifier.model}`;
  const target = options.target ?? behind;
  const identity = { format: "kritai-verifier-run/1", target, layout, rows_sha256: read.sha256, spec };
  const store = openAnswers(out, identity, ScoredSchema);
  try {
    await ask(options, read, store, around);
    return write(options, read, store, { target, command: around.command });
  } finally {
    store.close();
  }
}

async function ask(
  options: VerifierOptions,
  { items, sha256 }: ReadFiles,
  store: AnswerStore<Scored>,
  { api_key, signal, onNote, onProgress, onStarted }: Surroundings,
): Promise<void> {
  const open = items.filter(({ id }) => store.get(id, CELL.name) === undefined);
  if (open.length === 0) return;
  onNote(`${open.length} items to evaluate, ${open.reduce((sum, { group }) => sum + group.rollouts.length, 0)} texts`);
  if (options.target !== null) await assertReady(options.target, signal);
  const stack = options.target === null ? await startStack(options) : null;
  onStarted?.();
  const client = {
    target: stack?.url ?? (options.target as string),
    api_key,
    run_id: `evaluate-${options.layout}-${sha256.slice(0, 8)}`,
    deadline_ms: options.deadline_ms,
    spec: options.spec,
    signal,
  };
  const questions = items.map(({ id, group }) => ({ list_id: id, group }));
  const pace = { batchOf: () => options.batch, concurrency: options.concurrency, signal };
  const work = [{ cell: CELL, questions }];
  try {
    await runWork(work, store, ({ name }, some, onJudged) => askItems(name, some, client, onJudged), pace, onProgress);
  } finally {
    await stack?.close();
  }
}

async function startStack({ ownVerifier, simulator }: VerifierOptions) {
  if (ownVerifier !== null) {
    const { startStackBefore } = await import("../../own-stack.ts");
    return startStackBefore(ownVerifier);
  }
  const { startControl } = await import("../controls/stack.ts");
  return startControl("simulator", [], simulator);
}

function write(
  options: VerifierOptions,
  read: ReadFiles,
  store: AnswerStore<Scored>,
  invocation: { target: string; command: string },
): VerifierSummary {
  const answers = new Map(
    read.items.flatMap(({ id }) => {
      const answer = store.get(id, CELL.name);
      return answer === undefined ? [] : [[id, answer] as const];
    }),
  );
  const codes = [...store.failures(CELL.name).values()];
  if (answers.size === 0)
    throw new Error(`${invocation.target} answered no item completely (${counted(codes)}); no report was written`);
  const { judged, results } = read.judge(answers, options.settings);
  const total = (field: "generations" | "prompt_tokens" | "completion_tokens") =>
    [...answers.values()].reduce((sum, answer) => sum + answer[field], 0);
  const failed = tally(codes);
  const missing = read.items.length - answers.size - codes.length;
  const summary: VerifierSummary = {
    format: VERIFIER_FORMAT,
    name: options.name,
    layout: options.layout,
    target: invocation.target,
    at: new Date().toISOString(),
    commit: commit(),
    command: invocation.command,
    complete: answers.size === read.items.length,
    rows: {
      files: options.rows.map((path) => basename(path)),
      sha256: read.sha256,
      items: read.items.length,
      problems: new Set(read.items.map(({ problem }) => problem)).size,
    },
    left_out: read.omissions.counts,
    settings: { ...options.settings, spec: options.spec },
    spec_hash: [...answers.values()][0]?.spec_hash ?? null,
    answered: answers.size,
    failed,
    missing,
    main: results.main,
    figures: { ...results.figures },
    use: {
      generations: total("generations"),
      prompt_tokens: total("prompt_tokens"),
      completion_tokens: total("completion_tokens"),
    },
  };
  const { settings } = options;
  writeRun(options.out, summary, partsOf(summary, results.tables, judged, settings), judged);
  return summary;
}

const tally = (codes: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, occurrences]) => [code, occurrences.length]));

const counted = (codes: readonly string[]) =>
  Object.entries(tally(codes))
    .map(([code, n]) => `${n} ${code}`)
    .join(", ") || "no request was sent";

function partsOf(
  summary: VerifierSummary,
  resultTables: readonly Table[],
  judged: readonly Judged<unknown>[],
  settings: Settings,
): Part[] {
  const lead = LAYOUTS[summary.layout as LayoutName].description;
  const results = {
    title: "Results",
    lead: warningsOf(summary).join("\n\n"),
    tables: resultTables.slice(0, 1),
    charts: [resultBars(summary.main, judged, settings)],
  };
  const parts: Part[] = [
    { title: "More results", lead, tables: resultTables.slice(1), charts: [] },
    {
      title: "By kind of item",
      lead: "Each item is scored by its benchmark's own rule.",
      tables: [...subsetTable(judged, settings), ...difficultyTable(judged, settings)],
      charts: [],
    },
    {
      title: "Abstention",
      lead: "Selective accuracy: the verifier abstains on the items with the narrowest margins first.",
      tables: coverageTable(judged, settings),
      charts: [],
    },
    {
      title: "Possible label errors",
      lead: "Confident verdicts that contradict the label: either the verifier or the label is wrong. `--compare` lists the items on which all verifiers contradict the label.",
      tables: mistakesTable(judged),
      charts: [],
    },
  ];
  return [results, ...parts.filter(({ tables }) => tables.length > 0)];
}

function warningsOf({ failed, missing, left_out, answered }: VerifierSummary): string[] {
  const failures = Object.entries(failed).map(([code, n]) => `${n} ${code}`);
  return [
    failures.length > 0 &&
      `Items failed (${failures.join(", ")}). They are excluded from all figures; the next run retries them.`,
    missing > 0 && `${missing} items are not evaluated yet. Run the same command again to resume.`,
    ...Object.entries(left_out).map(
      ([reason, n]) => `${n} rows were excluded (${reason}). Published figures include them.`,
    ),
    answered < SMALL && `Only ${answered} items, so intervals are wide.`,
  ].filter((text) => text !== false);
}

/** Below it every figure is loose. */
const SMALL = 30;

export const headline = ({ name, layout, main, answered }: VerifierSummary): string =>
  `${name} on ${layout}: ${main.name} ${percent(main.value) ?? "–"} % over ${answered} items.`;

function writeRun(out: string, summary: VerifierSummary, parts: readonly Part[], judged: readonly Judged<unknown>[]) {
  const facts: [string, string][] = [
    ["Target", summary.target],
    ["Layout", summary.layout],
    ["Rows", `${summary.rows.files.join(", ")}: ${summary.rows.items} items of ${summary.rows.problems} problems`],
    ["SHA-256", summary.rows.sha256],
    ["Spec", JSON.stringify(summary.settings.spec)],
    ["Generations", `${summary.use.generations}`],
    ["Commit", summary.commit],
    ["At", summary.at],
    ["Command", summary.command],
  ];
  const title = `Evaluation: ${summary.name} on ${summary.layout}`;
  const pages = sections(parts);
  const head = headline(summary);
  const subtitle = "Every item was judged through Kritai's API.";
  writeFileSync(join(out, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(out, "items.jsonl"), judged.map((entry) => `${JSON.stringify(lineOf(entry))}\n`).join(""));
  const factLines = facts.map(([fact, value]) => `- ${fact}: ${value}`);
  writeFileSync(join(out, "report.md"), markdown(title, head, factLines, parts));
  writeFileSync(join(out, "report.html"), reportPage({ title, subtitle, headline: head, facts, sections: pages }));
  replaceFiles(join(out, "export"), exportsOf(pages));
}

function lineOf({ item, answer, outcome }: Judged<unknown>): ItemLine {
  const { id, problem, subset, difficulty, generator } = item;
  const { label, said, credit, margin } = outcome;
  return { id, problem, subset, difficulty, generator, label, said, credit, margin, rewards: answer.rewards };
}
