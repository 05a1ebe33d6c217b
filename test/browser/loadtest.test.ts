// A load test's report as a browser shows it: from a file, complete, without any request, on
// desktop, phone and paper.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type KnownServer, startKnownServer } from "../../lab/loadtest/known-server.ts";
import { launchChromium, newPage } from "../harness/chromium.ts";

const MAIN = new URL("../../lab/loadtest/main.ts", import.meta.url).pathname;

let server: KnownServer;
let browser: Browser;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "loadtest-report-"));
  server = await startKnownServer({ latency_ms: 2 });
  const both = ["--target", server.url, "--baseline", server.url, "--kind", "verdicts", "--baseline-kind", "verdicts"];
  const load = ["--sweep", "20:80", "--sweep-steps", "3", "--duration", "1", "--warmup", "0.2", "--repeats", "2"];
  await promisify(execFile)(process.execPath, [MAIN, ...both, ...load, "--out", dir]);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

it.each([
  [1280, "light"],
  [390, "dark"],
] as const)("is whole and quiet at a width of %s in %s, and does not scroll sideways", async (width, colorScheme) => {
  const page = await newPage(browser, { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true });
  const faults: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  const url = `file://${join(dir, "report.html")}`;
  await page.goto(url, { waitUntil: "load" });
  expect({ faults, requests }).toEqual({ faults: [], requests: [url] });
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  const text = (await page.evaluate("document.body.innerText")) as string;
  for (const title of ["Result", "Knee", "Frontier", "Overhead", "Percentiles", "Timeline", "Time split", "Generator"])
    expect(text).toContain(title);
  const charts =
    "[...document.querySelectorAll('figure.chart')].map((f) => f.querySelectorAll('svg[role=img] path, svg[role=img] rect').length)";
  const marks = (await page.evaluate(charts)) as number[];
  expect(marks.length).toBeGreaterThanOrEqual(8);
  expect(marks.every((count) => count > 0)).toBe(true);
  await page.close();
});

it("prints as a document of several pages", async () => {
  const page = await newPage(browser);
  await page.goto(`file://${join(dir, "report.html")}`);
  const pdf = await page.pdf({ format: "A4" });
  expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length ?? 0).toBeGreaterThan(2);
  await page.close();
});
