// `npm test -- engine`: real engines on the CPU, installed, given tiny models, started, tested and stopped;
// with `--prepare` only installed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { descendants, killAll } from "./process-tree.ts";
import { MODEL, serveRealModel, showRealModel } from "./test-engine-model.ts";
import { ENGINES, type RunningEngine } from "./test-engine-servers.ts";
import { ensureVenv, run } from "./test-engine-venv.ts";
import { ensureVllm, makeModels } from "./test-engine-vllm.ts";

/** Bounds of the command's parts, ms. */
const INSTALL_MS = 600_000;
const START_MS = 240_000;
const TEST_MS = 480_000;
const MODEL_MS = 3_600_000;
const VLLM_TEST_MS = 7_200_000;

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
  const tests = spawn(process.execPath, [vitest, "run", "--project", "engine"], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, KRITAI_ENGINES: "[]", ...inEnvironment(running) },
    signal,
  });
  // Servers that the tests themselves started are below them.
  const end = () => killAll([...descendants(tests.pid as number), tests.pid as number]);
  process.once("exit", end);
  const [code] = (await once(tests, "close")) as [number | null];
  process.removeListener("exit", end);
  return code ?? 1;
}

const inEnvironment = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));

/**
 * vLLM by itself: its servers take minutes to start, so each file of its tests starts what it
 * needs. @returns vitest's exit status
 */
async function testVllm(): Promise<number> {
  const python = await prepareVllm();
  const models = mkdtempSync(join(tmpdir(), "kritai-vllm-"));
  process.once("exit", () => rmSync(models, { recursive: true, force: true }));
  const vllm = await timed("models", START_MS, (signal) => makeModels(python, models, signal));
  return await timed("tests and their servers", VLLM_TEST_MS, (signal) => runTests({ KRITAI_VLLM: vllm }, signal));
}

/** @returns the environment's python */
function prepareVllm(): Promise<string> {
  return timed("vLLM's environment", INSTALL_MS, (signal) => ensureVllm(PYTHON, VLLM_VENV, signal));
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

/** @returns 0: what a model judges is shown, not tested */
async function judgeTexts(): Promise<number> {
  const python = await prepare();
  const folder = mkdtempSync(join(tmpdir(), "kritai-model-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await timed("texts judged", MODEL_MS, (signal) => showRealModel(python, folder, signal));
  return 0;
}

/** Serves the model until this process is ended. @returns 1: its server ended by itself */
async function serveModel(): Promise<number> {
  const python = await prepare();
  const folder = mkdtempSync(join(tmpdir(), "kritai-model-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { url, ended } = await timed("model", INSTALL_MS, (signal) =>
    serveRealModel(python, folder, Number(process.env.PORT ?? 0), signal),
  );
  console.log(`${MODEL} at ${url} (protocol openai), until this is ended`);
  await ended();
  return 1;
}

const PREPARE = "--prepare";
const REAL_MODEL = "--real-model";
const SERVE = "--serve";
const VLLM = "vllm";
if (process.argv.includes("--help")) {
  console.log(
    `npm test -- engine [NAME].. [--prepare | --real-model [--serve]]\n\nInstalls real engines, starts them on the CPU and tests with them. Names: ${[...Object.keys(ENGINES), VLLM].join(", ")}, the last alone.\n\n  --prepare     only installs\n  --real-model  instead: uses a small real language model as the verifier of the example texts and prints its parse rate; with --serve, only serves the model, on PORT or a free port, until it is stopped\n  --help        print this help`,
  );
  process.exit(0);
}
const asked = process.argv.slice(2).filter((argument) => ![PREPARE, REAL_MODEL, SERVE].includes(argument));
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
  ? (asked.includes(VLLM) ? prepareVllm() : prepare()).then(() => 0)
  : process.argv.includes(REAL_MODEL)
    ? process.argv.includes(SERVE)
      ? serveModel()
      : judgeTexts()
    : asked.includes(VLLM)
      ? testVllm()
      : testEngines(asked.length > 0 ? asked : Object.keys(ENGINES));
process.exitCode = await work.catch((fault: Error) => {
  console.error(fault.message);
  return 1;
});
