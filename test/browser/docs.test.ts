// The documentation pages as a browser shows them: complete, without any request elsewhere, on
// desktop and phone.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import { openapi } from "../harness/openapi.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Nothing here is judged. */
const VERIFIER = { VERIFIER_URL: "http://127.0.0.1:9/v1", VERIFIER_MODEL: "none" };

let edge: Edge;
let browser: Browser;
beforeAll(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error(`no browser at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`);
  edge = await startEdge({ host: "127.0.0.1", port: 0, script: await bundleLimitedWorker(), vars: VERIFIER });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
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
async function open(path: string, width: number) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
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

describe.each([
  ["desktop", 1280, "light"],
  ["phone", 400, "dark"],
] as const)("on a %s", (_, width, colorScheme) => {
  it(`/docs has no fault that axe-core finds, in ${colorScheme}`, async () => {
    const { page } = await open("/docs", width);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const violations = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))";
    expect(await page.evaluate(violations)).toEqual([]);
    await page.close();
  });

  it.each(["/", "/docs", "/docs/errors", "/docs/alarms", "/docs/guides", "/docs/integrations", "/docs/signals"])(
    "%s is whole, quiet, asks nobody else and does not scroll sideways",
    async (path) => {
      const { page, faults, elsewhere } = await open(path, width);
      expect(await page.title()).not.toBe("");
      expect(
        await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
      ).toBeLessThanOrEqual(0);
      expect(await page.evaluate("getComputedStyle(document.body).fontFamily")).not.toBe("");
      expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
      await page.close();
    },
  );
});

describe("/docs", () => {
  it("shows every route of the OpenAPI document", async () => {
    const { page } = await open("/docs", 1280);
    const text = (await page.evaluate("document.body.innerText")) as string;
    for (const path of Object.keys(openapi.paths)) expect(text).toContain(path);
    await page.close();
  });

  it("finds a field by its name, by keyboard alone, and opens what it lies in", async () => {
    const { page, faults } = await open("/docs", 400);
    await page.keyboard.press("/");
    await page.keyboard.type("reask");
    const first = page.locator("#search li a").first();
    expect(await first.textContent()).toMatch(/^reaskPOST \/v1\/rewards › spec › judge: how often/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const found = page.locator(".found");
    expect(await found.isVisible()).toBe(true);
    expect(await found.textContent()).toContain("reask");
    expect(await page.locator("#search ul").isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("finds an error code of the page beside it, and says when nothing is found", async () => {
    const { page } = await open("/docs", 1280);
    await page.locator("#search input").fill("parse_rate_low");
    await page.locator('#search a[href="/docs/errors#parse_rate_low"]').waitFor();
    await page.locator("#search input").fill("no such words anywhere");
    await expect.poll(() => page.locator("#search output").textContent()).toBe("nothing found");
    await page.close();
  });

  it("is searched together with the guides, on a guide's page too", async () => {
    const { page, faults, elsewhere } = await open("/docs", 1280);
    await page.locator("#search input").fill("drift_probe come again");
    await page.locator('#search a[href="/docs/alarms#groups-that-come-again"]').waitFor();
    await page.goto(`${edge.url}/docs/guides/training`);
    await page.locator("#search input").fill("gathering");
    const found = page.locator("#search li a");
    await page.locator('#search a[href="/docs/integrations/gathering"]').waitFor();
    const first = await found.evaluateAll((links) => links.slice(0, 2).map((link) => link.getAttribute("href")));
    expect(first).toContain("/docs/integrations/gathering");
    await page.locator("#search input").fill("rescore run");
    await page.locator('#search a[href="/docs#rescoreRun"]').click();
    await page.waitForURL("**/docs#rescoreRun");
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
    await page.close();
  });

  it.each(["/", "/docs/guides/training", "/docs/schedules"])("%s has no fault that axe-core finds", async (path) => {
    const { page } = await open(path, 390);
    await page.evaluate(AXE);
    const violations = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))";
    expect(await page.evaluate(violations)).toEqual([]);
    await page.close();
  });

  it("shows every example in the language that is chosen at one, also the next time", async () => {
    const { page } = await open("/docs", 1280);
    await page.locator("label[for=scoreRewards-python]").click();
    expect(await page.locator("#scoreRewards .of-python").isVisible()).toBe(true);
    expect(await page.locator("#getRun .of-python").isVisible()).toBe(true);
    expect(await page.locator("#getRun .of-curl").isVisible()).toBe(false);
    await page.reload();
    expect(await page.locator("#getRun .of-python").isVisible()).toBe(true);
    await page.close();
  });

  it("is whole without a script: every route, every field, each language", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${edge.url}/docs`);
    expect(await page.locator("#search").isVisible()).toBe(false);
    await page.locator("label[for=scoreRewards-typescript]").click();
    expect(await page.locator("#scoreRewards .of-typescript").isVisible()).toBe(true);
    expect(await page.locator("#scoreRewards .of-curl").isVisible()).toBe(false);
    await context.close();
  });

  it("links each error code to a heading that exists", async () => {
    const { page } = await open("/docs/errors#invalid_request", 1280);
    expect(await page.evaluate("document.getElementById('invalid_request') !== null")).toBe(true);
    await page.close();
  });
});

describe("the TypeScript client", () => {
  it("has groups rewarded and streamed from a page", async () => {
    const { outputFiles } = await build({
      ...{ entryPoints: ["clients/typescript/src/index.ts"], bundle: true, write: false, format: "iife" },
      ...{ globalName: "kritai", platform: "browser", target: "es2022" },
    });
    const { page } = await open("/runs", 1280);
    // Of a group of one nothing is compared, so that no verifier is asked.
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
