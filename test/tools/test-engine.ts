// Owns `npm run test:engine`: real engines on the CPU, installed, given tiny models, started,
// tested and stopped; with `--prepare` only installed. Knows no test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINES, type RunningEngine } from "./test-engine-servers.ts";
import { ensureVenv, run } from "./test-engine-venv.ts";
import { ensureVllm, startVllm } from "./test-engine-vllm.ts";

/** Bounds of the command's parts, ms. */
const INSTALL_MS = 600_000;
const START_MS = 240_000;
const TEST_MS = 480_000;
const VLLM_START_MS = 900_000;
const VLLM_TEST_MS = 600_000;

const ROOT = new URL("../..", import.meta.url).pathname;
const HOME = join(ROOT, "gpu-backend/engines/real");
const VENV = process.env.KRITAI_ENGINE_VENV || join(ROOT, ".venv/engine");
const VLLM_VENV = process.env.KRITAI_VLLM_VENV || join(ROOT, ".venv/vllm");
const PYTHON = process.env.KRITAI_ENGINE_PYTHON || "python3";

/** Runs a part, bounded in time, and says how long it took. */
async function timed<T>(part: string, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work(AbortSignal.timeout(ms));
  console.log(`${part}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

async function runTests(running: Record<string, unknown>, signal: AbortSignal): Promise<number> {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const tests = spawn(process.execPath, [vitest, "run", "--config", "vitest.engine.config.ts"], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, KRITAI_ENGINES: "[]", ...inEnvironment(running) },
    signal,
  });
  const end = () => tests.kill();
  process.once("exit", end);
  const [code] = (await once(tests, "close")) as [number | null];
  process.removeListener("exit", end);
  return code ?? 1;
}

const inEnvironment = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));

/** vLLM by itself: it takes minutes to start, and its tests are its own. @returns vitest's exit status */
async function testVllm(): Promise<number> {
  const python = await timed("vLLM's environment", INSTALL_MS, (signal) => ensureVllm(PYTHON, VLLM_VENV, signal));
  const models = mkdtempSync(join(tmpdir(), "kritai-vllm-"));
  process.once("exit", () => rmSync(models, { recursive: true, force: true }));
  const vllm = await timed("vLLM", VLLM_START_MS, (signal) => startVllm(python, models, signal));
  try {
    return await timed("tests", VLLM_TEST_MS, (signal) => runTests({ KRITAI_VLLM: vllm.engine }, signal));
  } finally {
    await vllm.stop();
  }
}

/** @returns the environment's python */
function prepare(): Promise<string> {
  return timed("environment", INSTALL_MS, (signal) => ensureVenv(PYTHON, VENV, join(HOME, "requirements.txt"), signal));
}

/** @returns vitest's exit status */
async function testEngines(names: readonly string[]): Promise<number> {
  const python = await prepare();
  const models = mkdtempSync(join(tmpdir(), "kritai-engine-"));
  process.once("exit", () => rmSync(models, { recursive: true, force: true }));
  const engines: RunningEngine[] = [];
  try {
    const prompts = join(ROOT, "src/core/judges/templates");
    await timed("models", START_MS, (signal) => run(python, [join(HOME, "models.py"), prompts, models], signal));
    for (const name of names) {
      const start = ENGINES[name] as (typeof ENGINES)[string];
      engines.push(await timed(name, START_MS, (signal) => start(python, models, signal)));
    }
    return await timed("tests", TEST_MS, (signal) => {
      return runTests({ KRITAI_ENGINES: engines.map(({ engine }) => engine) }, signal);
    });
  } finally {
    await Promise.all(engines.map((engine) => engine.stop()));
  }
}

const PREPARE = "--prepare";
const VLLM = "vllm";
const asked = process.argv.slice(2).filter((argument) => argument !== PREPARE);
const unknown = asked.filter((name) => name !== VLLM && !(name in ENGINES));
if (unknown.length > 0) {
  console.error(
    `no such engine: ${unknown.join(", ")}; there are: ${[...Object.keys(ENGINES), VLLM].join(", ")}, the last alone`,
  );
  process.exit(2);
}
// Engines, tests and models go with this process, however it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const work = process.argv.includes(PREPARE)
  ? prepare().then(() => 0)
  : asked.includes(VLLM)
    ? testVllm()
    : testEngines(asked.length > 0 ? asked : Object.keys(ENGINES));
process.exitCode = await work.catch((fault: Error) => {
  console.error(fault.message);
  return 1;
});
