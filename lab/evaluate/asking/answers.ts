// Defines what a run has learnt, on disk: answers.jsonl, append-only and synced, and run.json, which says
// what the answers are of.
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import { DataDirInUse, lockDirectory } from "../../../scripts/stack/data-dir-lock.ts";
import { canonicalJson } from "../../../src/core/contract/canonical-json.ts";

/** A run's files: an --out that cannot take its report is refused before anything is asked. */
const RUN_FILES = ["run.json", "answers.jsonl", "summary.json", "rows.csv", "items.jsonl", "report.md", "report.html"];

const count = z.int().min(0);

/** The parts of an answer that a store needs. */
export const AskedSchema = z.object({
  list_id: z.string(),
  cell: z.string(),
  spec_hash: z.string(),
  request_id: z.string(),
  /** Why something is missing: an item error's code; such a list is asked again by the next run. */
  error: z.string().nullable(),
});
export type Asked = z.output<typeof AskedSchema>;

/**
 * One list asked in one cell. `error` is null when every generation was answered, parsed or not.
 */
export const AnswerSchema = AskedSchema.extend({
  selected: count.nullable(),
  win_counts: z.array(count.nullable()),
  comparisons: count,
  generations: count,
  parsed: count,
  failed: count,
  prompt_tokens: count,
  completion_tokens: count,
  position_flip_rate: z.number().nullable(),
  /** The verifier's text on a list that went wrong; some verdicts of it. */
  said: z.array(z.object({ shown: z.array(count), verdict: z.string(), text: z.string() })).optional(),
});
export type Answer = z.output<typeof AnswerSchema>;

/** The fields that answers must share to belong together. */
export interface RunIdentity {
  format: "kritai-evaluation-run/1";
  target: string;
  set: string;
  set_sha256: string;
  /** All of the spec but what the cells decide. */
  spec: unknown;
  /** Whether candidates carried their pass rate in a comment, for the simulator. */
  labelled: boolean;
}

/** The folder of another run. */
export class RunMismatch extends Error {}

export interface AnswerStore<A extends Asked = Answer> {
  /** The last answer of a list in a cell, without those that failed. */
  get(listId: string, cell: string): A | undefined;
  /** Lists of a cell whose last answer failed, by code. */
  failures(cell: string): ReadonlyMap<string, string>;
  /**
   * Writes and syncs. Throws RunMismatch when a cell's spec hash is not that of its earlier
   * answers.
   */
  append(answers: readonly A[]): void;
  close(): void;
}

/**
 * Opens a run's folder, made when missing. A torn last line, as a killed run leaves it, is cut off.
 * @throws RunMismatch when it holds another run's answers; Error while another process writes to it
 */
export function openAnswers<A extends Asked>(folder: string, identity: object, schema: z.ZodType<A>): AnswerStore<A> {
  makeFolder("--out", folder, RUN_FILES);
  const unlock = lock(folder);
  try {
    assertSameRun(folder, identity);
    const path = join(folder, "answers.jsonl");
    const known = existsSync(path) ? readAnswers(path, schema) : [];
    return createStore(openSync(path, "a"), known, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function lock(folder: string): () => void {
  try {
    return lockDirectory(folder);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    throw new Error(`--out ${folder} is in use by process ${error.pid}: only one run can write to a folder at a time`);
  }
}

function assertSameRun(folder: string, identity: object): void {
  const path = join(folder, "run.json");
  if (!existsSync(path)) {
    writeFileSync(path, `${JSON.stringify(identity, null, 2)}\n`);
    return;
  }
  const before = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const differences = Object.entries(identity).filter(
    ([name, value]) => canonicalJson(value) !== canonicalJson(before[name]),
  );
  if (differences.length === 0) return;
  const said = differences.map(
    ([name, value]) => `${name} was ${JSON.stringify(before[name])}, now ${JSON.stringify(value)}`,
  );
  throw new RunMismatch(
    `--out ${folder} contains the answers of a different run (${said.join("; ")}). Choose another folder.`,
  );
}

function readAnswers<A>(path: string, schema: z.ZodType<A>): A[] {
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) {
    const file = openSync(path, "r+");
    ftruncateSync(file, Buffer.byteLength(whole));
    closeSync(file);
  }
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line, i) => {
      const parsed = schema.safeParse(JSON.parse(line));
      if (parsed.success) return parsed.data;
      throw new Error(
        `${path}:${i + 1}: ${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}`,
      );
    });
}

function createStore<A extends Asked>(file: number, known: readonly A[], unlock: () => void): AnswerStore<A> {
  const cells = new Map<string, { hash: string; answered: Map<string, A>; failed: Map<string, string> }>();
  const remember = (answer: A) => {
    const { cell, spec_hash: hash, list_id, error } = answer;
    const entry = cells.get(cell) ?? { hash, answered: new Map(), failed: new Map() };
    cells.set(cell, entry);
    if (error !== null) entry.failed.set(list_id, error);
    else {
      entry.failed.delete(list_id);
      entry.answered.set(list_id, answer);
    }
  };
  known.forEach(remember);
  return {
    get: (listId, cell) => cells.get(cell)?.answered.get(listId),
    failures: (cell) => cells.get(cell)?.failed ?? new Map(),
    append: (answers) => {
      for (const { cell, spec_hash } of answers) {
        const before = cells.get(cell)?.hash ?? spec_hash;
        if (before === spec_hash) continue;
        throw new RunMismatch(
          `the target now answers ${cell} with spec ${spec_hash}; earlier answers used ${before}. Its prompts or specs changed: choose another --out.`,
        );
      }
      writeSync(file, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
      fsyncSync(file);
      answers.forEach(remember);
    },
    close: () => {
      closeSync(file);
      unlock();
    },
  };
}
