// The report that `npm run lab -- study --quick` writes, as a phone shows its charts: writing that
// can be read and lies on no other.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchChromium, newPage } from "../harness/chromium.ts";

const READABLE_PX = 9;
const WIDTH_PX = 400;
const COMMAND = new URL("../../lab/study/main.ts", import.meta.url).pathname;

const folder = mkdtempSync(join(tmpdir(), "kritai-study-"));
let browser: Browser;
let report: string;
beforeAll(async () => {
  const out = join(folder, "schedules.md");
  const flags = ["--set", "sets/small", "--quick", "--out", out];
  await promisify(execFile)(process.execPath, [COMMAND, ...flags], { cwd: new URL("../../", import.meta.url) });
  report = readFileSync(out, "utf8");
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Box {
  text: string;
  named: boolean;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const TEXTS = `[...document.querySelectorAll("svg text")].filter((text) => text.textContent !== "").map((text) => {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  const named = text.closest("[aria-description=label]") !== null;
  return { text: text.textContent, named, left, right, top, bottom };
})`;

it("writes titles, axes and the ways of the front at 400 px in 9 px and more, none on another", async () => {
  const images = [...report.matchAll(/!\[[^\]]*\]\(([^)]+\.svg)\)/g)].map(([, path]) => path as string);
  // tau-b and top-1 of three verifiers, direct and thinking.
  expect(images).toHaveLength(12);
  const page = await newPage(browser, { viewport: { width: WIDTH_PX, height: 700 } });
  for (const image of images) {
    const svg = readFileSync(join(folder, image), "utf8");
    await page.setContent(`<style>body { margin: 0 } body > svg { width: 100%; height: auto }</style>${svg}`);
    const boxes = (await page.evaluate(TEXTS)) as Box[];
    expect(boxes.filter(({ named }) => named).length, image).toBeGreaterThan(0);
    expect(boxes.filter(({ named }) => !named).length, image).toBeGreaterThan(5);
    boxes.forEach((box, i) => {
      expect(box.bottom - box.top, `${image}: ${box.text}`).toBeGreaterThanOrEqual(READABLE_PX);
      expect(box.left >= 0 && box.right <= WIDTH_PX, `${image}: ${box.text}`).toBe(true);
      for (const other of boxes.slice(i + 1)) {
        const apart =
          box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top;
        expect(apart, `${image}: ${box.text} and ${other.text}`).toBe(true);
      }
    });
    const kept = process.env.SCREENSHOTS;
    if (kept !== undefined) await page.screenshot({ path: join(kept, `${image.replace("/", "-")}.png`) });
  }
  await page.close();
});
