// The pages of runs in headless Chromium over the app: a run of 2,000 steps, its alarm, a step, a
// group and its verdicts; on a phone's width, in both themes, by keyboard; texts as texts; whose run.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import type { RunKey, RunLog } from "../../src/scoring/run-log-port.ts";
import { committedAssets, fakeRunLog, fakeSpecStore, fakeVerifier, fixedClock, preferring } from "../harness/fakes.ts";
import { detail, healthRows, type MadeRun, stepRows, summary } from "./run-rows.ts";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const KEY = "the-key-of-the-tests";
const HOSTILE = '<script>document.title="owned"</script>\u001b[31m<img src=x onerror=alert(1)>';

const long: MadeRun = { id: "long", steps: 2000, ill_from: 1700 };
const calm: MadeRun = { id: "calm", steps: 60, ill_from: null };
const made = [long, calm];

/** The made runs beside those that are really scored. */
function logOf(scored: RunLog): RunLog {
  const of = ({ run_id }: RunKey) => made.find(({ id }) => id === run_id);
  return {
    ...scored,
    async runs(page) {
      const { rows, next_cursor } = await scored.runs(page);
      return { rows: [...made.map(summary), ...rows], next_cursor };
    },
    async run(key) {
      const run = of(key);
      return run === undefined ? scored.run(key) : detail(run);
    },
    async steps(key, range) {
      const run = of(key);
      if (run === undefined) return scored.steps(key, range);
      return stepRows(run).filter(({ step }) => (step as number) > (range.after ?? -1));
    },
    async health(key, steps) {
      const run = of(key);
      return run === undefined ? scored.health(key, steps) : healthRows(run).slice(-steps);
    },
  };
}

const digestOf = async (key: string) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));

let browser: Browser;
let origin: string;
let close: () => void;
beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: install Debian's chromium`);
  const app = createApp({
    verifier: fakeVerifier(preferring((candidate) => candidate.length)),
    runLog: logOf(fakeRunLog()),
    specs: fakeSpecStore(),
    clock: fixedClock(),
    assets: committedAssets,
    keys: [{ name: "tests", digest: await digestOf(KEY), scopes: ["score", "logs:all", "logs"] }],
    report: () => {},
  });
  const scored = await app.request("http://localhost/v1/rewards", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    body: JSON.stringify({
      run_id: "scored",
      step: 7,
      groups: [
        {
          group_id: HOSTILE.slice(0, 60),
          prompt: "p",
          rollouts: ["a", "bb", "ccc"].map((code) => ({ text: `\`\`\`python\n${code}\n\`\`\`` })),
        },
      ],
    }),
  });
  expect(scored.status).toBe(200);
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});
afterAll(async () => {
  await browser?.close();
  close?.();
});

interface Opened {
  page: Page;
  faults: string[];
}

/** A page in a tab of its own, with the key already typed unless told otherwise. */
async function open(
  path: string,
  { width = 1280, theme = "light" as "light" | "dark", key = KEY as string | null } = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => new URL(request.url()).origin !== origin && faults.push(request.url()));
  if (key !== null) await page.addInitScript(`sessionStorage.setItem("kritai-key", ${JSON.stringify(key)})`);
  await page.goto(origin + path);
  await page.waitForSelector("main:not([aria-busy]) h1");
  return { page, faults };
}

/** Where SCREENSHOTS names a folder, each page is kept there as a picture. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: false });
}

const serious = async (page: Page): Promise<string[]> => {
  // As a function of the page, which its policy lets in; a script element it would refuse.
  await page.evaluate(await readFile(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

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
  expect(alarms.map((text) => text.split(" ")[0])).toEqual(["flat_rewards", "parse_rate_low"]);
  expect(alarms[1]).toContain("step 1700 to now");
  expect(await page.locator(".chart").count()).toBeGreaterThanOrEqual(8);
  await page.context().close();
});

it("finds the run with an alarm on, by filter and by text", async () => {
  const { page } = await open("/runs");
  const shown = () => page.locator("tbody tr").count();
  expect(await shown()).toBe(3);
  await page.getByLabel("with an alarm on").check();
  expect(await shown()).toBe(1);
  expect(await page.locator("tbody tr").textContent()).toContain("parse_rate_low");
  await page.getByLabel("with an alarm on").uncheck();
  await page.getByLabel("Filter by run id").fill("cal");
  expect(await page.locator("tbody tr").textContent()).toContain("calm");
  await page.context().close();
});

it("goes from the run to a verdict in three clicks, and what a model wrote is text", async () => {
  const { page, faults } = await open("/runs/scored?owner=tests");
  await page.locator("tbody a", { hasText: "7" }).first().click();
  await page.waitForSelector("h1:has-text('Step 7')");
  await page.locator("tbody a").first().click();
  await page.waitForSelector("h2:has-text('Who beat whom')");
  expect(await page.locator("h1").textContent()).toContain("<script>");
  await page.getByLabel("verdicts of #0 and #1").first().click();
  expect(await page.locator("caption", { hasText: "verdicts of #0 and #1" }).count()).toBe(1);
  expect(page.url()).toContain("#pair=0-1");
  expect(await page.title()).not.toBe("owned");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("asks once for a key, keeps it for the tab, and never puts it into an address", async () => {
  const { page } = await open("/runs", { key: null });
  await page.getByLabel("Key with the scope logs").fill("wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("form .soft:has-text('key')");
  await page.getByLabel("Key with the scope logs").fill(KEY);
  await page.keyboard.press("Enter");
  await page.waitForSelector("table");
  await page.locator("tbody a", { hasText: "calm" }).click();
  await page.waitForSelector("h1:has-text('calm')");
  expect(page.url()).not.toContain(KEY);
  await page.context().close();
});

it("a table sorts by its titles with the keyboard", async () => {
  const { page } = await open("/runs");
  await page.locator("th button", { hasText: "last step" }).focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("tbody tr").first().textContent()).toContain("long");
  await page.keyboard.press("Enter");
  expect(await page.locator("tbody tr").first().textContent()).toContain("scored");
  expect(await page.locator("th[aria-sort=ascending]").textContent()).toContain("last step");
  await page.context().close();
});
