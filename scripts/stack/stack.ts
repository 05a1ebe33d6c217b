// Owns the local stack: database, verifier and edge started together on loopback, and ended
// together. Knows none of their insides.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startCpuVerifier } from "../../gpu-backend/engines/cpu/server.ts";
import { startDatabase } from "./database.ts";
import { bundleWorker, startEdge } from "./edge.ts";
import { openLocalQueues } from "./queue.ts";
import { QUEUES } from "./queue-worker.ts";

export interface StackOptions {
  host: string;
  /** 0 = a free port. */
  port: number;
  dataDir: string;
  /** The environment's DATABASE_URL, VERIFIER_* and API_KEYS; what is absent is embedded. */
  env: Readonly<Record<string, string | undefined>>;
  /** The Worker's bundle; made from src when left out. */
  script?: string;
}

export interface Stack {
  url: string;
  /** What runs where, for the person who started it. */
  parts: { database: string; verifier: string };
  /** Ends every part; safe to call twice. */
  close(): Promise<void>;
}

type Closer = () => Promise<void>;

/** Of the 5 s in which a stack ends, what its requests get to end by themselves. */
const DRAIN_MS = 4_000;

/**
 * Starts all parts side by side and resolves when /readyz answers 200. A part that fails ends the
 * others.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  mkdirSync(options.dataDir, { recursive: true });
  const closers: Closer[] = [];
  const closing = once(async () => {
    for (const close of closers.reverse()) await close();
  });
  const started = <T extends { close: Closer }>(part: Promise<T>) =>
    part.then((running) => {
      closers.push(() => running.close());
      return running;
    });
  try {
    const [script, database, verifier] = await settle([
      options.script === undefined ? bundleWorker() : Promise.resolve(options.script),
      started(startDatabase(options.dataDir, options.env.DATABASE_URL)),
      started(startVerifier(options.env)),
    ]);
    const vars = { ...database.vars, ...verifier.vars, ...passedOn(options.env) };
    const objectsDir = join(options.dataDir, "objects");
    const queues = await started(Promise.resolve(openLocalQueues({ dataDir: options.dataDir, queues: QUEUES })));
    const at = { host: options.host, port: options.port };
    const edge = await startEdge({ ...at, script, vars, objectsDir, queues });
    closers.push(() => edge.close({ drain_ms: DRAIN_MS }));
    await waitUntilReady(edge.url);
    return { url: edge.url, parts: { database: database.name, verifier: verifier.name }, close: closing };
  } catch (error) {
    await closing();
    throw error;
  }
}

/**
 * Like Promise.all, but waits for the rest before it rejects, so that nothing starts after the end.
 */
async function settle<T extends readonly unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(parts);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

const PASSED_ON = [
  "KEY_LIMITS",
  "GROUP_SIZES",
  "MODELS",
  "API_KEYS",
  "PATH_SCOPES",
  "TOKEN_SECRET",
  "WEBHOOK_HOSTS",
  "WEBHOOK_SECRET",
];

/** The Worker's variables as given, but for where its verifier is: the stack may hold one itself. */
function passedOn(env: StackOptions["env"]): Record<string, string> {
  const names = Object.keys(env).filter((name) => /^VERIFIER_(?!URL$|MODEL$)/.test(name));
  return Object.fromEntries([...names, ...PASSED_ON].flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

interface VerifierPart {
  name: string;
  vars: Record<string, string>;
  close: Closer;
}

const CPU_MODEL = "kritai-cpu-verifier";

async function startVerifier(env: StackOptions["env"]): Promise<VerifierPart> {
  if (env.VERIFIER_URL) {
    // The Worker takes an empty variable for an absent one.
    const vars = { VERIFIER_URL: env.VERIFIER_URL, VERIFIER_MODEL: env.VERIFIER_MODEL ?? "" };
    return { name: env.VERIFIER_URL, vars, close: async () => {} };
  }
  const { url, close } = await startCpuVerifier({ host: "127.0.0.1", port: 0 });
  const cpu = { name: "embedded CPU verifier", vars: { VERIFIER_URL: url, VERIFIER_MODEL: CPU_MODEL }, close };
  return env.VERIFIER_PROTOCOL === "verify" ? behindGateway(cpu) : cpu;
}

/**
 * The same verifier through the gateway. The gateway's modules are loaded only where they are used.
 */
async function behindGateway(engine: VerifierPart & { vars: { VERIFIER_URL: string } }): Promise<VerifierPart> {
  try {
    const { startLocalGateway } = await import("./gateway.ts");
    const gateway = await startLocalGateway(engine.vars.VERIFIER_URL, CPU_MODEL);
    const close = async () => {
      await gateway.close();
      await engine.close();
    };
    return { name: `${engine.name} behind the gateway`, vars: { VERIFIER_URL: gateway.url }, close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function waitUntilReady(url: string): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.ok) return;
    const said = await response?.text();
    if (Date.now() > until) throw new Error(`not ready after 30 s: ${said ?? "no answer"}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function once(run: Closer): Closer {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run();
    return running;
  };
}
