// The local stack: starts database, verifier and edge together on this machine, and stops them together.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startCpuVerifier } from "../../gpu-backend/engines/cpu/server.ts";
import { startDatabase } from "./database.ts";
import { startEdge } from "./edge.ts";
import { judgeNamed, startSimulatedJudge } from "./judge.ts";
import { openLocalQueues } from "./queue.ts";
import { QUEUES } from "./queue-worker.ts";
import { readModules, type WorkerModules } from "./worker-modules.ts";

export interface StackOptions {
  host: string;
  /** 0 = a free port. */
  port: number;
  dataDir: string;
  /**
   * DATABASE_URL, VERIFIER_*, JUDGE and API_KEYS; parts without a variable are embedded.
   */
  env: Readonly<Record<string, string | undefined>>;
  /** Built from src if omitted. */
  script?: WorkerModules;
  /** Receives progress lines. */
  note?: (progress: string) => void;
  /** Receives the Worker's log lines; by default they go to standard error. */
  logged?: (line: string) => void;
  /** Whether the Worker logs one line per request. */
  log_requests?: boolean;
}

export interface Stack {
  url: string;
  /** Descriptions of the parts, for people. */
  parts: { database: string; verifier: string; texts: string };
  /** The Worker's database variables. */
  database: Readonly<Record<string, string>>;
  /** Resolves with the exit status when workerd exits by itself. */
  ended: Promise<string>;
  /** Stops every part; safe to call twice. */
  close(): Promise<void>;
}

type Closer = () => Promise<void>;

/** Time for requests in flight to finish, within the 5 s in which a stack stops. */
const DRAIN_MS = 4_000;

/**
 * Starts all parts concurrently and resolves when /readyz answers 200. If a part fails, the others are
 * stopped.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  mkdirSync(options.dataDir, { recursive: true });
  const closers: Closer[] = [];
  const closing = once(async () => {
    for (const close of closers.reverse()) await close();
  });
  const { note = () => {}, logged } = options;
  const started = <T extends { close: Closer }>(part: Promise<T>) =>
    part.then((running) => {
      closers.push(() => running.close());
      return running;
    });
  const named = <T extends { name: string }>(part: Promise<T>) =>
    part.then((running) => {
      note(running.name);
      return running;
    });
  try {
    const [script, database, verifier] = await settle([
      Promise.resolve(options.script ?? workerScript()),
      named(started(startDatabase(options.dataDir, options.env.DATABASE_URL))),
      named(started(startVerifier(options.env))),
    ]);
    const level = options.log_requests === true && { LOG_LEVEL: "info" };
    // The embedded database stores texts by default, because its files stay on the user's machine.
    const texts = !options.env.DATABASE_URL && { LOG_TEXTS: "on" };
    const vars = { ...database.vars, ...verifier.vars, ...texts, ...passedOn(options.env), ...level };
    const objectsDir = join(options.dataDir, "objects");
    const queues = await started(Promise.resolve(openLocalQueues({ dataDir: options.dataDir, queues: QUEUES })));
    const at = { host: options.host, port: options.port };
    const edge = await startEdge({ ...at, script, vars, objectsDir, queues, ...(logged && { logged }) });
    closers.push(() => edge.close({ drain_ms: DRAIN_MS }));
    note(`edge in workerd at ${edge.url}`);
    await untilReady(edge.url, note);
    const parts = { database: database.name, verifier: verifier.name, texts: textsKept(vars, options.dataDir) };
    return { url: edge.url, parts, database: database.vars, ended: edge.ended, close: closing };
  } catch (error) {
    await closing();
    throw error;
  }
}

/** The folder of the Worker's modules in the npm package; a clone builds them. */
export const WORKER_FOLDER = "worker";

/** Built once per process. */
let bundled: Promise<WorkerModules> | null = null;

async function workerScript(): Promise<WorkerModules> {
  const folder = new URL(`../../${WORKER_FOLDER}`, import.meta.url).pathname;
  if (existsSync(folder)) return readModules(folder);
  bundled ??= import("./bundle.ts").then(({ bundleWorker }) => bundleWorker());
  return bundled;
}

/**
 * Like Promise.all, but waits for all parts before it rejects, so that no part starts after `close`.
 */
async function settle<T extends readonly unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(parts);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

const PASSED_ON = [
  "EARLY_JUDGING",
  "PRICES",
  "KEY_LIMITS",
  "GROUP_SIZES",
  "LOG_DAYS",
  "LOG_TEXTS",
  "MODELS",
  "DEFAULT_JUDGE",
  "API_KEYS",
  "PATH_SCOPES",
  "TOKEN_SECRET",
  "WEBHOOK",
  "WEBHOOK_SECRET",
  "SANDBOX_URL",
  "SANDBOX_SHAPE",
  "SANDBOX_API_KEY",
  "JUDGE_EXTRA",
  "CHECKER_HOSTS",
  "CHECKER_SECRET",
];

/**
 * The Worker's variables from the environment, except those of the verifier's address, which the stack sets.
 */
function passedOn(env: StackOptions["env"]): Record<string, string> {
  const names = Object.keys(env).filter((name) => /^VERIFIER_(?!URL$|MODEL$)/.test(name));
  return Object.fromEntries([...names, ...PASSED_ON].flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Whether prompts and answers are stored, and how to change that. */
function textsKept({ LOG_TEXTS }: Readonly<Record<string, string>>, dataDir: string): string {
  if (LOG_TEXTS !== "on") return "not stored, unless a request's spec sets log_texts; LOG_TEXTS=on stores them";
  return `prompts and answers are stored in ${dataDir}; LOG_TEXTS=off stores only hashes`;
}

interface VerifierPart {
  name: string;
  vars: Record<string, string>;
  close: Closer;
}

const CPU_MODEL = "kritai-cpu-verifier";

async function startVerifier(env: StackOptions["env"]): Promise<VerifierPart> {
  const judge = judgeNamed(env.JUDGE);
  const part = await verifierPart(env, judge);
  return judge === null ? part : { ...part, vars: { ...part.vars, DEFAULT_JUDGE: judge } };
}

async function verifierPart(env: StackOptions["env"], judge: string | null): Promise<VerifierPart> {
  if (env.VERIFIER_URL) {
    // The Worker treats an empty variable as unset.
    const vars = { VERIFIER_URL: env.VERIFIER_URL, VERIFIER_MODEL: env.VERIFIER_MODEL ?? "" };
    return { name: env.VERIFIER_URL, vars, close: async () => {} };
  }
  const engine = judge === null ? await cpuVerifier() : await startSimulatedJudge(judge);
  return env.VERIFIER_PROTOCOL === "verify" && !("VERIFIER_PROTOCOL" in engine.vars) ? behindGateway(engine) : engine;
}

async function cpuVerifier() {
  const { url, close } = await startCpuVerifier({ host: "127.0.0.1", port: 0 });
  const vars = { VERIFIER_URL: url, VERIFIER_MODEL: CPU_MODEL, VERIFIER_PROGRAMS_ONLY: "on", SANDBOX_URL: url };
  return { name: "embedded CPU verifier", vars, close };
}

/**
 * The verifier behind the gateway, whose modules are loaded only here.
 */
async function behindGateway(
  engine: VerifierPart & { vars: { VERIFIER_URL: string; VERIFIER_MODEL: string; VERIFIER_SIMULATED?: string } },
): Promise<VerifierPart> {
  try {
    const { startLocalGateway } = await import("./gateway.ts");
    const { VERIFIER_URL, VERIFIER_MODEL, VERIFIER_SIMULATED } = engine.vars;
    const gateway = await startLocalGateway(VERIFIER_URL, VERIFIER_MODEL, VERIFIER_SIMULATED === "on");
    const close = async () => {
      await gateway.close();
      await engine.close();
    };
    return {
      name: `${engine.name} behind the gateway`,
      vars: { ...engine.vars, VERIFIER_URL: gateway.url, VERIFIER_MODEL: "" },
      close,
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const PROBE_MS = 50;
const TOLD_EVERY_MS = 10_000;

/**
 * Waits without a time limit and prints why the stack is not ready: requests of clients that reconnect early
 * get an error, but must not stop the stack.
 */
async function untilReady(url: string, note: NonNullable<StackOptions["note"]>): Promise<void> {
  for (let lastNoteMs = performance.now(); ; ) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.ok) return;
    const said = (await response?.text().catch(() => null)) ?? "no answer";
    if (performance.now() - lastNoteMs > TOLD_EVERY_MS) {
      lastNoteMs = performance.now();
      note(`not ready yet: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}

function once(run: Closer): Closer {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run();
    return running;
  };
}
