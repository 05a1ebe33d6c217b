import { expect, it } from "vitest";

import { open, thousand, withRuns } from "./runs-setup.ts";

withRuns();

/** The page looks for new steps this often. */
const LOOK_MS = 5_000;

it("reads the last steps again: their requests were still coming, and how the table is sorted stays", async () => {
  const { page, faults } = await open("/runs/calm");
  await page.clock.install();
  await page.reload();
  const rows = page.locator(".scroll tbody tr");
  await rows.first().waitFor();
  await page.locator("th button", { hasText: "step" }).press("Enter");
  await page.locator("th button", { hasText: "step" }).press("Enter");
  expect(await rows.first().locator("td").first().textContent()).toBe("10");
  await page.locator(".chart", { hasText: "parse rate" }).locator("button", { hasText: "SVG" }).focus();
  await page.route("**/v1/runs/calm/steps?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.steps.at(-1).reward_mean = 0.123;
    body.steps.push({ ...body.steps.at(-1), step: 60, reward_mean: 0.456 });
    await route.fulfill({ response, json: body });
  });
  await page.clock.runFor(LOOK_MS);
  await page.locator("td", { hasText: "0.456" }).waitFor();
  expect(await rows.last().locator("td").nth(1).textContent()).toBe("0.456");
  expect(await rows.nth(-2).locator("td").nth(1).textContent()).toBe("0.123");
  expect(await rows.first().locator("td").first().textContent()).toBe("11");
  expect(await page.locator("caption").last().textContent()).toBe("the last 50 of 61 steps");
  const focused = await page.evaluate("document.activeElement.closest('.chart')?.querySelector('h3').textContent");
  expect(focused).toContain("parse rate");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("asks for nothing but the last steps while nothing comes, and draws nothing anew", async () => {
  const { page } = await open("/runs/calm");
  await page.clock.install();
  await page.reload();
  await page.locator(".chart svg").first().waitFor();
  await page.evaluate("document.querySelector('.charts').id = 'drawn-once'");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
  for (let look = 0; look < 3; look++) {
    const replied = page.waitForResponse("**/v1/runs/calm/steps?*");
    await page.clock.runFor(LOOK_MS);
    await replied;
  }
  expect(new Set(asked)).toEqual(new Set(["/v1/runs/calm/steps?after=56&limit=100&signals=true"]));
  expect(await page.locator("#drawn-once").count()).toBe(1);
  await page.context().close();
});

it("says when it could not look, and no more once it can", async () => {
  const { page } = await open("/runs/calm");
  await page.clock.install();
  await page.reload();
  await page.locator(".chart svg").first().waitFor();
  const state = page.locator("[aria-live=polite]");
  await page.route("**/v1/runs/calm/steps?*", (route) => route.abort());
  await page.clock.runFor(LOOK_MS);
  await state.getByText("The last check for new steps failed.").waitFor();
  await page.unroute("**/v1/runs/calm/steps?*");
  await page.clock.runFor(LOOK_MS);
  await state.getByText("last step 59.", { exact: false }).waitFor();
  // Not waitForFunction: its later looks evaluate a text, which the page's policy refuses.
  await state.filter({ hasText: "failed" }).waitFor({ state: "detached" });
  await page.context().close();
});

it("says of runs whose alarms were not looked up that it does not know them", async () => {
  const { page } = await open("/runs");
  await page.route("**/v1/runs?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const [first] = body.runs;
    for (let i = 0; i < 30; i++) body.runs.push({ ...first, run_id: `older-${i}` });
    await route.fulfill({ response, json: body });
  });
  await page.route("**/v1/runs/older-*/health?*", (route) =>
    route.fulfill({
      json: { on: [], looked_at: route.request().url().includes("older-1/") ? [] : ["nulls"], alarms: [], rows: [] },
    }),
  );
  await page.reload();
  await page.waitForSelector("tbody tr");
  const alarmsOf = (id: string) =>
    page
      .locator("tr")
      .filter({ has: page.getByText(id, { exact: true }) })
      .locator("td[data-title=alarms]")
      .textContent();
  expect(await alarmsOf("older-0")).toBe("none of 1");
  expect(await alarmsOf("older-1")).toBe("\u2013");
  expect(await alarmsOf("older-29")).toBe("\u2013");
  expect(await page.getByText("24 newest runs").count()).toBe(1);
  await page.context().close();
});

it("reads at most 20 KB for a new step of a run of 1,000 steps", async () => {
  const { page, faults } = await open("/runs/thousand");
  await page.clock.install();
  await page.reload();
  await page.locator(".chart svg").first().waitFor();
  const sizes: Promise<[string, number]>[] = [];
  page.on("response", (response) =>
    sizes.push(response.body().then((body) => [new URL(response.url()).pathname, body.length])),
  );
  const state = page.locator("[aria-live=polite]");
  const before = thousand.steps;
  for (const step of [before, before + 1]) {
    thousand.steps = step + 1;
    await page.clock.runFor(LOOK_MS);
    await state.getByText(`last step ${step.toLocaleString("en")}.`, { exact: false }).waitFor();
  }
  const read = await Promise.all(sizes);
  const bytes = read.reduce((sum, [, size]) => sum + size, 0) / 2;
  console.log(`a new step of a run of 1,000 steps takes ${bytes} bytes in ${read.length / 2} replies (limit: 20,000)`);
  expect(bytes).toBeLessThan(20_000);
  expect(new Set(read.map(([path]) => path.replace(/.*thousand/, "")))).toEqual(new Set(["/steps", "/health", ""]));
  // The new steps are in the charts of the alarms' rows, too.
  expect(await page.locator(".alarm-list li").count()).toBe(2);
  expect(await page.getByText("Alarms use the last").count()).toBe(0);
  expect(faults).toEqual([]);
  thousand.steps = before;
  await page.context().close();
});
