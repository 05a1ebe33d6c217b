// How the charts of a run are looked at: signals with their codes, smoothed, zoomed, over time.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { accessFaults, open, shot, withRuns } from "./runs-setup.ts";

withRuns();

const chartOf = (page: Page, title: string) => page.locator(".chart", { has: page.locator("h3", { hasText: title }) });

it("draws each signal's mean, and beside it its missing values by code", async () => {
  const { page, faults } = await open("/runs/calm");
  const titles = await page.locator(".chart h3").allTextContents();
  const at = titles.findIndex((title) => title.startsWith("signal judged"));
  expect(titles.slice(at, at + 3).map((title) => title.replace(/SVG.*/, ""))).toEqual([
    ...["signal judged", "judged without a value", "signal brevity"],
  ]);
  expect(await chartOf(page, "brevity without").count()).toBe(0);
  await page.goto(page.url().replace("calm", "scored?owner=tests"));
  await chartOf(page, "reward, mean").waitFor();
  // The only signal is the reward, which has a chart.
  expect(await chartOf(page, "signal").count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  ["light", 1280],
  ["dark", 390],
] as const)(
  "smooths, zooms and lays over time, and keeps that in the address, %s, %i px wide",
  async (theme, width) => {
    const { page, faults } = await open("/runs/calm", { theme, width });
    const lines = chartOf(page, "signal brevity").locator("[aria-label=line] path, g path[stroke-width='1.5']");
    const raw = await lines.count();
    if (width < 640) await page.locator("summary", { hasText: "View" }).click();
    await page.getByLabel("Smoothing").selectOption({ label: "medium (0.9)" });
    const faint = chartOf(page, "signal brevity").locator("[stroke-opacity='0.25']");
    expect([await lines.count(), await faint.count()]).toEqual([raw, 1]);
    const drawing = chartOf(page, "reward, mean").locator("svg[role=img]");
    await drawing.scrollIntoViewIfNeeded();
    const box = (await drawing.boundingBox()) as { x: number; y: number; width: number; height: number };
    const across = (share: number) => [box.x + share * box.width, box.y + box.height / 2] as const;
    await page.mouse.move(...across(0.3));
    await page.mouse.down();
    await page.mouse.move(...across(0.5));
    await page.mouse.move(...across(0.6));
    expect(await page.locator("rect.band").count()).toBe(1);
    await page.mouse.up();
    const ends = async () => [
      await page.getByLabel("from", { exact: true }).inputValue(),
      await page.getByLabel("to", { exact: true }).inputValue(),
    ];
    const [from, to] = (await ends()).map(Number) as [number, number];
    expect(from).toBeGreaterThan(5);
    expect(to).toBeLessThan(45);
    expect(to - from).toBeGreaterThan(10);
    expect(page.url()).toContain(`smooth=0.9&from=${from}&to=${to}`.replace("smooth=0.9&", ""));
    await shot(page, `view-zoomed-${theme}-${width}`);
    await page.reload();
    await chartOf(page, "reward, mean").waitFor();
    expect(await ends()).toEqual([`${from}`, `${to}`]);
    await chartOf(page, "reward, mean").locator("svg[role=img]").dblclick();
    expect(await ends()).toEqual(["", ""]);
    await page.getByLabel("to", { exact: true }).fill("20");
    await page.keyboard.press("Enter");
    expect(page.url()).toContain("to=20");
    await page.getByRole("button", { name: "Whole run" }).press("Enter");
    expect(page.url()).not.toContain("to=");
    await page.getByLabel("Over", { exact: true }).selectOption("time");
    expect(await chartOf(page, "reward, mean").textContent()).toContain("hours since the run began");
    const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(over)).toBeLessThanOrEqual(0);
    expect(await accessFaults(page)).toEqual([]);
    await shot(page, `view-time-${theme}-${width}`);
    expect(faults).toEqual([]);
    await page.context().close();
  },
);
