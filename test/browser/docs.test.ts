// The documentation pages as a browser shows them: complete, without any request elsewhere, on
// desktop and phone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import { launchChromium, newPage } from "../harness/chromium.ts";
import { openapi } from "../harness/openapi.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";

/** Nothing here is judged. */
const VERIFIER = { VERIFIER_URL: "http://127.0.0.1:9/v1", VERIFIER_MODEL: "none" };

let edge: Edge;
let browser: Browser;
beforeAll(async () => {
  edge = await startEdge({ host: "127.0.0.1", port: 0, script: await bundleLimitedWorker(), vars: VERIFIER });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  try {
    if (edge !== undefined) await expectWithinLimits(edge.url);
  } finally {
    await edge?.close();
  }
});

/** Opens a page and collects what went wrong on it and what it asked of other hosts. */
async function open(path: string, width: number, colorScheme: "light" | "dark" = "light") {
  const page = await newPage(browser, { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
  const faults: string[] = [];
  const elsewhere: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("requestfailed", (request) => faults.push(request.url()));
  page.on("request", (request) => new URL(request.url()).origin !== edge.url && elsewhere.push(request.url()));
  await page.goto(edge.url + path, { waitUntil: "load" });
  return { page, faults, elsewhere };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violationsOn(page: Page): Promise<unknown> {
  // A colour in motion is judged by chance.
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  await page.evaluate(AXE);
  return page.evaluate("axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))");
}

/** The parts of the document that are looked at here. */
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.values(item as Record<string, { operationId: string; tags: [string] }>).map(({ operationId, tags }) => ({
    path,
    operationId,
    tag: tags[0],
  })),
);
const REWARDS = "/docs/api/scoring#/Scoring/scoreRewards";

/** The operation that Swagger UI has opened, once its replies are drawn. */
async function opened(page: Page): Promise<Locator> {
  const block = page.locator(".opblock.is-open");
  await block.locator(".responses-wrapper").waitFor();
  return block;
}

describe.each([
  ["desktop", 1280, "light"],
  ["phone", 400, "dark"],
] as const)("on a %s", (_, width, colorScheme) => {
  it.each([
    "/docs",
    "/",
    "/docs/guides",
    "/docs/guides/training",
    "/docs/schedules",
    "/docs/errors",
    "/docs/alarms",
    "/nothing",
  ])(`%s has no fault that axe-core finds, in ${colorScheme}`, async (path) => {
    const { page } = await open(path, width, colorScheme);
    expect(await violationsOn(page)).toEqual([]);
    await page.close();
  });

  it(`an operation has no fault that axe-core finds, in ${colorScheme}: its example, its fields, as it is tried`, async () => {
    const { page } = await open(REWARDS, width, colorScheme);
    const block = await opened(page);
    expect(await violationsOn(page)).toEqual([]);
    await block.getByRole("tab", { name: "Schema" }).first().click();
    await block.locator(".json-schema-2020-12").first().waitFor();
    await block.getByRole("button", { name: "Expand all" }).first().click();
    expect(await violationsOn(page)).toEqual([]);
    await block.getByRole("button", { name: "Try it out" }).click();
    await block.locator("textarea").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.close();
  });

  it.each([
    ...["/", "/docs", "/docs/errors", "/docs/alarms", "/docs/guides", "/docs/integrations", "/docs/signals"],
    ...["/docs/api/contracts-of-other-tools", REWARDS],
  ])("%s is whole, quiet, asks nobody else and does not scroll sideways", async (path) => {
    const { page, faults, elsewhere } = await open(path, width, colorScheme);
    if (path.startsWith("/docs/api/")) await page.locator(".opblock").first().waitFor();
    if (path === REWARDS) await opened(page);
    expect(await page.title()).not.toBe("");
    expect(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    ).toBeLessThanOrEqual(0);
    expect(await page.evaluate("getComputedStyle(document.body).fontFamily")).not.toBe("");
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
    await page.close();
  });
});

describe("/docs", () => {
  it("shows every route of the OpenAPI document, without a script too", async () => {
    const page = await newPage(browser, { javaScriptEnabled: false });
    await page.goto(`${edge.url}/docs`);
    const text = await page.locator("main").innerText();
    for (const { path } of OPERATIONS) expect(text).toContain(path);
    await page.close();
  });

  it("shows an operation's row at the address that earlier versions gave it, and leads to its page", async () => {
    const { page, faults } = await open("/docs#rescoreRun", 1280);
    const row = page.locator("#rescoreRun:target");
    expect(await row.isVisible()).toBe(true);
    await row.getByRole("link").click();
    await page.waitForURL("**/docs/api/run-log#/Run%20log/rescoreRun");
    expect(await (await opened(page)).locator(".opblock-summary-path").textContent()).toContain("rescore");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("links each error code to a heading that exists", async () => {
    const { page } = await open("/docs/errors#invalid_request", 1280);
    expect(await page.evaluate("document.getElementById('invalid_request') !== null")).toBe(true);
    await page.close();
  });
});

describe("a resource's page", () => {
  it("shows the operations of its tag and no others", async () => {
    const { page } = await open("/docs", 1280);
    const pages = await page.locator("nav.wide a[href^='/docs/api/']").evaluateAll((links) => links.map(String));
    const shown: (string | null)[] = [];
    for (const address of pages) {
      await page.goto(address);
      await page.locator(".opblock").first().waitFor();
      const tag = await page.locator("h1").textContent();
      const ids = await page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id));
      expect(ids.sort(), address).toEqual(
        OPERATIONS.filter((operation) => operation.tag === tag)
          .map(({ operationId }) => `operations-${tag?.replaceAll(" ", "_")}-${operationId}`)
          .sort(),
      );
      shown.push(tag);
    }
    expect(shown.sort()).toEqual([...new Set(OPERATIONS.map(({ tag }) => tag))].sort());
    await page.close();
  });

  it("opens the operation of its address, and that of each link of its contents", async () => {
    const { page } = await open(REWARDS, 1280);
    expect(await (await opened(page)).getAttribute("id")).toBe("operations-Scoring-scoreRewards");
    await page.locator("nav.wide a[href='#/Scoring/listBatches']").click();
    await page.locator("#operations-Scoring-listBatches.is-open").waitFor();
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "tries a call on its server with the key that is typed in, in %s",
    async (scheme) => {
      const address = "/docs/api/contracts-of-other-tools#/Contracts%20of%20other%20tools/listModels";
      const { page, faults, elsewhere } = await open(address, 1280, scheme);
      const block = await opened(page);
      await page.getByRole("button", { name: "Authorize", exact: true }).first().click();
      await page.locator(".auth-container input").first().fill("typed-key");
      expect(await violationsOn(page)).toEqual([]);
      await page.locator(".auth-btn-wrapper .authorize").first().click();
      await page.locator(".btn-done").first().click();
      await block.getByRole("button", { name: "Try it out" }).click();
      const [request] = await Promise.all([
        page.waitForRequest(`${edge.url}/v1/models`),
        block.getByRole("button", { name: "Execute" }).click(),
      ]);
      expect((await request.response())?.status()).toBe(200);
      expect(request.headers().authorization).toBe("Bearer typed-key");
      await block.locator(".live-responses-table").waitFor();
      expect(await block.locator(".curl").textContent()).toContain(`${edge.url}/v1/models`);
      expect(await violationsOn(page)).toEqual([]);
      expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
      await page.close();
    },
  );
});

describe("the TypeScript client", () => {
  it("has groups rewarded and streamed from a page", async () => {
    const { outputFiles } = await build({
      ...{ entryPoints: ["clients/typescript/src/index.ts"], bundle: true, write: false, format: "iife" },
      ...{ globalName: "kritai", platform: "browser", target: "es2022" },
    });
    const { page } = await open("/runs", 1280);
    // In a group of one nothing is compared, so that no verifier is asked.
    const used = `(async () => {
      const client = kritai.createClient({ url: location.origin });
      const request = { groups: [{ prompt: "p", rollouts: [{ text: "alone" }] }] };
      const { rewards, groups } = await client.rewards(request);
      const types = [];
      for await (const { type } of client.streamRewards(request)) types.push(type);
      const refused = await client.rewards({ groups: [] }).catch(({ name, code }) => [name, code]);
      return { rewards, error: groups[0].rollouts[0].error, types, refused };
    })()`;
    expect(await page.evaluate(`${outputFiles[0]?.text};${used}`)).toEqual({
      ...{ rewards: [[null]], error: "group_too_small", types: ["group", "done"] },
      refused: ["KritaiError", "invalid_request"],
    });
    await page.close();
  });
});
