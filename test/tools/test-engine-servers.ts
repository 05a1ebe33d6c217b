// Starts and stopping the real engines on loopback: transformers' server and llama.cpp's.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

/** The models of gpu-backend/engines/real/models.py. */
export const MODELS = ["garbage", "endless", "decided", "looping"] as const;
export type ModelName = (typeof MODELS)[number];

/** The facts about a running engine that a test needs. */
export interface EngineUnderTest {
  name: string;
  pid: number;
  /** Where each model is served: the base URL and the model's name there. */
  models: Record<ModelName, { url: string; model: string }>;
  /** Whether it gives logprobs. */
  logprobs: boolean;
  /** Whether it has a page of gauges. */
  gauges: boolean;
  /** Most tokens of a prompt and its answer; null: more than a test will send. */
  context_tokens: number | null;
}

export interface RunningEngine {
  engine: EngineUnderTest;
  /** SIGTERM, then SIGKILL; resolves when the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts one engine over the models made in a folder; resolves once each model has answered.
 * Rejects when it ends before.
 */
export type Start = (python: string, models: string, signal: AbortSignal) => Promise<RunningEngine>;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const SCRIPTS = new URL("../../gpu-backend/engines/real", import.meta.url).pathname;
/** What is kept of an engine's output, to be shown when it does not start. */
const SAID_CHARS = 8_000;
const STOP_MS = 5_000;

const ENVIRONMENT = {
  HF_HUB_OFFLINE: "1",
  HF_HUB_DISABLE_TELEMETRY: "1",
  // One thread each: what an engine computes is then seen in its CPU time, and the test's own
  // process has a core left.
  OMP_NUM_THREADS: "1",
  PYTHONUNBUFFERED: "1",
};

export class Server {
  readonly #child: Child;
  readonly #closed: Promise<unknown>;
  readonly #onExit = () => this.#child.kill("SIGKILL");
  #said = "";

  constructor(command: string, args: readonly string[], env: Record<string, string>) {
    this.#child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...ENVIRONMENT, ...env },
    });
    this.#closed = once(this.#child, "close");
    this.#closed.catch(() => {});
    process.once("exit", this.#onExit);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits for output that `pattern` finds; returns its first group. */
  async says(pattern: RegExp, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const hear = (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_CHARS);
      const found = pattern.exec(this.#said)?.[1];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.setEncoding("utf8").on("data", hear);
    const giveUp = () => reject(new Error(`the engine did not become ready:\n${this.#said}`));
    this.#closed.then(giveUp, reject);
    signal.addEventListener("abort", giveUp, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  /** Resolves when the process has ended, by whatever cause. */
  async ended(): Promise<void> {
    await this.#closed.catch(() => {});
    process.removeListener("exit", this.#onExit);
  }

  async stop(): Promise<void> {
    process.removeListener("exit", this.#onExit);
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    this.#child.kill("SIGTERM");
    await this.#closed.catch(() => {});
    clearTimeout(kill);
  }
}

/** transformers' own server, one process and one port for all models. */
const startTransformers: Start = async (python, models, signal) => {
  const args = ["--host", "127.0.0.1", "--port", "0", "--device", "cpu", "--log-level", "error"];
  const server = new Server(python, [join(SCRIPTS, "transformers_server.py"), ...args], {
    HF_HOME: models,
    HF_HUB_CACHE: join(models, "hub"),
  });
  return started(
    server,
    async () => {
      const url = await server.says(/running on (http:\/\/127\.0\.0\.1:\d+)/, signal);
      const at = { name: "transformers", logprobs: false, gauges: false, context_tokens: null };
      return { ...at, pid: server.pid, models: byModel((name) => ({ url, model: `kritai/${name}` })) };
    },
    signal,
  );
};

/** llama.cpp's own server, one process and a port for each model. */
const startLlamaCpp: Start = async (python, models, signal) => {
  const files = MODELS.map((name) => `${name}=${join(models, `${name}.gguf`)}`);
  const server = new Server(python, [join(SCRIPTS, "llama_server.py"), ...files], {});
  return started(
    server,
    async () => {
      const urls = JSON.parse(await server.says(/^(\{.*\})$/m, signal)) as Record<ModelName, string>;
      const at = { name: "llama.cpp", logprobs: true, gauges: true, context_tokens: 32_768 };
      return { ...at, pid: server.pid, models: byModel((name) => ({ url: urls[name], model: name })) };
    },
    signal,
  );
};

/** The engines by name, in the order in which they are tested. */
export const ENGINES: Record<string, Start> = { transformers: startTransformers, "llama.cpp": startLlamaCpp };

const byModel = <T>(of: (name: ModelName) => T) =>
  Object.fromEntries(MODELS.map((name) => [name, of(name)])) as Record<ModelName, T>;

async function started(
  server: Server,
  describe: () => Promise<EngineUnderTest>,
  signal: AbortSignal,
): Promise<RunningEngine> {
  try {
    const engine = await describe();
    for (const { url, model } of Object.values(engine.models)) await firstAnswer(url, model, signal);
    return { engine, stop: () => server.stop() };
  } catch (fault) {
    await server.stop();
    throw fault;
  }
}

/** One token: engines that load a model when it is first asked for have it then. */
export async function firstAnswer(url: string, model: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 1, messages: [{ role: "user", content: "Are you there?" }] }),
    signal,
  });
  if (!response.ok) throw new Error(`${model} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
