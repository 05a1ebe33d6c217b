// A group of agents' runs on its page: turn by turn, results folded, what the judge did not see marked.
import { expect, it } from "vitest";
import { accessFaults, HOSTILE, open, shot, withRuns } from "./runs-setup.ts";

withRuns();

async function groupOf(name: string, how: Parameters<typeof open>[1] = {}) {
  const opened = await open("/runs/agents/steps/3?owner=tests", how);
  await opened.page.locator("tbody a", { hasText: name }).first().click();
  await opened.page.waitForSelector("h2:has-text('Prompt and rollouts')");
  return opened;
}

it("draws calls in monospace, folds results and files, and counts the verdicts that name a turn", async () => {
  const { page, faults } = await groupOf("article-slugs");
  const first = page.locator("details.said", { has: page.locator("summary", { hasText: /^#0, reward 1, 4 turns/ }) });
  expect(await first.locator("> summary").textContent()).toBe("#0, reward 1, 4 turns, of which the verifier saw 100 %");
  expect(await first.locator(".turn > h3").allTextContents()).toEqual([
    "Turn 1 assistant",
    expect.stringMatching(/^Turn 2 assistantnamed by \d verdicts?$/),
    "Turn 3 assistant",
    "Turn 4 assistant",
    "Files",
  ]);
  const call = first.locator(".call pre").first();
  expect(await call.textContent()).toBe('{"run":"ls && cat slug.mjs test.mjs"}');
  expect(await call.evaluate((pre) => getComputedStyle(pre).fontFamily)).toMatch(/mono/);
  const results = first.locator("details.result");
  expect(await results.evaluateAll((all) => all.map((one) => (one as HTMLDetailsElement).open))).not.toContain(true);
  await results.first().locator("summary").click();
  expect(await results.first().locator("pre").textContent()).toContain("export function slug");
  await first.getByText("slug.mjs:").click();
  expect(await first.locator(".added").first().textContent()).toMatch(/^\+/);
  expect(await page.locator("td[data-title=shown]").first().textContent()).toBe("100 %");
  expect(await accessFaults(page)).toEqual([]);
  await first.locator(".added").first().scrollIntoViewIfNeeded();
  await shot(page, "transcript");
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  ["dark", 1280],
  ["light", 390],
] as const)("marks the middle of a result that its judge did not see, in %s at %i pixels", async (theme, width) => {
  const { page, faults } = await groupOf("old-logs", { theme, width });
  const cut = page.locator("details.result", { has: page.locator("summary", { hasText: "not seen by the verifier" }) });
  expect(await cut.locator("> summary").textContent()).toMatch(
    /^result of 2\.1: 3,9\d\d characters, 2,0\d\d of them not seen by the verifier$/,
  );
  await cut.locator("> summary").click();
  const [head, middle, tail] = await cut.locator("pre").allTextContents();
  expect(head).toMatch(/^2026-03-03 12:00:00/);
  expect(tail).toMatch(/10\.0\.0\.6$/);
  expect(`${head}${middle}${tail}`.split("\n")).toHaveLength(60);
  expect(await cut.locator("details.cut > summary").textContent()).toBe(
    `${(middle as string).length.toLocaleString("en")} characters left out`,
  );
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(await accessFaults(page)).toEqual([]);
  await cut.evaluate((result) => result.closest(".turn")?.scrollIntoView());
  await shot(page, `transcript-${theme}-${width}`);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("draws whatever an agent and its tools wrote as text", async () => {
  const { page, faults } = await groupOf("2");
  const run = page.locator("details.said", { has: page.locator("summary", { hasText: /^#0, reward [01], 2 turns/ }) });
  for (const summary of await run.locator("details.result > summary").all()) await summary.click();
  const words = await run.locator("pre").allTextContents();
  expect(words.filter((text) => text.includes(HOSTILE)).length).toBeGreaterThanOrEqual(5);
  expect(await run.locator("img, script").count()).toBe(0);
  expect(await page.title()).not.toBe("owned");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("folds the turns shared by all rollouts, cut as the judge saw them, and draws a chat as turns", async () => {
  const { page, faults } = await groupOf("3");
  expect(await page.locator("details.said > summary").allTextContents()).toEqual([
    "prompt",
    expect.stringMatching(
      /^#0, reward [01], 2 turns, of which the verifier saw \d\d(\.\d)? %; characters left out: results 2,0\d\d$/,
    ),
    expect.stringMatching(/^#1, reward [01], 2 turns/),
  ]);
  const [prompt, first] = [page.locator("details.said").first(), page.locator("details.said").nth(1)];
  expect(await prompt.locator("h3").textContent()).toBe("Turn P1 user");
  expect(await first.locator(".run > .turn > h3").allTextContents()).toEqual([
    expect.stringMatching(/^Turn 2 assistant/),
  ]);
  const begun = first.locator("details.begun");
  expect(await begun.locator("> summary").textContent()).toBe("1 turn shared by all rollouts");
  expect(await begun.getAttribute("open")).toBeNull();
  await begun.locator("> summary").click();
  expect(await begun.locator("details.result > summary").textContent()).toMatch(
    /4,000 characters, 2,0\d\d of them not seen/,
  );
  expect(faults).toEqual([]);
  await page.context().close();
});
