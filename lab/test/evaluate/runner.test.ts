// The guarantees of a run's pace: nothing asked twice, a bounded number at a time, a clean stop.
import { describe, expect, it } from "vitest";
import type { Answer, AnswerStore } from "../../evaluate/asking/answers.ts";
import { batchSize, type Cell, planCells } from "../../evaluate/asking/cells.ts";
import type { Question } from "../../evaluate/asking/client.ts";
import { runWork } from "../../evaluate/asking/runner.ts";
import { fixtureLists } from "./fixture-set.ts";

const LISTS = fixtureLists({ problems: 4, lists: 5 });
const [CELL, MANY] = planCells({
  formulations: ["list_em"],
  k: [1, 2],
  k_of: ["list_em"],
  positions: false,
  base: {},
}) as [Cell, Cell];

function memoryStore(): AnswerStore & { asked: string[] } {
  const known = new Map<string, Answer>();
  const asked: string[] = [];
  return {
    asked,
    get: (list, cell) => known.get(`${cell} ${list}`),
    failures: () => new Map(),
    append: (answers) => {
      for (const answer of answers) {
        asked.push(`${answer.cell} ${answer.list_id}`);
        if (answer.error === null) known.set(`${answer.cell} ${answer.list_id}`, answer);
      }
    },
    close: () => {},
  };
}

const answers = ({ name }: Cell, questions: readonly Question[], error: string | null = null) =>
  questions.map(({ list_id }) => ({ list_id, cell: name, error }) as Answer);

const pace = ({ batch = 3, ...more }: { batch?: number; signal?: AbortSignal; concurrency?: number } = {}) => ({
  batchOf: (cell: Cell) => batchSize(cell, batch),
  concurrency: 2,
  signal: new AbortController().signal,
  ...more,
});
const work = [CELL, MANY].map((cell) => ({ cell, questions: LISTS }));

describe("a run", () => {
  it("sends each list once per cell, and nothing when run again", async () => {
    const store = memoryStore();
    const ask = async (cell: Cell, questions: readonly Question[]) => answers(cell, questions);
    expect(await runWork(work, store, ask, pace(), () => {})).toMatchObject({ total: 40, done: 40, failed: 0 });
    expect(new Set(store.asked).size).toBe(40);
    await runWork(work, store, ask, pace(), () => {});
    expect(store.asked.length).toBe(40);
  });

  it("retries failed lists only in the next run", async () => {
    const store = memoryStore();
    const failing = async (cell: Cell, questions: readonly Question[]) => answers(cell, questions, "deadline");
    expect(await runWork(work, store, failing, pace(), () => {})).toMatchObject({ done: 40, failed: 40 });
    expect(store.asked.length).toBe(40);
    await runWork(
      work,
      store,
      async (cell, questions) => answers(cell, questions),
      pace(),
      () => {},
    );
    expect(store.asked.length).toBe(80);
  });

  it("reports the number of lists before the first reply, and nothing if none is left", async () => {
    const store = memoryStore();
    const seen: { done: number; total: number; cell: string }[] = [];
    let heardBefore = -1;
    const ask = async (cell: Cell, questions: readonly Question[]) => {
      if (heardBefore < 0) heardBefore = seen.length;
      return answers(cell, questions);
    };
    const hear = ({ done, total, cell }: { done: number; total: number; cell: string }) =>
      void seen.push({ done, total, cell });
    await runWork(work, store, ask, pace(), hear);
    expect(heardBefore).toBe(1);
    expect(seen[0]).toEqual({ done: 0, total: 40, cell: CELL.name });
    const before = seen.length;
    await runWork(work, store, ask, pace(), hear);
    expect(seen.length).toBe(before);
  });

  it("counts a list when it is judged, once though its request is sent again, and stores it with its request", async () => {
    const seen: string[] = [];
    const ask = async (cell: Cell, questions: readonly Question[], onJudged: (index: number) => void) => {
      for (const index of [0, 0, 1]) onJudged(index);
      return answers(cell, questions);
    };
    const one = [{ cell: CELL, questions: LISTS.slice(0, 3) }];
    await runWork(one, memoryStore(), ask, pace({ concurrency: 1 }), ({ done, stored }) => {
      seen.push(`${done} judged, ${stored} stored`);
    });
    const expected = ["0 judged, 0 stored", "1 judged, 0 stored", "2 judged, 0 stored", "3 judged, 3 stored"];
    expect(seen).toEqual(expected);
  });

  it("has at most `concurrency` in-flight requests of at most `batch` lists", async () => {
    let open = 0;
    let most = 0;
    const ask = async (cell: Cell, questions: readonly Question[]) => {
      most = Math.max(most, ++open);
      expect(questions.length).toBeLessThanOrEqual(3);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return answers(cell, questions);
    };
    await runWork(work, memoryStore(), ask, pace(), () => {});
    expect(most).toBe(2);
  });

  it("respects the limit of generations per request", async () => {
    const [, , heavy] = planCells({
      formulations: ["pair_em"],
      k: [1, 64],
      k_of: ["pair_em"],
      positions: true,
      base: {},
    });
    const cell = { ...(heavy as Cell), k: 64 };
    const sizes: number[] = [];
    const ask = async (asked: Cell, questions: readonly Question[]) => {
      sizes.push(questions.length);
      return answers(asked, questions);
    };
    await runWork([{ cell, questions: LISTS }], memoryStore(), ask, pace({ batch: 256 }), () => {});
    expect(Math.max(...sizes)).toBe(6);
  });

  it("that is stopped keeps its answers so far, and rejects with the reason", async () => {
    const store = memoryStore();
    const stop = new AbortController();
    const ask = async (cell: Cell, questions: readonly Question[]) => {
      if (store.asked.length >= 6) stop.abort(new Error("interrupted"));
      return answers(cell, questions);
    };
    await expect(runWork(work, store, ask, pace({ signal: stop.signal }), () => {})).rejects.toThrow("interrupted");
    expect(store.asked.length).toBeGreaterThanOrEqual(6);
    expect(store.asked.length).toBeLessThan(40);
  });

  it("ends with the first failed request, after the other in-flight ones have been stored", async () => {
    const store = memoryStore();
    let calls = 0;
    const ask = async (cell: Cell, questions: readonly Question[]) => {
      if (++calls === 1) throw new Error("503");
      await new Promise((resolve) => setImmediate(resolve));
      return answers(cell, questions);
    };
    await expect(runWork(work, store, ask, pace(), () => {})).rejects.toThrow("503");
    expect(store.asked.length).toBe(3);
  });
});
