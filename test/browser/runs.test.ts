import { loadavg } from "node:os";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { percentile } from "../../src/core/math/stats.ts";

import { accessFaults, KEY, LONG_ID, open, origin, shot, withRuns } from "./runs-setup.ts";

withRuns();

describe.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 400],
  ["dark", 400],
] as const)("%s, %i px wide", (theme, width) => {
  it("runs, run, step and group are quiet, fit, and have no fault of access that is worse than minor", async () => {
    const { page, faults } = await open("/runs", { theme, width });
    const group = await page.evaluate(
      `fetch("/v1/runs/scored/groups?step=7&owner=tests", { headers: { authorization: "Bearer ${KEY}" } }).then((r) => r.json()).then((r) => r.groups[0].id)`,
    );
    await page.close();
    const ofRuns = ["/runs", "/runs/long", "/runs/calm", `/runs/${LONG_ID}`, "/runs/stepless", "/runs/calm?with=long"];
    const ofSteps = ["/runs/scored/steps/7?owner=tests", "/runs/calm/steps/60", "/runs/calm/steps/last"];
    for (const path of [...ofRuns, ...ofSteps, `/groups/${group}`, `/groups/${group}#pair=0-1`]) {
      const opened = await open(path, { theme, width });
      const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await opened.page.evaluate(over), path).toBeLessThanOrEqual(0);
      expect(await accessFaults(opened.page), path).toEqual([]);
      expect(opened.faults, path).toEqual([]);
      await shot(opened.page, `${path.replaceAll(/[^a-z0-9]+/gi, "-").slice(1, 40)}-${theme}-${width}`);
      await opened.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      expect(await accessFaults(opened.page), `${path}, all opened`).toEqual([]);
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

it.each([
  [1000, "thousand"],
  [2000, "long"],
])("opens a run of %i steps, and says in how many milliseconds", async (steps, id) => {
  const { page } = await open("/runs");
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    await page.goto(`${origin}/runs/${id}`);
    await page.waitForSelector(".chart svg");
    took.push((await page.evaluate("performance.now()")) as number);
  }
  console.log(
    `first chart of ${steps} steps after ${took.map(Math.round).join(", ")} ms, median ${Math.round(
      percentile(
        [...took].sort((a, b) => a - b),
        0.5,
      ),
    )} (wanted: at most 1,000 on a quiet machine; load ${loadavg()[0]?.toFixed(1)})`,
  );
  expect(await page.locator("caption", { hasText: `of ${steps} steps` }).count()).toBe(1);
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
])("shows the first chart of a run with alarms or a long id within %i x %i px", async (width, height) => {
  for (const id of ["long", LONG_ID]) {
    const { page } = await open(`/runs/${id}`, { width });
    const box = await page.locator(".chart").first().boundingBox();
    expect(box?.y, id).toBeLessThan(height);
    await page.context().close();
  }
});

it("finds a run by any alarm that is on, by a certain one, and by text", async () => {
  const { page } = await open("/runs");
  const shown = () => page.locator("tbody tr").count();
  expect(await shown()).toBe(17);
  await page.getByLabel("Alarm", { exact: true }).selectOption("any");
  expect(await shown()).toBe(2);
  for (const alarm of ["parse_rate_low", "flat_rewards"]) {
    await page.getByLabel("Alarm", { exact: true }).selectOption(alarm);
    expect(await shown(), alarm).toBe(1);
    expect(await page.locator("tbody tr").textContent()).toContain("parse_rate_low");
  }
  expect(await page.locator("caption").textContent()).toBe("1 of 17 runs, newest first");
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
  expect(cells).toContain("9.8B");
  await page.context().close();
});

it("asks once for a key, keeps it for the tab, and never puts it into an address", async () => {
  const { page } = await open("/runs", { key: null });
  // The form has the focus.
  await page.keyboard.type("wrong");
  expect(await page.getByLabel("API key with the scope logs").inputValue()).toBe("wrong");
  expect(await accessFaults(page)).toEqual([]);
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
  expect(await page.locator("tbody tr").first().textContent()).toContain("qwen");
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
    "without a reward0 % was 0 %",
    "median length, tokens1,049 was 1,007",
    "parse rate99 % was 99 %",
  ]);
  expect(await page.locator(".headlines svg path").count()).toBe(4);
  await page.goto(`${origin}/runs/${LONG_ID}`);
  await page.locator(".headlines").waitFor();
  // A single step has no trend.
  expect(await page.locator(".headlines svg").count()).toBe(0);
  expect(await page.locator(".headlines").textContent()).not.toContain("was");
  expect(faults).toEqual([]);
  await page.context().close();
});

const QUESTIONS = ["Is it learning?", "Is it being gamed?", "Is the judge well?", "What does it cost?"];

it("sorts charts by the question that they answer, and hides those without data", async () => {
  const { page, faults } = await open("/runs/calm");
  const titles = () => page.locator(".part h2").allTextContents();
  const charts = async (part: string) =>
    (await page.locator(".part", { hasText: part }).locator("h3").allTextContents()).map((text) =>
      text.replace(/SVG.*/, ""),
    );
  expect(await titles()).toEqual(QUESTIONS);
  expect(await charts("Is the judge well?")).toEqual([
    "parse rate",
    "verifier: ties, flips, cycles, unreadable",
    "verifier's answers cut at the limit",
  ]);
  // The rows have no entropy, so neither the line nor its legend is drawn.
  const legend = page.locator(".chart", { hasText: "near duplicates" }).locator(".plot-swatch");
  expect(await legend.allTextContents()).toEqual(["at cap", "duplicates"]);
  await page.route("**/v1/runs/calm/steps?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const row of body.steps) Object.assign(row, { generations: 0, prompt_tokens: 0, completion_tokens: 0 });
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  await page.waitForSelector(".part");
  expect(await titles()).toEqual(QUESTIONS.slice(0, 2));
  expect(faults).toEqual([]);
  await page.context().close();
});

it("names on a chart the threshold, the alarm that began and the change of the spec", async () => {
  const { page } = await open("/runs/long");
  const rate = page.locator(".chart", { hasText: "parse rate" });
  const labels = (kind: string) => rate.locator(`.${kind} text`).allTextContents();
  expect((await labels("threshold")).sort()).toEqual(["parse_rate_low (watch) below 0.95", "parse_rate_low below 0.8"]);
  expect(await labels("began")).toEqual(["parse_rate_low"]);
  expect(await labels("change")).toEqual(["spec changed"]);
  // Two alarms that begin at almost the same step have room for one label.
  const rewards = page.locator(".chart", { hasText: "reward, mean" });
  expect(await rewards.locator(".began text").count()).toBe(1);
  expect(await rewards.locator("svg [stroke='var(--required)'] line").count()).toBe(2);
  const shared = page.locator(".chart", { hasText: "near duplicates" }).locator(".threshold text");
  expect(await shared.allTextContents()).toEqual(["at_cap, near_duplicates above 0.5"]);
  await page.context().close();
});

it("no two labels of a chart overlap", async () => {
  const { page } = await open("/runs/long");
  for (const chart of await page.locator(".chart").all()) {
    const boxes = await chart
      .locator(".threshold text, .began text, .change text")
      .evaluateAll((labels) =>
        labels.map((label) => ({ text: label.textContent, box: label.getBoundingClientRect().toJSON() as DOMRect })),
      );
    const overlapping = boxes.flatMap(({ text, box: a }, i) =>
      boxes.slice(i + 1).flatMap(({ text: other, box: b }) => {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom - 3 <= b.top || b.bottom - 3 <= a.top;
        return apart ? [] : [`${text} over ${other}`];
      }),
    );
    expect(overlapping, (await chart.locator("h3").textContent()) ?? "").toEqual([]);
  }
  await page.context().close();
});

it("shows the page's place, title and room for charts before the data has come", async () => {
  const { page } = await open("/runs");
  let reply = () => {};
  const held = new Promise<void>((resolve) => {
    reply = resolve;
  });
  await page.route("**/v1/runs/calm/health?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${origin}/runs/calm`, { waitUntil: "commit" });
  await page.locator("main[aria-busy] .frame .chart").first().waitFor();
  expect(await page.locator("main h1").textContent()).toBe("calm");
  expect(await page.getByRole("status").textContent()).toMatch(/^Loading/);
  reply();
  await page.locator("main:not([aria-busy]) .chart svg").first().waitFor();
  expect(await page.locator(".frame").count()).toBe(0);
  await page.context().close();
});

it("cuts a long id in the middle, with all of it in the title and to be copied", async () => {
  const { page, faults } = await open("/runs");
  const link = page.locator(`tbody a[title='${LONG_ID}']`);
  const short = (await link.textContent()) as string;
  expect(short).toMatch(/^qwen2\.5.{8,}\u2026.*seed-17$/);
  expect(short.length).toBeLessThan(40);
  // No column is beyond the edge.
  const over = "document.querySelector('.scroll').scrollWidth - document.querySelector('.scroll').clientWidth";
  expect(await page.evaluate(over)).toBeLessThanOrEqual(0);
  await link.click();
  await page.waitForSelector("main:not([aria-busy]) h1");
  expect(await page.locator("h1").textContent()).toBe(short);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.getByRole("button", { name: "Copy id" }).click();
  await page.getByRole("button", { name: "Copy id: copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(LONG_ID);
  await page.goto(`${origin}/runs/calm?with=${LONG_ID}&with=thousand`);
  await page.locator(".plot-swatch", { hasText: short }).first().waitFor();
  // A run has one colour, also beside a run that a chart has no data of.
  const strokes = await page
    .locator(".plot-swatch", { hasText: "thousand" })
    .locator("line")
    .evaluateAll((all) => [...new Set(all.map((sign) => sign.getAttribute("stroke")))]);
  expect(strokes).toEqual(["var(--series-c)"]);
  expect(await page.locator("main", { hasText: LONG_ID }).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});
