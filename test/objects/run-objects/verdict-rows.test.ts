// What a run's list keeps of its verdicts: as many as it may, as long as it may, and no longer than
// the run.
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { RunObjectList } from "../../../src/objects/run-objects/list.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";

const NOW = Date.UTC(2026, 10, 26);
const row = (key: string, prompt = "p") => ({ prompt, key, readings: [] });

function listOf() {
  let cleared = false;
  const list = new RunObjectList(
    memoryValues(
      () => undefined,
      () => {
        cleared = true;
      },
    ),
  );
  return { list, isCleared: () => cleared };
}

test("rows are found by their prompt alone", () => {
  const { list } = listOf();
  list.remember([row("a"), row("b", "pp"), row("c")], "1", NOW);
  expect(
    list
      .known(["p"], NOW)
      .map(({ key }) => key)
      .sort(),
  ).toEqual(["a", "c"]);
  expect(list.known(["other"], NOW)).toEqual([]);
});

test("no more are kept than verdict_cache_rows, and no more told than verdict_cache_read", () => {
  const { list } = listOf();
  const rows = Array.from({ length: LIMITS.verdict_cache_rows + 2 }, (_, i) => row(`${i}`, i < 5_000 ? "p" : `p${i}`));
  list.remember(rows, "1", NOW);
  list.remember([row("late", "late")], "1", NOW);
  expect(list.known(["late", rows.at(-1)?.prompt as string], NOW)).toEqual([]);
  expect(list.known([rows.at(-3)?.prompt as string], NOW)).toHaveLength(1);
  expect(list.known(["p"], NOW)).toHaveLength(LIMITS.verdict_cache_read);
  list.remember([{ ...row("0"), readings: [] }], "1", NOW);
  expect(list.known(["late"], NOW)).toEqual([]);
});

test("all are over verdict_cache_ms after the first, and then the list is nothing", async () => {
  const { list, isCleared } = listOf();
  const over = NOW + LIMITS.verdict_cache_ms;
  list.remember([row("a")], "1", NOW);
  list.remember([row("b")], "1", over - 1);
  expect(list.known(["p"], over - 1)).toHaveLength(2);
  await list.wake(over - 1);
  expect(isCleared()).toBe(false);
  expect(list.known(["p"], over)).toEqual([]);
  await list.wake(over);
  expect(isCleared()).toBe(true);
});

test("a deletion drops them, and what a request from before it brings later", () => {
  const { list } = listOf();
  list.remember([row("a")], "1", NOW);
  list.markDeleted("5", 10, NOW);
  list.remember([row("b")], "4", NOW);
  expect(list.known(["p"], NOW)).toEqual([]);
  list.remember([row("c")], "6", NOW);
  expect(list.known(["p"], NOW).map(({ key }) => key)).toEqual(["c"]);
});
