// The documentation pages as a browser shows them: complete, without any request elsewhere, on
// desktop and phone.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import openapi from "../../public/openapi.json" with { type: "json" };
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
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

let edge: Edge;
let browser: Browser;
beforeAll(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error(`no browser at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`);
  edge = await startEdge({ host: "127.0.0.1", port: 0, script: await bundleLimitedWorker(), vars: {} });
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

describe.each([
  ["desktop", 1280],
  ["phone", 390],
])("on a %s", (_, width) => {
  it.each(["/docs", "/docs/errors"])(
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

  it("links each error code to a heading that exists", async () => {
    const { page } = await open("/docs/errors#invalid_request", 1280);
    expect(await page.evaluate("document.getElementById('invalid_request') !== null")).toBe(true);
    await page.close();
  });
});
