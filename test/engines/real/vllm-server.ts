// One server of a real vLLM over a made model, started as the product's launch script starts it or
// as a pooling server, and ended gently or by force. Must not hold any test.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { descendants, killAll } from "../../tools/process-tree.ts";
import { firstAnswer, Server } from "../../tools/test-engine-servers.ts";
import type { VllmUnderTest } from "../../tools/test-engine-vllm.ts";

/** Set by test/tools/test-engine.ts; null where another engine is tested. */
export const VLLM = JSON.parse(process.env.KRITAI_VLLM ?? "null") as VllmUnderTest | null;

const RECIPE = new URL("../../../gpu-backend/serve/launch/vllm.sh", import.meta.url).pathname;
/** As its documentation and this machine want it; nothing of it reaches a recipe. */
const ENVIRONMENT = {
  TRANSFORMERS_OFFLINE: "1",
  VLLM_CPU_KVCACHE_SPACE: "1",
  VLLM_CPU_OMP_THREADS_BIND: "nobind",
};
/** Tokens of every model's context. */
export const CONTEXT_TOKENS = 4_096;
/**
 * Settings of the launch script. A seeded request that is prefilled in pieces ends the CPU build, hence this
 * number of tokens in one step.
 */
const SETTINGS = {
  BATCH_TOKENS: "65536",
  CONTEXT_TOKENS: `${CONTEXT_TOKENS}`,
  ANSWER_TOKENS: "4000",
};
/** Only ends what hangs: a minute on a quiet machine, a quarter of an hour on a very busy one. */
const START_MS = 1_700_000;

export type MadeModel = "decided" | "endless" | "rambling" | "plain" | "scoring" | "stepping";

export interface ServerOptions {
  /** Flags, for a pooling server; without them the launch script starts a server of chats. */
  pooling?: readonly string[];
  /** Settings of the launch script. */
  settings?: Readonly<Record<string, string>>;
  /** Where to listen; default any free port. */
  port?: number;
}

/** All of this file's servers, also those that a failed start has left. */
const STARTED = new Set<VllmServer>();

/** To be called when a file's tests have ended, however. */
export const killAllServers = () => Promise.all([...STARTED].map((server) => server.kill()));

export class VllmServer {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  #orphans: readonly number[] = [];

  constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** The sum of a metric over its label sets that hold `label`; 0 where there is none yet. */
  async metric(name: string, label = ""): Promise<number> {
    const page = await (await fetch(`${this.url}/metrics`)).text();
    const lines = page.split("\n").filter((line) => line.startsWith(`${name}{`) && line.includes(label));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  get running(): boolean {
    return this.#server.running;
  }

  /** Asks it to shut down; it finishes what is running first. */
  terminate(): void {
    process.kill(this.#server.pid, "SIGTERM");
  }

  /** Ends the process that computes; the one that listens lives on until it notices. */
  killEngine(): void {
    this.#orphans = descendants(this.#server.pid);
    killAll(this.#orphans.filter((pid) => titleOf(pid).includes("EngineCore")));
  }

  /** Ends it at once, with all its processes. Resolves when it has gone. */
  async kill(): Promise<void> {
    // The number of a process that has gone may be another's.
    if (this.#server.running) killAll([...descendants(this.#server.pid), this.#server.pid]);
    killAll(this.#orphans.filter((pid) => titleOf(pid).includes("VLLM")));
    await this.#server.ended();
  }

  /** Resolves once it has ended. */
  ended(): Promise<void> {
    return this.#server.ended();
  }
}

/** A process's own name; empty once it has gone. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Where a made model lies. */
export function folderOf(model: MadeModel): string {
  const snapshots = join((VLLM as VllmUnderTest).models, "hub", `models--kritai--${model}`, "snapshots");
  return join(snapshots, readdirSync(snapshots)[0] as string);
}

/** A token's number, of those that stand outside the plain vocabulary. */
export function tokenId(model: MadeModel, text: string): number {
  const { added_tokens } = JSON.parse(readFileSync(join(folderOf(model), "tokenizer.json"), "utf8")) as {
    added_tokens: { id: number; content: string }[];
  };
  return added_tokens.find(({ content }) => content === text)?.id ?? Number.NaN;
}

/** Starts a server of a made model, under its own name; resolves once it answers. */
export async function startVllm(model: MadeModel, options: ServerOptions = {}): Promise<VllmServer> {
  const { pooling, settings = {}, port = await freePort() } = options;
  const signal = AbortSignal.timeout(START_MS);
  const folder = folderOf(model);
  const plain = ["--enforce-eager", "--dtype", "float32"];
  const [command, ...args] =
    pooling === undefined
      ? ["bash", RECIPE, "7b", ...plain]
      : [
          ...["vllm", "serve", folder, "--served-model-name", model, "--host", "127.0.0.1", "--port", `${port}`],
          ...[...plain, "--max-model-len", `${CONTEXT_TOKENS}`, "--runner", "pooling", ...pooling],
        ];
  const { python } = VLLM as VllmUnderTest;
  const server = new Server(command as string, args, {
    ...ENVIRONMENT,
    PATH: `${dirname(python)}:${process.env.PATH}`,
    ...SETTINGS,
    ...settings,
    ...{ MODEL: folder, PORT: `${port}`, ENGINE_MODEL: model },
  });
  const started = new VllmServer(server, port);
  STARTED.add(started);
  try {
    await server.says(/(Application startup complete)/, signal);
    // It says so just before it listens.
    await until(() => isListening(started.url, signal));
    if (pooling === undefined) await firstAnswer(started.url, model, signal);
    return started;
  } catch (fault) {
    await started.kill();
    throw fault;
  }
}

async function isListening(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal })).ok;
  } catch (fault) {
    if (signal.aborted) throw fault;
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Waits for what an engine's own pages will show. */
export async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(20);
}
