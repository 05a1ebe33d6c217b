// One evaluation from options to files: set, cells, answers, figures, reports. Each of these is a separate
// module.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commit } from "../../scripts/stack/commit.ts";
import { mean } from "../../src/core/math/stats.ts";
import { replaceFiles } from "../report/exports.ts";
import { summariseAdversarial } from "./adversarial.ts";
import { AnswerSchema, type AnswerStore, openAnswers, type RunIdentity } from "./asking/answers.ts";
import { batchSize, type Cell, generationsOf, planCells } from "./asking/cells.ts";
import { askLists, type Question } from "./asking/client.ts";
import { assertReady } from "./asking/preflight.ts";
import { runWork, type Surroundings } from "./asking/runner.ts";
import { wrongLists } from "./asking/wrong-lists.ts";
import { readPoints } from "./compare.ts";
import type { EvaluateOptions } from "./flags.ts";
import type { Point } from "./pareto.ts";
import { htmlReport, markdownReport } from "./report.ts";
import { rowsCsv } from "./rows-csv.ts";
import { type EvaluationSet, readSet } from "./set-reader.ts";
import { summariseCell } from "./summarise.ts";
import type { CellSummary, Summary } from "./summary.ts";

/**
 * Asks what is missing, then writes summary.json, rows.csv, report.md and report.html over all answers.
 * Rejects with the signal's reason when it is stopped; what was answered by then is kept, and no
 * report is written.
 */
export async function evaluateSet(options: EvaluateOptions, surroundings: Surroundings): Promise<Summary> {
  const set = readSet(options.set, options.selection);
  const others = options.points === undefined ? [] : readPoints(options.points);
  const { k, formulations, base } = options;
  const cells = planCells({ formulations, k, k_of: options["k-of"], positions: !options["no-positions"], base });
  const target = options.target ?? ownName(options);
  const identity: RunIdentity = {
    format: "kritai-evaluation-run/1",
    target,
    set: set.manifest.name,
    set_sha256: set.sha256,
    spec: base,
    labelled: options.control === "simulator",
  };
  const store = openAnswers(options.out, identity, AnswerSchema);
  try {
    await ask(options, set, cells, store, surroundings);
    const summary = summarise({ options, set, cells, store, others, target, command: surroundings.command });
    assertAnswered(summary);
    writeFileSync(join(options.out, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
    writeFileSync(join(options.out, "rows.csv"), rowsCsv(summary.cells));
    writeFileSync(join(options.out, "report.md"), markdownReport(summary));
    const { page, files } = htmlReport(summary);
    writeFileSync(join(options.out, "report.html"), page);
    replaceFiles(join(options.out, "export"), files);
    return summary;
  } finally {
    store.close();
  }
}

/**
 * Throws where no list has a full answer: such a report says nothing, and an earlier one may lie in
 * its place.
 */
function assertAnswered({ cells, target }: Summary): void {
  if (cells.some(({ lists }) => lists > 0)) return;
  const codes = new Map<string, number>();
  for (const [code, n] of cells.flatMap(({ failed }) => Object.entries(failed)))
    codes.set(code, (codes.get(code) ?? 0) + n);
  const failed = [...codes].map(([code, n]) => `${n} ${code}`).join(", ");
  throw new Error(`${target} answered no list completely (${failed || "no request was sent"}); no report was written`);
}

/** Names the verifier behind the local stack. */
function ownName({ ownVerifier, control, simulator }: EvaluateOptions): string {
  if (ownVerifier !== null) return `verifier:${ownVerifier.url} ${ownVerifier.model}`;
  return `control:${control}${simulator === undefined ? "" : ` ${JSON.stringify(simulator)}`}`;
}

async function ask(
  options: EvaluateOptions,
  { lists, adversarial, sha256, manifest }: EvaluationSet,
  cells: readonly Cell[],
  store: AnswerStore,
  { api_key, signal, onNote, onProgress, onStarted }: Surroundings,
): Promise<void> {
  const work = [
    ...cells.map((cell) => ({ cell, questions: lists })),
    ...(adversarial.length === 0 ? [] : [{ cell: cells[0] as Cell, questions: adversarial }]),
  ];
  const isAnswered = work.every(({ cell, questions }) => questions.every((q) => store.get(q.list_id, cell.name)));
  if (isAnswered) return;
  const open = work.flatMap(({ cell, questions }) =>
    questions.flatMap(({ list_id, candidates }) =>
      store.get(list_id, cell.name) === undefined ? [generationsOf(cell, candidates.length)] : [],
    ),
  );
  onNote(`${open.length} lists to evaluate, at most ${open.reduce((sum, n) => sum + n, 0)} generations`);
  if (options.target !== undefined) await assertReady(options.target, signal);
  const stack = await startStack(options, [...lists, ...adversarial]);
  onStarted?.();
  const client = {
    target: stack?.url ?? (options.target as string),
    api_key,
    run_id: `evaluate-${manifest.name.replace(/[^A-Za-z0-9._:-]/g, "-")}-${sha256.slice(0, 8)}`,
    deadline_ms: options["deadline-ms"],
    labelled: options.control === "simulator",
    texts: options["no-texts"] ? null : new Map<string, number>(),
    signal,
  };
  const { batch, concurrency } = options;
  const pace = { batchOf: (cell: Cell) => batchSize(cell, batch), concurrency, signal };
  try {
    await runWork(
      work,
      store,
      (cell, questions, onJudged) => askLists(cell, questions, client, onJudged),
      pace,
      onProgress,
    );
  } finally {
    await stack?.close();
  }
}

/**
 * null with a target. The local stack's modules take seconds to load, so they are loaded only where
 * they are used.
 */
async function startStack({ ownVerifier, control, simulator }: EvaluateOptions, questions: readonly Question[]) {
  if (ownVerifier !== null) {
    const { startStackBefore } = await import("../own-stack.ts");
    return startStackBefore(ownVerifier);
  }
  if (control === undefined) return null;
  const { startControl } = await import("./controls/stack.ts");
  return startControl(control, questions, simulator ?? {});
}

interface Evaluated {
  options: EvaluateOptions;
  set: EvaluationSet;
  cells: readonly Cell[];
  store: AnswerStore;
  others: readonly Point[];
  target: string;
  command: string;
}

function summarise({ options, set, cells, store, others, target, command }: Evaluated): Summary {
  const { statistics, price } = options;
  const { name } = options;
  const summaries = cells.map((cell) => summariseCell(cell, set.lists, store, statistics, price));
  const points = [...summaries.flatMap((cell) => pointOf(name, unitOf(options), cell)), ...others];
  const first = (cells[0] as Cell).name;
  const adversarial =
    set.adversarial.length === 0 ? null : summariseAdversarial(set.adversarial, store, first, statistics);
  const isWhole = ({ missing, failed }: Pick<CellSummary, "missing" | "failed">) =>
    missing === 0 && Object.keys(failed).length === 0;
  return {
    format: "kritai-evaluation/1",
    name,
    target,
    at: new Date().toISOString(),
    commit: commit(),
    command,
    complete: [...summaries, ...(adversarial === null ? [] : [adversarial])].every(isWhole),
    set: {
      name: set.manifest.name,
      sha256: set.sha256,
      split: options.split,
      lists: set.lists.length,
      problems: new Set(set.lists.map(({ problem_id }) => problem_id)).size,
      adversarial_lists: set.adversarial.length,
      chance_list_acc: mean(set.lists.map(({ candidates }) => 1 / candidates.length)),
    },
    settings: { ...statistics, spec: options.base },
    price,
    cells: summaries,
    adversarial,
    points,
    wrong: wrongLists(cells, set.lists, store),
  };
}

/** Dollars where a price was given, else tokens. */
const unitOf = ({ price }: EvaluateOptions) => (price === null ? "tokens a list" : "$ per 1,000 lists");

/** A cell without an answer is left out. */
function pointOf(name: string, cost_unit: string, cell: CellSummary): Point[] {
  const { dollars_per_1000_lists: dollars, tokens_per_list: tokens } = cell;
  if (tokens === null) return [];
  return [
    {
      name: `${name} ${cell.cell}`,
      cost: dollars ?? tokens,
      cost_unit,
      list_acc: cell.list_acc.mean,
      tau_b: cell.tau_b.mean,
      parse_rate: cell.parse_rate.mean,
    },
  ];
}
