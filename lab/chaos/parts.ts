// The parts of the system under chaos as processes: started in separate groups, killed with SIGKILL,
// restarted on the same port.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

export const PART_NAMES = ["database", "verifier", "gateway", "edge"] as const;
export type PartName = (typeof PART_NAMES)[number];

/**
 * The folder of the Worker's modules in the run's: those of one time a run, whatever happens to the
 * sources meanwhile.
 */
export const WORKER = "worker";

/** A start that takes longer is a fault of the part. */
const READY_MS = 120_000;

/** One part, which is up, down, or on its way up. */
export class Part {
  readonly name: PartName;
  readonly url: string;
  readonly #main: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | null = null;
  kills = 0;

  constructor(name: PartName, main: string, port: number, env: Record<string, string>) {
    this.name = name;
    this.url = `http://127.0.0.1:${port}`;
    this.#main = new URL(`../../${main}`, import.meta.url).pathname;
    this.#env = { HOST: "127.0.0.1", PORT: String(port), ...env };
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /**
   * Resolves once it says that it is ready. @throws Error when it ends before that, or takes longer
   * than READY_MS
   */
  async start(): Promise<void> {
    // A separate group: the edge's workerd is a child of its Node, and must die with it.
    const child = spawn(process.execPath, [this.#main], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH ?? "", ...this.#env },
      detached: true,
    });
    this.#child = child;
    const late = setTimeout(() => killGroup(child), READY_MS);
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
    for await (const line of lines) {
      if (!line.startsWith("ready ")) continue;
      clearTimeout(late);
      child.stdout?.resume();
      return;
    }
    clearTimeout(late);
    throw new Error(`the ${this.name} exited before it was ready`);
  }

  /** Kills it and all its children at once, without a word. Resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    this.kills++;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
    killGroup(child);
    await gone;
  }
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Below the ports that Linux gives to outgoing connections, which begin at 32768. */
const [PORT_FROM, PORT_TO] = [20_000, 32_000];

/** Listens on a random port, and on another if it is taken. */
async function listening(): Promise<{ port: number; close(): Promise<void> }> {
  for (;;) {
    const port = randomInt(PORT_FROM, PORT_TO);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (isFree) return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
  }
}

/**
 * Free loopback ports: parts come back under their old address, so it must be known before they
 * start. An outgoing connection does not take them in between.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listening));
  await Promise.all(servers.map(({ close }) => close()));
  return servers.map(({ port }) => port);
}

/**
 * All parts in `folder`, which holds the Worker's bundle: the edge asks the gateway, the gateway the
 * simulated engine, whose every draw depends on `seed`.
 */
export async function parts(folder: string, seed: number): Promise<Record<PartName, Part>> {
  const [sql = 0, engine = 0, gate = 0, http = 0] = await freePorts(4);
  const database = new Part("database", "lab/chaos/database.ts", sql, { DATA_DIR: `${folder}/database` });
  const verifier = new Part("verifier", "gpu-backend/engines/simulator/main.ts", engine, {
    SCALE: "400",
    SEED: String(seed),
    STREAM_TOKENS: "256",
  });
  const gateway = new Part("gateway", "gpu-backend/gateway/main.ts", gate, {
    ENGINE_URL: verifier.url,
    ENGINE_MODEL: "sim-14b",
    ENGINE_KIND: "vllm",
  });
  const edge = new Part("edge", "lab/chaos/edge.ts", http, {
    DATA_DIR: `${folder}/edge`,
    DATABASE_FETCH_ENDPOINT: `${database.url}/sql`,
    VERIFIER_URL: gateway.url,
    SCRIPT: `${folder}/${WORKER}`,
  });
  return { database, verifier, gateway, edge };
}
