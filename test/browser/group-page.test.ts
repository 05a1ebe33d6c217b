import { expect, it } from "vitest";

import { accessFaults, HOSTILE, open, shot, withRuns } from "./runs-setup.ts";

withRuns();

it("goes from the run to a verdict in three clicks, and what a model wrote is text", async () => {
  const { page, faults } = await open("/runs/scored?owner=tests");
  await page.locator("tbody a", { hasText: "7" }).first().click();
  await page.waitForSelector("h1:has-text('Step 7')");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  expect(await page.locator("h1").textContent()).toContain("<script>");
  await page.getByLabel("verdicts of #0 and #1").first().click();
  expect(await page.locator("caption", { hasText: /verdicts? of #0 and #1/ }).count()).toBe(1);
  expect(page.url()).toContain("#pair=0-1");
  const said = page.locator("section.said pre");
  expect(await said.first().textContent()).toBe(
    `${HOSTILE} \\boxed{${await page
      .locator(".said h3")
      .first()
      .textContent()
      .then((head) => /: (.) /.exec(head ?? "")?.[1])}}`,
  );
  // The prompt, three rollouts, and the pair's two side by side.
  expect(await page.locator("details.said pre").allTextContents()).toHaveLength(6);
  await page.locator("tr[data-rollout] a", { hasText: "#2" }).click();
  expect(page.url()).toContain("#rollout=2&pair=0-1");
  expect(await page.locator("tr[data-named]").getAttribute("data-rollout")).toBe("2");
  await page.reload();
  await page.waitForSelector("tr[data-named][data-rollout='2']");
  expect(await page.locator("caption", { hasText: /verdicts? of #0 and #1/ }).count()).toBe(1);
  await page.getByRole("button", { name: "All verdicts" }).press("Enter");
  expect(await page.locator("caption", { hasText: /^3 verdicts$/ }).count()).toBe(1);
  expect(page.url()).toMatch(/#rollout=2$/);
  expect(await page.title()).not.toBe("owned");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("shows soft verdicts as probabilities, and counts each for the one to whom it leans", async () => {
  const { page, faults } = await open("/runs/mild/steps/9?owner=tests");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  expect(await page.getByLabel("1/1 verdicts of #2 and #0").count()).toBe(1);
  expect(await page.getByLabel("0/1 verdicts of #0 and #2").count()).toBe(1);
  expect(await page.locator("td", { hasText: /^A 0\.(75|25), B 0\.(75|25)$/ }).count()).toBe(3);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("shows what the audit's judge said beside each pair, apart from the verdicts behind the rewards", async () => {
  const { page, faults } = await open("/runs/audited/steps/8?owner=tests");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  expect(await page.locator("caption", { hasText: "audit: 3 verdicts" }).count()).toBe(1);
  const column = page.locator("th", { hasText: "audit" });
  expect(await column.count()).toBe(1);
  await page.getByLabel("verdicts of #0 and #1").first().click();
  // The main judge prefers the longer; #1 is.
  const second = page.locator("caption", { hasText: /^audit: [AB]$/ });
  await second.waitFor();
  const heads = await page.locator(".said h3").allTextContents();
  expect(heads).toHaveLength(2);
  expect(heads[1]).toMatch(/^audit, /);
  expect(heads[1]).toContain(((await second.textContent()) as string).replace("audit: ", ": "));
  expect(await page.locator(".said pre").nth(1).textContent()).toContain(HOSTILE);
  expect(faults).toEqual([]);
  await shot(page, "audited");
  await page.context().close();
});

it("tells verdicts of several judges apart: a table of who beat whom for each, and each verdict's signal", async () => {
  const { page, faults } = await open("/runs/two_judges/steps/10?owner=tests");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  const captions = await page.locator("caption", { hasText: "wins against column" }).allTextContents();
  expect(captions).toEqual(["one", "two"].map((name) => `${name}: row's wins against column`));
  expect(await page.getByLabel("1/1 verdicts of #1 and #0").count()).toBe(2);
  await page.getByLabel("1/1 verdicts of #1 and #0").first().click();
  const rows = page.locator(".scroll", { has: page.locator("caption", { hasText: "2 verdicts of #1 and #0" }) });
  expect(await rows.locator("tbody td:first-child").allTextContents()).toEqual(["one", "two"]);
  expect((await page.locator(".said h3").allTextContents()).map((head) => head.split(" ")[0])).toEqual(["one", "two"]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("reads verdicts that are no letter: who of a pair had the higher score, was preferred, or stands first", async () => {
  const { page } = await open("/runs/scored/steps/7?owner=tests");
  const kinds = [
    { scores: [3, 8] },
    { verdict: { kind: "preference", strength: -1 } },
    { verdict: { kind: "ranking", places: [1, 0] } },
  ];
  let orders: number[][] = [];
  await page.route("**/v1/groups/*/verdicts", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    orders = body.verdicts.map(({ order }: { order: number[] }) => order);
    const verdicts = kinds.map((kind, i) => ({ ...body.verdicts[i], letter: null, scores: null, ...kind }));
    await route.fulfill({ response, json: { ...body, verdicts } });
  });
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  for (const [first, second] of orders) {
    expect(await page.getByLabel(`1/1 verdicts of #${second} and #${first}`).count()).toBe(1);
    expect(await page.getByLabel(`0/1 verdicts of #${first} and #${second}`).count()).toBe(1);
  }
  const rows = page.locator(".scroll", { has: page.locator("caption", { hasText: /^3 verdicts$/ }) });
  expect(await rows.locator("tbody td:nth-child(3)").allTextContents()).toEqual(["3, 8", "B slightly", "B > A"]);
  await page.context().close();
});

it("draws a tie as a tie, an answer without a verdict as unknown, and a duplicate by the rollout that it equals", async () => {
  const { page, faults } = await open("/runs/scored/steps/7?owner=tests");
  const kinds = [
    { verdict: { kind: "preference", strength: 0 } },
    { scores: [5, 5] },
    { verdict: null, status: "unparsed" },
  ];
  let orders: number[][] = [];
  await page.route("**/v1/groups/*/verdicts", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    orders = body.verdicts.map(({ order }: { order: number[] }) => order);
    const verdicts = kinds.map((kind, i) => ({ ...body.verdicts[i], letter: null, scores: null, ...kind }));
    await route.fulfill({ response, json: { ...body, verdicts } });
  });
  await page.route("**/v1/requests/*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const { result } of body.groups) result.rollouts[2].duplicate_of = 1;
    await route.fulfill({ response, json: body });
  });
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  for (const [at, result] of ["tie", "tie", "?"].entries()) {
    const [first, second] = orders[at] as [number, number];
    expect(await page.getByLabel(`${result} verdicts of #${first} and #${second}`, { exact: true }).count()).toBe(1);
    expect(await page.getByLabel(`${result} verdicts of #${second} and #${first}`, { exact: true }).count()).toBe(1);
  }
  const matrix = page.locator(".scroll", { has: page.locator("caption", { hasText: "wins against column" }) });
  expect(await matrix.locator("tbody td:first-child").allTextContents()).toEqual(["#0", "#1", "#2 = #1"]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("leads from step to step and from group to group, and says of a step that it has no groups", async () => {
  const { page, faults } = await open("/runs/scored/steps/7?owner=tests");
  await page.waitForSelector("h1:has-text('Step 7')");
  // A table of so few shows the highest and the lowest by itself.
  expect(await page.locator(".picks").count()).toBe(0);
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h1:has-text('Group')");
  expect(await page.locator("h1").textContent()).toMatch(/^Group .+ \u00b7 step 7$/);
  expect(await page.locator(".begins").textContent()).not.toBe("");
  await page.goto(new URL("/runs/scored/steps/999?owner=tests", page.url()).href);
  await page.waitForSelector("h1:has-text('Step 999 not found')");
  await page.getByText("This run has no groups at step 999: the run has only step 7.").waitFor();
  const nearest = page.getByLabel("Steps").getByRole("link");
  const told = (await nearest.textContent()) as string;
  await nearest.click();
  await page.waitForSelector(`h1:has-text('${told.replace("\u2190 ", "")}')`);
  await page.waitForSelector("tbody a");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("says which steps a run has where the address names none of them", async () => {
  const { page, faults } = await open("/runs/calm/steps/last");
  expect(await page.locator("h1").textContent()).toBe("Step last not found");
  expect(await page.getByRole("status").textContent()).toContain("the run has steps 0 to 59");
  expect(faults).toEqual([]);
  await page.goto(new URL("/runs/nobody/steps/3", page.url()).href);
  await page.getByRole("alert").waitFor();
  expect(await page.locator("h1").textContent()).toBe("Step 3");
  await page.context().close();
});

it("tells groups apart by their prompts, and leads over the requests of a step", async () => {
  const { page, faults } = await open("/runs/split/steps/5?owner=tests");
  const heads = await page.locator("thead th").allTextContents();
  expect(heads.slice(0, 4)).toEqual(["group", "prompt", "mean reward", "best reward"]);
  expect(heads).not.toContain("status");
  expect(await page.locator("td[data-title=prompt]").allTextContents()).toEqual(["Add.", "Sort."]);
  await page.locator("tbody a", { hasText: "Add." }).click();
  await page.waitForSelector("h1:has-text('Group Add. \u00b7 step 5')");
  expect(await page.locator(".begins").textContent()).toBe("Add.");
  await page.getByRole("link", { name: "Group Sort. \u2192" }).click();
  await page.waitForSelector("h1:has-text('Group Sort.')");
  await page.getByRole("link", { name: "\u2190 Group Add." }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it("names the groups of a step that was logged twice by their requests", async () => {
  const { page, faults } = await open("/runs/twice/steps/4?owner=tests");
  const links = page.locator("td[data-title=group]");
  expect(await links.allTextContents()).toEqual(["0, request 1", "0, request 2"]);
  await shot(page, "twice");
  await links.getByRole("link").first().click();
  await page.getByRole("link", { name: "Group 0, request 2 \u2192" }).click();
  await page.getByRole("link", { name: "\u2190 Group 0, request 1" }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  ["light", 1280],
  ["dark", 400],
] as const)(
  "shows two rollouts beside one another with the verdicts that decided them, %s, %i px wide",
  async (theme, width) => {
    const { page, faults } = await open("/runs/split/steps/5?owner=tests", { theme, width });
    await page.locator("tbody a").first().click();
    await page.waitForSelector("h2:has-text('Who beat whom')");
    const heads = await page.locator(".scroll").first().locator("th").allTextContents();
    expect(heads).toEqual(["rollout", "reward", "wins", "losses", "notes"]);
    expect(await page.locator("caption").first().textContent()).toBe(
      "3 rollouts; all zero: format, overlong, ties, undecided, unparsed",
    );
    const decided = page.locator(".decided");
    expect(await decided.allTextContents()).toEqual(["lost to #1, #2", "beat #0; lost to #2", "beat #0, #1"]);
    await decided.nth(1).getByRole("link", { name: "#2" }).click();
    const caption = page.locator("caption", { hasText: "1 verdict of #1 and #2" });
    await caption.waitFor();
    const sides = page.locator(".sides").last().locator("details");
    expect(await sides.locator("summary").allTextContents()).toEqual([
      "#1, reward 0.5, 16 characters",
      "#2, reward 1, 17 characters",
    ]);
    expect((await sides.locator("pre").allTextContents()).map((text) => /b+|c+/.exec(text)?.[0])).toEqual([
      "bb",
      "ccc",
    ]);
    const [left, right] = [await sides.first().boundingBox(), await sides.last().boundingBox()];
    expect((left?.y ?? 0) === (right?.y ?? 1)).toBe(width === 1280);
    expect(await accessFaults(page)).toEqual([]);
    await shot(page, `sides-${theme}-${width}`);
    await page.getByRole("button", { name: "All verdicts" }).click();
    expect(await page.locator("caption", { hasText: /^3 verdicts$/ }).count()).toBe(1);
    expect(faults).toEqual([]);
    await page.context().close();
  },
);
