// The benchmark of the Worker's start: from exec to the first reply, what the script itself adds to that, and
// the bundle's size.
import { gzipSync } from "node:zlib";
import { MAIN, type WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Figure, figure } from "./figures.ts";
import { startWorkerd, TRIVIAL_WORKER } from "./workerd.ts";

/** 340 KiB. */
const GZIP_KB_MOST = 348;
const POLL_MS = 2;

interface Start {
  /** From exec to the first 200 of /healthz, ms. */
  first_reply_ms: number;
  /** CPU until then, ms. */
  cpu_ms: number;
}

async function start(script: WorkerModules): Promise<Start> {
  const started = performance.now();
  const workerd = await startWorkerd({ script });
  try {
    while (!(await answers(`${workerd.url}/healthz`))) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return { first_reply_ms: performance.now() - started, cpu_ms: workerd.cpuMs() };
  } finally {
    await workerd.close();
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status === 200;
}

const gzippedKb = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).byteLength, 0) / 1000;

/** Names of the modules that the first imports, and so on; without those that `import()` reads. */
export function readAtStart(modules: WorkerModules): ReadonlySet<string> {
  const read = new Set([MAIN]);
  for (const name of read) {
    for (const [, found = ""] of (modules[name] ?? "").matchAll(/\b(?:from|import) ?"\.\/([^"]+\.mjs)"/g))
      read.add(found);
  }
  return read;
}

/**
 * Cold start over `rounds` processes (one more goes first, to fill the page cache), beside that of
 * a Worker of one line; bundle size.
 */
export async function benchColdStart(script: WorkerModules, rounds: number): Promise<Figure[]> {
  const starts: Start[] = [];
  const trivial: Start[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [scriptStart, trivialStart] = [await start(script), await start(TRIVIAL_WORKER)];
    if (round === 0) continue;
    starts.push(scriptStart);
    trivial.push(trivialStart);
  }
  const added = starts.map(({ cpu_ms }, i) => cpu_ms - (trivial[i] as Start).cpu_ms);
  const gzipped = (names: Iterable<string>) => gzippedKb([...names].map((name) => script[name] as string));
  return [
    figure(
      "cold start, exec to first 200 of /healthz",
      "ms",
      null,
      starts.map((s) => s.first_reply_ms),
    ),
    figure(
      "cold start of a one-line Worker",
      "ms",
      null,
      trivial.map((s) => s.first_reply_ms),
    ),
    figure("script start-up, CPU above a one-line Worker", "CPU ms", null, added),
    figure("modules loaded at start, gzipped", "kB", { max: GZIP_KB_MOST }, [gzipped(readAtStart(script))]),
    figure("all modules, gzipped", "kB", null, [gzipped(Object.keys(script))]),
  ];
}
