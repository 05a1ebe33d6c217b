// Holds what the pages say of themselves: that verdicts are a stand-in's, and that texts were not
// stored and how they are.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { open, withRuns } from "./runs-setup.ts";

withRuns();

/** Has every judge's name read as a stand-in's, and every step as a stand-in's. */
async function simulate(page: Page): Promise<void> {
  await page.route(/\/v1\/(?:runs|requests)\//, async (route) => {
    const reply = await route.fetch();
    const text = (await reply.text())
      .replaceAll(/"models":\[[^\]]*\]/g, '"models":["simulated-sim-14b"]')
      .replaceAll('"rollouts":', '"simulated_share":1,"rollouts":')
      .replaceAll('"warnings":[]', '"warnings":["simulated: made up","other"]');
    await route.fulfill({ response: reply, body: text });
  });
}

it("says on each page that verdicts are made up, and nothing of it where a judge answered", async () => {
  const paths = ["/runs", "/runs/mild?owner=tests", "/runs/mild/steps/9?owner=tests"];
  for (const simulated of [true, false]) {
    const { page } = await open("/runs");
    if (simulated) await simulate(page);
    for (const path of paths) {
      await page.goto(new URL(path, page.url()).href);
      await page.waitForSelector("main:not([aria-busy]) h1");
      expect([path, await page.locator(".banner", { hasText: "made up" }).count()]).toEqual([path, simulated ? 1 : 0]);
    }
    await page.locator("tbody a").first().click();
    await page.waitForSelector("h2:has-text('Who beat whom')");
    expect(await page.locator(".banner").count()).toBe(simulated ? 1 : 0);
    if (simulated) expect(await page.locator("li.fault").allTextContents()).toEqual(["other"]);
    await page.context().close();
  }
});

it("shows the line that stores texts where a group has none, and no such line where it has", async () => {
  const { page, faults } = await open("/runs/mild/steps/9?owner=tests");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Prompt and rollouts')");
  expect(await page.locator("pre", { hasText: /^"spec": \{"log_texts": true\}$/ }).count()).toBe(1);
  expect(await page.getByText("were not stored").count()).toBe(1);
  await page.goto(new URL("/runs/scored/steps/7?owner=tests", page.url()).href);
  await page.locator("tbody a").first().click();
  await page.waitForSelector("details.said");
  expect(await page.getByText("were not stored").count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});
