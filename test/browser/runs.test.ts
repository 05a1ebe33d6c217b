import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";

import { KEY, open, origin, serious, shot, withRuns } from "./runs-setup.ts";

withRuns();

describe.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 400],
  ["dark", 400],
] as const)("%s, %i px wide", (theme, width) => {
  it("runs, run, step and group are quiet, fit, and have no serious fault of access", async () => {
    const { page, faults } = await open("/runs", { theme, width });
    const group = await page.evaluate(
      `fetch("/v1/runs/scored/groups?step=7&owner=tests", { headers: { authorization: "Bearer ${KEY}" } }).then((r) => r.json()).then((r) => r.groups[0].id)`,
    );
    await page.close();
    for (const path of ["/runs", "/runs/long", "/runs/scored/steps/7?owner=tests", `/groups/${group}`]) {
      const opened = await open(path, { theme, width });
      const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await opened.page.evaluate(over), path).toBeLessThanOrEqual(0);
      expect(await serious(opened.page), path).toEqual([]);
      expect(opened.faults, path).toEqual([]);
      await shot(opened.page, `${path.split("/").slice(1, 3).join("-").slice(0, 20)}-${theme}-${width}`);
      await opened.page.context().close();
    }
    expect(faults).toEqual([]);
  });
});

it("a run of 2,000 steps tells its alarms, and where they began", async () => {
  const { page } = await open("/runs/long");
  const alarms = await page.locator(".alarm-list li").allTextContents();
  expect(alarms.map((text) => text.split(":")[0])).toEqual([
    expect.stringMatching(/^60 % of the groups have equal rewards, so they teach nothing, since step \d+\. Look at/),
    // The mean of ten steps is beyond its threshold a step after the answers are.
    "Only 60 % of the verifier's answers are readable, since step 1701. Look at",
  ]);
  expect(await page.locator(".chart").count()).toBeGreaterThanOrEqual(8);
  await page.context().close();
});

it("opens a run of 2,000 steps, and says in how many milliseconds", async () => {
  const { page } = await open("/runs");
  const took: number[] = [];
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    await page.goto(`${origin}/runs/long`);
    await page.waitForSelector(".chart svg");
    await page.waitForSelector("tbody tr");
    took.push(Math.round(performance.now() - started));
  }
  console.log(`a run of 2,000 steps opens in ${took.join(", ")} ms (wanted: below 1,500)`);
  expect(await page.locator("caption", { hasText: "of 2000 steps" }).count()).toBe(1);
  await page.context().close();
});

it("reads a run whose steps are large in parts, and says how far alarms look back", async () => {
  const { page } = await open("/runs/heavy");
  expect(await page.locator("caption", { hasText: "of 120 steps" }).count()).toBe(1);
  expect(await page.getByText("Alarms use the last 60 steps.").count()).toBe(1);
  await page.context().close();
  const calm = await open("/runs/calm");
  expect(await calm.page.getByText("Alarms use the last").count()).toBe(0);
  await calm.page.context().close();
});

it("shows how rewards are spread, and marks where a spec changed in every chart", async () => {
  const { page } = await open("/runs/calm");
  await page.getByRole("button", { name: "Show the distribution of rewards" }).press("Enter");
  await page.getByText("Rewards of 60 steps.").waitFor();
  const heat = page.locator(".chart", { hasText: "distribution of rewards" });
  expect(await heat.locator("svg rect").count()).toBeGreaterThan(100);
  const rules = page.locator(".chart svg line[stroke='var(--calm)'], .chart svg [stroke='var(--calm)'] line");
  expect(await rules.count()).toBe(await page.locator(".chart").count());
  await page.locator("summary", { hasText: "2 specs" }).click();
  for (const from of ["from step 0", "from step 30"]) {
    expect(await page.locator("li", { hasText: from }).count(), from).toBe(1);
  }
  await page.context().close();
});

it("lays other runs over one, names them in the address, and takes them away again", async () => {
  const { page, faults } = await open("/runs/calm");
  await page.getByLabel("Compare with another run").fill("long");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs/calm?with=long");
  const legend = page.locator(".chart", { hasText: "parse rate" }).first();
  await legend.locator("text=long").first().waitFor();
  expect(await legend.textContent()).toContain("calm");
  // One colour a run, dashes a series: the legend's signs are the lines themselves.
  const signs = page.locator(".chart", { hasText: "agreement with labels" }).locator(".plot-swatch line");
  const drawn = await signs.evaluateAll((all) =>
    all.map((one) => ["stroke", "stroke-dasharray"].map((name) => one.getAttribute(name) ?? "").join(" ")),
  );
  expect(drawn).toHaveLength(4);
  expect(new Set(drawn).size).toBe(4);
  expect(new Set(drawn.map((sign) => sign.split(" ")[0])).size).toBe(2);
  const undefinedTau = page.locator("tbody tr", { has: page.locator("td", { hasText: /^57$/ }) }).locator("td");
  expect(await undefinedTau.nth(5).textContent()).toBe("undefined");
  await shot(page, "overlay");
  await page.getByRole("button", { name: "Remove long" }).click();
  await page.waitForURL("**/runs/calm?");
  await page.waitForSelector(".chart");
  expect(await page.locator(".plot-swatches", { hasText: "long" }).count()).toBe(0);
  await page.goto(`${origin}/runs/calm?with=nobody`);
  await page.locator("[role=alert]", { hasText: "readable with this key: nobody" }).waitFor();
  // The browser itself logs the refusal of the run that is not there.
  expect(faults.filter((text) => !text.includes("404"))).toEqual([]);
  await page.context().close();
});

it("copies a chart as SVG that needs none of the page's style, and the steps as CSV", async () => {
  const { page } = await open("/runs/calm");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const copied = async (button: Locator) => {
    await button.click();
    await button.and(page.locator(":has-text('copied')")).waitFor();
    return (await page.evaluate("navigator.clipboard.readText()")) as string;
  };
  const svg = await copied(page.locator(".chart button", { hasText: "Copy" }).first());
  expect(svg).toMatch(/^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(svg).not.toMatch(/var\(|currentColor/);
  const csv = await copied(page.getByRole("button", { name: "Copy CSV" }));
  expect(csv.split("\n")).toHaveLength(61);
  expect(csv).toMatch(/^step,/);
  await page.context().close();
});

it("compares the runs that are ticked in the list, and at most five", async () => {
  const { page, faults } = await open("/runs");
  const compare = page.getByRole("link", { name: /^Compare/ });
  expect(await compare.count()).toBe(0);
  for (const id of ["long", "calm"]) await page.getByLabel(`Compare ${id}`, { exact: true }).check();
  expect(await compare.textContent()).toBe("Compare 2 runs");
  const owned = page.locator("tbody tr", { has: page.locator("td[data-title=owner]", { hasText: "tests" }) });
  expect(await owned.count()).toBeGreaterThan(5);
  for (const row of await owned.all()) await row.getByRole("checkbox").check();
  expect(await page.locator("tbody input:checked").count()).toBe(5);
  expect(await compare.textContent()).toBe("Compare 5 runs");
  // A run of another owner begins a new choice.
  await page.getByLabel("Compare long", { exact: true }).check();
  expect([await page.locator("tbody input:checked").count(), await compare.count()]).toEqual([1, 0]);
  await page.getByLabel("Compare calm", { exact: true }).check();
  await compare.click();
  await page.waitForSelector("main:not([aria-busy]) h1:has-text('long')");
  await page.getByRole("button", { name: "Remove calm" }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  [1280, 800],
  [400, 600],
])("shows the first chart of a run with alarms within %i x %i px", async (width, height) => {
  const { page } = await open("/runs/long", { width });
  const box = await page.locator(".chart").first().boundingBox();
  expect(box?.y).toBeLessThan(height);
  await page.context().close();
});

it("finds a run by any alarm that is on, by a certain one, and by text", async () => {
  const { page } = await open("/runs");
  const shown = () => page.locator("tbody tr").count();
  expect(await shown()).toBe(12);
  await page.getByLabel("Alarm", { exact: true }).selectOption("any");
  expect(await shown()).toBe(2);
  for (const alarm of ["parse_rate_low", "flat_rewards"]) {
    await page.getByLabel("Alarm", { exact: true }).selectOption(alarm);
    expect(await shown(), alarm).toBe(1);
    expect(await page.locator("tbody tr").textContent()).toContain("parse_rate_low");
  }
  expect(await page.locator("caption").textContent()).toBe("1 of 12 runs, newest first");
  await page.getByLabel("Alarm", { exact: true }).selectOption("");
  await page.getByLabel("Filter by run id").fill("cal");
  expect(await page.locator("tbody tr").textContent()).toContain("calm");
  await page.context().close();
});

it("tells each run's groups and its verifier's tokens, and sorts by them", async () => {
  const { page } = await open("/runs");
  await page.locator("th button", { hasText: "tokens" }).click();
  const cells = await page.locator("tbody tr").first().locator("td").allTextContents();
  expect(cells).toContain("long");
  expect(cells).toContain((64 * 2000).toLocaleString("en"));
  expect(cells).toContain((4_900_000 * 2000).toLocaleString("en"));
  await page.context().close();
});

it("asks once for a key, keeps it for the tab, and never puts it into an address", async () => {
  const { page } = await open("/runs", { key: null });
  // The form has the focus.
  await page.keyboard.type("wrong");
  expect(await page.getByLabel("API key with the scope logs").inputValue()).toBe("wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("form .soft:has-text('key')");
  await page.getByLabel("API key with the scope logs").fill(KEY);
  await page.keyboard.press("Enter");
  await page.waitForSelector("table");
  await page.locator("tbody a", { hasText: "calm" }).click();
  await page.waitForSelector("h1:has-text('calm')");
  expect(page.url()).not.toContain(KEY);
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.getByLabel("API key with the scope logs").waitFor();
  expect(await page.getByRole("button", { name: "Forget the key" }).count()).toBe(0);
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  await page.context().close();
});

it("a table sorts by its titles with the keyboard", async () => {
  const { page } = await open("/runs");
  await page.locator("th button", { hasText: "last step" }).focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("tbody tr").first().textContent()).toContain("long");
  await page.keyboard.press("Enter");
  expect(await page.locator("tbody tr").first().textContent()).toContain("ill");
  expect(await page.locator("th[aria-sort=ascending]").textContent()).toContain("last step");
  // What is sorted stays so while one types.
  await page.getByLabel("Filter by run id").fill("a");
  expect(await page.locator("th[aria-sort=ascending]").textContent()).toContain("last step");
  expect(await page.locator("tbody tr").first().textContent()).toContain("agents");
  await page.context().close();
});

it("heads a run with figures of its last steps, compared with the first", async () => {
  const { page, faults } = await open("/runs/calm");
  await page.locator(".headlines").waitFor();
  const told = await page.locator(".headlines > div").allTextContents();
  expect(told).toEqual([
    "malformed answers4 % was 4 %",
    "median length1,049 tokens was 1,007 tokens",
    "parse rate99 % was 99 %",
  ]);
  expect(faults).toEqual([]);
  await page.context().close();
});
