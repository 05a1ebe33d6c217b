// Pages of a run whose tool tells no step: windows of groups in the place of steps, and what alarms
// had nothing to look at.
import { expect, it } from "vitest";
import { open, origin, serious, shot, withRuns } from "./runs-setup.ts";

withRuns();

it("a run without steps is shown by windows of its groups, each with a page", async () => {
  const { page, faults } = await open("/runs/stepless");
  expect(await page.getByText("windows of 16 groups").count()).toBe(1);
  expect(await page.locator(".chart svg[aria-label$='over windows']").count()).toBeGreaterThan(3);
  expect(await page.locator("caption").first().textContent()).toBe("2 windows");
  expect(await serious(page)).toEqual([]);
  await shot(page, "stepless");
  await page.locator("tbody a").first().click();
  await page.waitForURL("**/steps/1?by=window&window_groups=16**");
  await page.waitForSelector("h1:has-text('Window 1: groups 16 to 31')");
  expect(await page.locator("tbody tr").count()).toBe(4);
  await page.goto(`${origin}/runs/stepless?window_groups=4`);
  await page.locator("caption", { hasText: "5 windows" }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it("says which alarms had nothing to look at, and never that none is on where none looked", async () => {
  const { page } = await open("/runs/stepless");
  expect(await page.locator(".calm").textContent()).toBe("No alarm, of 3 that had enough to look at.");
  await page.locator("summary", { hasText: "17 of 20 alarms had nothing to look at" }).click();
  expect(await page.locator("li", { hasText: "flat_rewards needs 10 steps with complete groups" }).count()).toBe(1);
  await shot(page, "not-looked-at");
  await page.route("**/health?**", async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), looked_at: [] } });
  });
  await page.reload();
  await page.getByText("Nothing to look at yet: 2 windows logged.").waitFor();
  expect(await page.locator(".calm").count()).toBe(0);
  await page.context().close();
});
