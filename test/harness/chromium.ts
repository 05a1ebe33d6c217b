// Debian's Chromium for the tests of pages. What a page draws is waited for as long as its test may
// take, because a busy machine may draw it late.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
/** One browser without a sandbox, which asks no host but those of its pages. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the browser. Throws where none is installed. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`no browser at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: 0 });
}

/** Half of what a test may take, so that a wait that fails says what it waited for. */
const WAIT_MS = 300_000;

/** A page in a separate tab. */
export async function newPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(WAIT_MS);
  return page;
}
