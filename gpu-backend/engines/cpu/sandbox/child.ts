// The sandboxed child process: removes its own privileges, loads the interpreters, and runs jobs one at a
// time.
import { constants } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine } from "./engine.ts";
import { loadJavaScript } from "./javascript-engine.ts";
import type { FromChild, Job, Language, RunResult, ToChild } from "./protocol.ts";
import { loadPython } from "./python-engine.ts";

const NETWORK_GLOBALS = [
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "Request",
  "Response",
  "BroadcastChannel",
];
const PROCESS_DOORS = ["dlopen", "kill", "getBuiltinModule", "_linkedBinding", "chdir", "setuid", "setgid"];

const send = process.send?.bind(process);
if (!send) throw new Error("child.ts must be started by the sandbox's supervisor with an IPC channel");
const report = (message: FromChild) => void send(message);

/**
 * Removes network globals, which Node's permission model does not cover, and dangerous process functions. One
 * table of constants stays available, because pyodide's startup needs it.
 */
function closeDoors(): void {
  for (const name of NETWORK_GLOBALS) Reflect.deleteProperty(globalThis, name);
  for (const name of PROCESS_DOORS) Reflect.deleteProperty(process, name);
  Object.assign(process, { binding: () => ({ fs: constants }), send: undefined });
}

async function loadEngines(languages: readonly string[]): Promise<Map<Language, Engine>> {
  const engines = new Map<Language, Engine>();
  if (languages.includes("javascript")) engines.set("javascript", await loadJavaScript());
  if (languages.includes("python")) engines.set("python", await loadPython());
  return engines;
}

/** The running job. The supervisor sends one at a time. */
let running: { id: number; cancelled: boolean } | null = null;

async function runJob(job: Job, engines: ReadonlyMap<Language, Engine>): Promise<void> {
  const engine = engines.get(job.language);
  const state = { id: job.id, cancelled: false };
  running = state;
  for (const [index, plan] of job.plans.entries()) {
    // Yields to the event loop, so that a cancellation can arrive and the last result is sent.
    await nextTurn();
    if (state.cancelled) break;
    const result = engine ? await engine.run(job.source, plan, job.limits) : withoutEngine(job.language);
    report({ type: "result", id: job.id, index, result });
  }
  report({ type: "done", id: job.id });
}

function withoutEngine(language: Language): RunResult {
  const error = `this sandbox does not support ${language}`;
  return { status: "unavailable", stdout: "", cells: [], stderr_tail: "", error, wall_ms: 0 };
}

process.on("disconnect", () => process.exit(0));
closeDoors();
try {
  const engines = await loadEngines(process.argv.slice(2));
  process.on("message", (message: ToChild) => {
    if (message.type === "cancel") {
      if (running?.id === message.id) running.cancelled = true;
    } else void runJob(message.job, engines);
  });
  report({ type: "ready" });
} catch (error) {
  report({ type: "failed", detail: String(error).slice(0, 500) });
}
