// Steps that were logged again: which ranges are found, and what the run's page says of them.
import { describe, expect, it, test } from "vitest";
import { repeatsOf } from "../../scripts/build/pages/browser/repeated-steps.ts";
import { accessFaults, open, shot, withRuns } from "./runs-setup.ts";

/** Rows of a run whose requests were logged a second apart, in this order of steps. */
function rowsOf(order: readonly number[]) {
  const times = Map.groupBy(order.keys(), (i) => order[i] as number);
  const at = (second: number | undefined) => new Date(1000 * (second ?? 0)).toISOString();
  return [...times]
    .sort(([a], [b]) => a - b)
    .map(([step, seconds]) => ({ step, first_at: at(seconds[0]), last_at: at(seconds.at(-1)) }));
}

const upTo = (last: number, from = 0) => Array.from({ length: last - from + 1 }, (_, i) => from + i);

describe("ranges of steps that were logged again", () => {
  test.each([
    ["none of a run that goes straight on", upTo(30), []],
    ["none of a step whose requests come one by one", [0, 0, 1, 1, 1, 2, 2, 3], []],
    [
      "none of steps in flight together",
      upTo(40).flatMap((step) => [step, Math.max(0, step - 1), Math.max(1, step - 7)]),
      [],
    ],
    ["a short training begun again", [...upTo(4), ...upTo(2)], [{ from: 0, to: 2, after: 4 }]],
    ["a training overtaken by the second", [...upTo(12), ...upTo(40)], [{ from: 0, to: 12, after: 12 }]],
    ["three trainings", [...upTo(15), ...upTo(20), ...upTo(3)], [{ from: 0, to: 15, after: 20 }]],
    ["a resume", [...upTo(30), ...upTo(50, 15)], [{ from: 15, to: 30, after: 30 }]],
    [
      "two resumes",
      [...upTo(30), ...upTo(80, 15), ...upTo(99, 70)],
      [
        { from: 15, to: 30, after: 30 },
        { from: 70, to: 80, after: 80 },
      ],
    ],
  ] as const)("%s", (_, order, found) => {
    expect(repeatsOf(rowsOf(order))).toEqual(found);
  });
});

describe("the run's page", () => {
  withRuns();

  it.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)("says that trainings share the run's id, or that a training resumed, %s, %i px", async (theme, width) => {
    const { page, faults } = await open("/runs/reused", { theme, width });
    expect(await page.locator(".banner").textContent()).toBe(
      "Steps 0 to 2 were logged again after step 4, so charts mix several trainings. Give each training a different run_id.",
    );
    expect(await accessFaults(page)).toEqual([]);
    await shot(page, `reused-${theme}-${width}`);
    await page.goto(page.url().replace("reused", "resumed"));
    await page
      .getByText("Steps 1 to 3 were logged again after step 11, as by a training that resumed from a checkpoint.")
      .waitFor();
    expect(await page.locator(".banner").count()).toBe(0);
    await shot(page, `resumed-${theme}-${width}`);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
