// The order and the pace of a run: what is still to ask, in batches, a few at a time, each answer stored
// before the next is asked.
import type { AnswerStore, Asked } from "./answers.ts";

/** Questions to ask in one cell. */
export interface Work<C, Q> {
  cell: C;
  questions: readonly Q[];
}

export interface Pace<C> {
  /** Lists a request in a cell. */
  batchOf(cell: C): number;
  /** Requests at a time. */
  concurrency: number;
  signal: AbortSignal;
}

export interface Progress {
  total: number;
  /** Lists that are judged, stored or not. */
  done: number;
  /** Lists whose answers are stored, which the next run does not ask again. */
  stored: number;
  /** Those of the done ones with a null and a code. */
  failed: number;
  cell: string;
}

/** A run's inputs from the program around it. */
export interface Surroundings {
  /** The command as given, for the report. */
  command: string;
  api_key: string | null;
  signal: AbortSignal;
  /** Said once, before anything is asked. */
  onNote(text: string): void;
  onProgress(progress: Progress): void;
  /** Called once the control's stack, which sets separate signal handlers, has started. */
  onStarted?(): void;
}

/**
 * Asks everything that the store does not hold yet. A list that failed is stored as such and not
 * asked again by this run. Rejects with the first request's fault, or the signal's reason, after
 * the requests under way have ended.
 */
export async function runWork<C extends { name: string }, Q extends { list_id: string }, A extends Asked>(
  work: readonly Work<C, Q>[],
  store: AnswerStore<A>,
  ask: (cell: C, questions: readonly Q[], onJudged: (index: number) => void) => Promise<A[]>,
  { batchOf, concurrency, signal }: Pace<C>,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const batches = work.flatMap(({ cell, questions }) => {
    const open = questions.filter(({ list_id }) => store.get(list_id, cell.name) === undefined);
    return chunks(open, batchOf(cell)).map((part) => ({ cell, questions: part }));
  });
  const total = work.reduce((sum, { questions }) => sum + questions.length, 0);
  const open = batches.reduce((sum, { questions }) => sum + questions.length, 0);
  const progress: Progress = { total, done: total - open, stored: total - open, failed: 0, cell: "" };
  // Before the first reply, which may take minutes: what is asked is known now.
  if (batches[0] !== undefined) onProgress({ ...progress, cell: batches[0].cell.name });
  const halt = new AbortController();
  const stopped = AbortSignal.any([signal, halt.signal]);
  const lane = async () => {
    for (let next = batches.shift(); next !== undefined && !stopped.aborted; next = batches.shift()) {
      const { cell, questions } = next;
      const judged = new Set<number>();
      const answers = await ask(cell, questions, (index) => {
        if (judged.has(index)) return;
        judged.add(index);
        progress.done++;
        progress.cell = cell.name;
        onProgress(progress);
      });
      store.append(answers);
      progress.done += answers.length - judged.size;
      progress.stored += answers.length;
      progress.failed += answers.filter(({ error }) => error !== null).length;
      progress.cell = cell.name;
      onProgress(progress);
    }
  };
  const lanes = Array.from({ length: concurrency }, () =>
    lane().catch((error) => {
      halt.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(lanes);
  signal.throwIfAborted();
  const fault = ended.find((result) => result.status === "rejected");
  if (fault !== undefined) throw fault.reason;
  return progress;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
