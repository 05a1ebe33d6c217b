// Guarantees that a study's cases are played on every core: a thread a core, each given the next case when it
// is done with one. Is the thread, too.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type Cell, casesOf, cellsOf, type StudyCase, type StudyPlan } from "./cells.ts";

/** The role of this file's threads, for whoever imports it. */
const ROLE = "study";

/**
 * The cells of a plan, in its cases' order.
 * @param onCase called with each case when it is played, in any order
 */
export async function playPlan(plan: StudyPlan, onCase: (cells: readonly Cell[]) => void): Promise<Cell[]> {
  const cases = casesOf(plan);
  const played: Cell[][] = [];
  let next = 0;
  const thread = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { role: ROLE, plan } });
      let at = -1;
      const take = () => {
        at = next++;
        if (at < cases.length) worker.postMessage(cases[at]);
        else void worker.terminate().then(() => resolve());
      };
      worker.on("message", (cells: Cell[]) => {
        played[at] = cells;
        onCase(cells);
        take();
      });
      worker.on("error", reject);
      take();
    });
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), cases.length) }, thread));
  return played.flat();
}

if (!isMainThread && workerData?.role === ROLE) {
  const { plan } = workerData as { plan: StudyPlan };
  parentPort?.on("message", (studyCase: StudyCase) => parentPort?.postMessage(cellsOf(plan, studyCase)));
}
