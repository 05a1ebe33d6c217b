// The page of a run whose requests name no step, and what a page says of alarms that had nothing to
// look at.
import { expect, it } from "vitest";
import { accessFaults, open, shot, withRuns } from "./runs-setup.ts";

withRuns();

it("a run without steps says why it has no curves", async () => {
  const { page, faults } = await open("/runs/stepless");
  expect(await page.getByText("The requests of this run have no step").count()).toBe(1);
  // Neither an empty table nor a sentence on steps that are not there.
  expect(await page.locator("table:visible, h2:visible").count()).toBe(0);
  expect(await page.locator("main").innerText()).not.toMatch(/0 steps|last step/);
  expect(await accessFaults(page)).toEqual([]);
  await shot(page, "stepless");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("says which alarms had no data, and never that none is on if none had any", async () => {
  const { page } = await open("/runs/again");
  expect(await page.locator(".calm").textContent()).toBe("No alarm is active. 3 alarms had enough data.");
  await page.locator("summary", { hasText: "17 of 20 alarms had too little data" }).click();
  expect(await page.locator("li", { hasText: "flat_rewards needs 10 steps with complete groups" }).count()).toBe(1);
  await shot(page, "not-looked-at");
  await page.route("**/health?**", async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), looked_at: [] } });
  });
  await page.reload();
  await page.getByText("No alarm has enough data yet: 3 steps logged.").waitFor();
  expect(await page.locator(".calm").count()).toBe(0);
  await page.context().close();
});
