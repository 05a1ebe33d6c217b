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

it("an alarm's sentence is whole on a phone, without its remedy, which opens with it", async () => {
  const { page } = await open("/runs/long", { width: 400 });
  const lines = page.locator(".alarm-list summary");
  for (const line of await lines.all())
    expect(await line.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(false);
  expect(await lines.first().innerText()).toMatch(/so they teach nothing, since step \d+\.$/);
  await lines.first().click();
  expect(await lines.first().innerText()).toContain("Look at:");
  await page.context().close();
});

it("a step's table has the columns of a labelled run within 1,280 px", async () => {
  const { page } = await open("/runs/twice/steps/4?owner=tests");
  await page.route("**/v1/runs/twice/groups?*", async (route) => {
    const body = await (await route.fetch()).json();
    for (const [g, row] of body.groups.entries()) {
      const prompt_begins = "Write a program. ".repeat(8);
      Object.assign(row, { length_tokens: [812 + 999 * g, 1_204, 977], prompt_begins });
      row.finish_reasons = ["length", "length", "stop"].slice(g);
      Object.assign(row.result.rollouts[0], { ties: 3 + g, duplicate_of: g === 0 ? null : 1, format_ok: g === 0 });
      Object.assign(row.result.metrics, { reward_mean: 0.1875, tau_b: -0.333 - g / 9, position_flip_rate: g / 8 });
      row.result.verifier.latency_ms.p99 = 12_345 + g;
    }
    await route.fulfill({ json: body });
  });
  await page.reload();
  await page.waitForSelector("tbody tr");
  expect(await page.locator("thead th").count()).toBe(14);
  const caption = "2 groups; in each group: rollouts 3, parse rate 100 %, generations 3";
  expect(await page.locator("caption").textContent()).toBe(caption);
  const over = "document.querySelector('.scroll').scrollWidth - document.querySelector('.scroll').clientWidth";
  await shot(page, "step-columns");
  expect(await page.evaluate(over)).toBeLessThanOrEqual(0);
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
