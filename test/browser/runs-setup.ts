// Helpers shared by the tests of the pages of runs: the app over made and really scored runs, headless
// Chromium, pages with a key already typed, and what is wrong with them.

import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { agentGroup, agentTasks } from "../../scripts/stack/examples.ts";
import { completeDeps } from "../../src/api/door/complete-deps.ts";
import { createApp } from "../../src/app.ts";
import type { RunKey } from "../../src/core/contract/owner.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { RunLog } from "../../src/ports/run-log.ts";
import { launchChromium, newPage } from "../harness/chromium.ts";
import { builtAssets, fakeRunLog, fakeSpecStore, fakeVerifier, fixedClock, preferring } from "../harness/fakes.ts";
import { detail, healthRows, type MadeRun, rewardsAt, stepRows, summary } from "./run-rows.ts";

export const KEY = "the-key-of-the-tests";
export const HOSTILE = '<script>document.title="owned"</script>\u001b[31m<img src=x onerror=alert(1)>';

/** Two runs that begin with the same turn, whose result is long. */
const BEGUN_ALIKE = {
  prompt: [{ role: "user", content: "Look." }],
  rollouts: ["Yes.", "No, never."].map((content) => ({
    messages: [
      { role: "tool", tool_call_id: "c", content: "far ".repeat(1_000) },
      { role: "assistant", content },
    ],
  })),
};

/** Every part of a run says it, under an id that says it too. */
const HOSTILE_RUN = {
  messages: [
    {
      ...{ role: "assistant", content: HOSTILE, reasoning_content: HOSTILE },
      tool_calls: [{ id: HOSTILE, type: "function", function: { name: HOSTILE, arguments: HOSTILE } }],
    },
    { role: "tool", tool_call_id: HOSTILE, content: HOSTILE },
    { role: "user", content: HOSTILE },
  ],
  files: [{ path: HOSTILE, text: `${HOSTILE}\n`, base: "" }],
};

const LONGER = preferring((candidate) => candidate.length);

const long: MadeRun = { id: "long", steps: 2000, ill_from: 1700 };
const calm: MadeRun = { id: "calm", steps: 60, ill_from: null };
/** Steps so large that the database can read but few at a time. */
const heavy: MadeRun = { id: "heavy", steps: 120, ill_from: null };
const HEAVY_MOST = 60;
/** A run that a test may let go on. */
export const thousand: MadeRun = { id: "thousand", steps: 1000, ill_from: 900 };
/** An id as long as real ones, of a run with a single step. */
export const LONG_ID = `qwen2.5-7b-instruct-grpo-${"kl0.001-lr1e-6-".repeat(6)}seed-17`;
const single: MadeRun = { id: LONG_ID, steps: 1, ill_from: null };
const made = [long, calm, heavy, thousand, single];

function requireFew(run: MadeRun, steps: number | null): void {
  const many = run === heavy && (steps ?? Number.POSITIVE_INFINITY) > HEAVY_MOST;
  if (many) throw new ApiError("store_unavailable", "The run log's database did not answer as it should.");
}

/** The made runs beside those that are really scored. */
function logOf(scored: RunLog): RunLog {
  const of = ({ run_id }: RunKey) => made.find(({ id }) => id === run_id);
  return {
    ...scored,
    async runs(page) {
      const { rows, next_cursor } = await scored.runs(page);
      return { rows: [...[long, calm, single].map(summary), ...rows], next_cursor };
    },
    async run(key) {
      const run = of(key);
      return run === undefined ? scored.run(key) : detail(run);
    },
    async steps(key, range, signals) {
      const run = of(key);
      if (run === undefined) return scored.steps(key, range, signals);
      requireFew(run, range.limit);
      const above = (step: number) => step > (range.after ?? -1) && step >= (range.from ?? 0);
      return stepRows(run)
        .filter(({ step }) => above(step as number))
        .slice(0, range.limit ?? undefined);
    },
    async health(key, steps) {
      const run = of(key);
      if (run === undefined) return scored.health(key, steps);
      requireFew(run, steps);
      return healthRows(run).slice(-steps);
    },
    async groups(key, wanted) {
      const { step } = wanted;
      if (of(key) === undefined || step === null) return scored.groups(key, wanted);
      const { rows } = await scored.groups({ owner: "tests", run_id: "mild" }, { step: null, cursor: null, limit: 1 });
      return {
        rows: step < (of(key)?.steps ?? 0) ? rows.map((row) => ({ ...row, step, rewards: rewardsAt(step) })) : [],
        next_cursor: null,
      };
    },
  };
}

/** Probabilities of a soft vote: three quarters for the longer. */
function leaning([a = "", b = ""]: readonly string[]) {
  const first = a.length > b.length;
  return { letters: { A: first ? 0.75 : 0.25, B: first ? 0.25 : 0.75 }, coverage: 1, written: first ? "A" : "B" };
}

const digestOf = async (key: string) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));

let browser: Browser;
/** Where the app listens, once the tests begin. */
export let origin: string;
let close: () => void;

async function begin(): Promise<void> {
  const clock = fixedClock();
  const app = createApp(
    completeDeps({
      timers: systemClock,
      verifier: fakeVerifier((shown, about) =>
        shown[0]?.startsWith("[TURN_") === true
          ? `${HOSTILE} "turn A": 2, "turn B": 99. [[${(shown[0] as string).length > (shown[1] ?? "").length ? "A" : "B"}]]`
          : { answer: `${HOSTILE} ${LONGER(shown, about)}`, soft: leaning(shown) },
      ),
      runLog: logOf(fakeRunLog()),
      specs: fakeSpecStore({ sampled: SpecSchema.parse({ judge: { samples: 3 } }) }),
      clock,
      assets: builtAssets,
      keys: [{ name: "tests", digest: await digestOf(KEY), scopes: ["score", "logs:all", "logs"] }],
      report: () => {},
    }),
  );
  const rollouts = ["a", "bb", "ccc"].map((code) => ({ text: `\`\`\`python\n${code}\n\`\`\`` }));
  const labelled = rollouts.map((rollout, r) => ({ ...rollout, pass_rate: r / 2 }));
  const groups = [{ group_id: HOSTILE.slice(0, 60), prompt: "p", rollouts }];
  for (const run of [
    { run_id: "scored", step: 7, spec: { log_verdicts: true, log_texts: true } },
    ...[11, 12, 13].map((step) => ({ run_id: "again", step, spec: {} })),
    { run_id: "by_win_rate", step: 20, spec: { judge: { samples: 3 } } },
    ...["win_rate", "net_win_rate"].flatMap((reward) =>
      [21, 22].map((step) => ({
        ...{ run_id: `by_${reward}`, step, spec: { reward } },
        groups: ["p", "q"].map((prompt) => ({ prompt: prompt + step, rollouts: labelled })),
      })),
    ),
    {
      ...{ run_id: "audited", step: 8 },
      spec: { log_verdicts: true, audit: { share: 1, judge: { model: "second", prompt: "code-select-cot" } } },
    },
    {
      ...{ run_id: "two_judges", step: 10 },
      spec: {
        signals: {
          one: { kind: "tournament" },
          two: { kind: "tournament", judge: { model: "second", prompt: "code-select-cot" } },
        },
        log_verdicts: true,
      },
    },
    ...Array.from({ length: 20 }, () => ({ run_id: "stepless", spec: {} })),
    {
      ...{ run_id: "ill", step: 1, spec: {} },
      groups: [
        { prompt: "p", rollouts },
        ...Array.from({ length: 8 }, () => ({ prompt: "p", rollouts: rollouts.slice(0, 1) })),
      ],
    },
    {
      ...{ run_id: "agents", step: 3 },
      spec: { candidate: { extract: "whole" }, judge: { preset: "trajectory-pair" }, log_texts: true },
      groups: [
        ...agentTasks().map(agentGroup),
        { prompt: HOSTILE, rollouts: [HOSTILE_RUN, { text: HOSTILE }] },
        BEGUN_ALIKE,
      ],
    },
    // A step of which each group is a separate request.
    ...["Add.", "Sort."].map((prompt) => ({
      ...{ run_id: "split", step: 5, spec: { log_texts: true } },
      groups: [{ group_id: prompt, prompt: [{ role: "user", content: prompt }], rollouts }],
    })),
    // A step that was logged twice, by groups without ids.
    ...["Add.", "Sort."].map((prompt) => ({
      ...{ run_id: "twice", step: 4, spec: { log_texts: true } },
      groups: [{ prompt, rollouts: labelled }],
    })),
    // A second training under the same run id, and a training that resumed from a checkpoint.
    ...[0, 1, 2, 3, 4, 0, 1, 2].map((step) => ({ run_id: "reused", step, spec: {} })),
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2, 3].map((step) => ({ run_id: "resumed", step, spec: {} })),
    { run_id: "mild", step: 9, spec: { judge: { vote: "soft" } } },
  ]) {
    const scored = await app.request("http://localhost/v1/rewards", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ groups, ...run }),
    });
    if (scored.status !== 200) throw new Error(await scored.text());
    clock.advance(1000);
  }
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
  browser = await launchChromium();
}

/** Has a file's tests run over the app with its made and its scored runs, in a separate browser. */
export function withRuns(): void {
  beforeAll(begin);
  afterAll(async () => {
    await browser?.close();
    close?.();
  });
}

export interface Opened {
  page: Page;
  faults: string[];
}

/** A page in a separate tab, with the key already typed by default. */
export async function open(
  path: string,
  { width = 1280, theme = "light" as "light" | "dark", key = KEY as string | null } = {},
): Promise<Opened> {
  const page = await newPage(browser, { viewport: { width, height: 900 }, colorScheme: theme });
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
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: false });
}

/** Findings of axe that are worse than minor. */
export const accessFaults = async (page: Page): Promise<string[]> => {
  // As a function of the page, which its policy lets in; a script element it would refuse.
  await page.evaluate(await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return found.violations.filter(({ impact }) => impact !== "minor").map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};
