import { describe, expect, it } from "vitest";

import { accessFaults, open, origin, shot, withRuns } from "./runs-setup.ts";

withRuns();

describe.each([
  ["light", 1280],
  ["dark", 400],
] as const)("scoring a run again, %s, %i px wide", (theme, width) => {
  it("by an expression, with the keyboard: what changes, and the new rewards over the logged ones", async () => {
    const { page, faults } = await open("/runs/again?owner=tests", { theme, width });
    await page.locator("summary", { hasText: "Rescore" }).focus();
    await page.keyboard.press("Enter");
    const text = page.getByLabel("Expression or name");
    expect(await text.inputValue()).toBe("base + format");
    await text.fill("0.25 - base");
    await page.getByLabel("from step").fill("12");
    await page.keyboard.press("Enter");
    const told = page.locator("[role=status]", { hasText: "the best rollout changes" });
    await told.waitFor();
    expect(await told.textContent()).toBe(
      "In 100 % of 2 groups the best rollout changes; rank correlation within groups -1 (Kendall's tau-b, mean of 2).",
    );
    const rows = await page.locator(".again tbody tr").allTextContents();
    expect(rows).toEqual([
      "mean0.5-0.25",
      "std0.4080.408",
      "groups with equal rewards0 %0 %",
      "rollouts without a reward00",
    ]);
    const rewards = page.locator(".chart", { hasText: "reward, mean" });
    expect(await rewards.locator(".plot-swatch").allTextContents()).toEqual(["as logged", "rescored"]);
    const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(over)).toBeLessThanOrEqual(0);
    expect(await accessFaults(page)).toEqual([]);
    await shot(page, `again-${theme}-${width}`);
    await rewards.scrollIntoViewIfNeeded();
    await shot(page, `again-chart-${theme}-${width}`);
    await page.getByRole("button", { name: "Remove" }).press("Enter");
    await rewards.locator(".plot-swatch").first().waitFor({ state: "detached" });
    expect(await told.count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("by what the log does not tell: each fault is named with its field", async () => {
    const { page } = await open("/runs/again?owner=tests", { theme, width });
    await page.locator("summary", { hasText: "Rescore" }).click();
    const text = page.getByLabel("Expression or name");
    const faultOf = async (words: string) => {
      await text.fill(words);
      await page.keyboard.press("Enter");
      return page.locator(".again [role=alert]", { hasText: ":" });
    };
    const unknown = await faultOf("base + nothing");
    await unknown.waitFor();
    expect(await unknown.locator("li").textContent()).toMatch(/^spec\.reward: .*nothing/);
    await page.getByLabel("Rescore with").selectOption("a stored spec");
    const judged = await faultOf("sampled");
    await judged.locator("code", { hasText: "spec.judge" }).waitFor();
    expect(await judged.textContent()).toMatch(/judge or schedule differs/);
    expect(await accessFaults(page)).toEqual([]);
    await shot(page, `again-fault-${theme}-${width}`);
    await faultOf("default");
    await page.locator("[role=status]", { hasText: "In 0 % of 3 groups" }).waitFor();
    expect(await judged.count()).toBe(0);
    await page.context().close();
  });
});

it("scores a run of several specs again from where its newest begins, unless told otherwise", async () => {
  const { page } = await open("/runs/by_win_rate");
  await page.locator("summary", { hasText: "Rescore" }).click();
  expect(await page.getByLabel("from step").inputValue()).toBe("21");
  await page.getByLabel("Expression or name").press("Enter");
  await page.locator("[role=status]", { hasText: "In 0 % of 4 groups" }).waitFor();
  await page.getByLabel("from step").fill("");
  await page.keyboard.press("Enter");
  await page.locator(".again [role=alert]", { hasText: "spec.signals.base: its judge" }).waitFor();
  await page.context().close();
});

it.each([
  ["light", 400],
  ["dark", 1280],
] as const)("compares two runs by their common prompts, %s, %i px wide", async (theme, width) => {
  const { page, faults } = await open("/runs/by_win_rate?with=by_net_win_rate", { theme, width });
  await page.getByRole("button", { name: "Compare by prompt" }).focus();
  await page.keyboard.press("Enter");
  const cells = page.locator(".compared tbody td");
  await cells.first().waitFor();
  expect(await cells.allTextContents()).toEqual([
    ...["by_net_win_rate", "mean reward", "0.5", "0.5 to 0.5", "4", "0.5", "0"],
    ...["2 steps, 21 to 22", "rewards from different specs"],
    ...["by_net_win_rate", "tau-b with labels", "0", "0 to 0", "4", "1", "1"],
    ...["2 steps, 21 to 22", "no significant difference; rewards from different specs"],
  ]);
  const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(over)).toBeLessThanOrEqual(0);
  expect(await accessFaults(page)).toEqual([]);
  await shot(page, `compared-${theme}-${width}`);
  expect(faults).toEqual([]);
  await page.goto(`${origin}/runs/by_win_rate?with=again`);
  await page.getByRole("button", { name: "Compare by prompt" }).click();
  await page.locator(".compared td", { hasText: "no common prompts with rewards" }).waitFor();
  await page.context().close();
});

it("lays a run of the page's owner over its own, before another key's of the same name", async () => {
  const { page, faults } = await open("/runs/by_win_rate?owner=tests&with=by_net_win_rate");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(decodeURIComponent(request.url())));
  await page.reload();
  await page.getByRole("button", { name: "Compare by prompt" }).click();
  await page.locator(".compared tbody td").first().waitFor();
  const ofRuns = asked.filter((url) => url.includes("/v1/runs/by_"));
  expect(ofRuns.filter((url) => url.includes("by_net_win_rate/groups?"))).toHaveLength(2);
  for (const url of ofRuns) expect(url).toContain("owner=tests");
  expect(faults).toEqual([]);
  await page.context().close();
});
