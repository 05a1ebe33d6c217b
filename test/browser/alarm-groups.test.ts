// From an alarm on a run's page to the groups that it is about.
import { expect, it } from "vitest";
import { pageOf } from "../../src/core/health/alarm.ts";
import { ALARMS } from "../../src/core/health/alarms/table.ts";
import { accessFaults, open, origin, shot, withRuns } from "./runs-setup.ts";

withRuns();

it("an alarm stands above all controls as a sentence, and leads to its groups, the worst first", async () => {
  const { page, faults } = await open("/runs/ill");
  const [alarm] = await page.locator(".alarm-list li").allTextContents();
  expect(alarm).toMatch(
    /^72\.7 % of the rollouts have no reward \(group_too_small 8\), since step 1\. Look at: the errors/,
  );
  const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? 0;
  expect(await top(".alarm-list")).toBeLessThan(await top("main input"));
  expect(await accessFaults(page)).toEqual([]);
  await shot(page, "alarm");
  const line = await page.locator(".alarm-list summary").first().boundingBox();
  expect(line?.height).toBeLessThan(32);
  await page.locator(".alarm-list summary").first().click();
  await page.getByText("Groups of step 1, the alarm's worst step").click();
  await page.waitForSelector("h1:has-text('Step 1')");
  const sorted = page.locator("th[aria-sort=descending]");
  expect(await sorted.textContent()).toBe("without a reward");
  const rows = await page.locator("tbody tr").allTextContents();
  expect(rows[0]).toContain("1: group_too_small");
  expect(rows.at(-1)).not.toContain("group_too_small");
  expect(await accessFaults(page)).toEqual([]);
  await shot(page, "alarm-groups");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("every alarm that says which groups show it names a column of theirs", async () => {
  const { page } = await open("/runs/ill");
  for (const alarm of ALARMS) {
    const [column] = pageOf(alarm).groups_by ?? [];
    if (column === undefined) continue;
    await page.goto(`${origin}/runs/ill/steps/1?alarm=${alarm.name}`);
    await page.waitForSelector("th[aria-sort]");
    expect(await page.locator("th[aria-sort]").textContent(), alarm.name).toBe(column);
  }
  await page.context().close();
});
