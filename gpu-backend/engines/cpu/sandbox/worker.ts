// Starts, monitors, kills and replaces a sandboxed child process.
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FromChild, Job, Language, RunResult, ToChild } from "./protocol.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const LOAD_TIMEOUT_MS = 60_000;
const STARTS_MAX = 3;
/**
 * Shell command that starts the child. Deep recursion needs a deep native stack: 64 MiB if the system allows
 * it, otherwise as much as fits the usual 8 MiB. `$0` is the node binary.
 */
const LAUNCH =
  'if ulimit -s 65536 2>/dev/null; then exec "$0" --stack-size=60000 "$@"; else exec "$0" --stack-size=5000 "$@"; fi';
const HEAP_MIB = 512;
const DETAIL_CHARS = 500;

/**
 * Wall time in ms after which a run that does not react to its CPU limit is killed together with its process.
 */
const wallLimitMs = (timeoutMs: number) => timeoutMs * 2.5 + 500;

/** Folders that the child may read: its own code and the two interpreters. */
function readableFolders(): string[] {
  const quickjs = createRequire(import.meta.url).resolve("quickjs-emscripten");
  const fromQuickjs = createRequire(quickjs);
  return [
    HERE,
    join(HERE, "../../../../src/core/wire/programs"),
    packageFolder(createRequire(import.meta.url).resolve("pyodide")),
    packageFolder(quickjs),
    packageFolder(fromQuickjs.resolve("quickjs-emscripten-core")),
    // The whole package scope, because quickjs-emscripten resolves its four builds at import.
    dirname(packageFolder(fromQuickjs.resolve("@jitl/quickjs-wasmfile-release-sync"))),
  ];
}

/** The package folder of a resolved file: `…/node_modules/name` or `…/node_modules/@scope/name`. */
function packageFolder(file: string): string {
  const parts = file.split(sep);
  const at = parts.lastIndexOf("node_modules");
  return parts.slice(0, at + (parts[at + 1]?.startsWith("@") ? 3 : 2)).join(sep);
}

interface Running {
  job: Job;
  onResult: (index: number, result: RunResult) => void;
  finish: (end: "done" | "died" | "killed") => void;
  next: number;
  watchdog: NodeJS.Timeout;
}

/**
 * A child process that starts immediately and restarts after each crash, until it has failed to load three
 * times in a row.
 */
export class SandboxWorker {
  readonly #languages: readonly Language[];
  readonly #onChange: () => void;
  #child: ChildProcess | null = null;
  #running: Running | null = null;
  #failures = 0;
  #closed = false;
  #loadTimer: NodeJS.Timeout | null = null;
  #killing = false;
  state: "loading" | "ready" | "broken" = "loading";
  /** Human-readable reason why the last start failed. */
  detail: string | null = null;

  /** @param onChange called after a change of the state or of `idle` */
  constructor(languages: readonly Language[], onChange: () => void) {
    this.#languages = languages;
    this.#onChange = onChange;
    this.#start();
  }

  get idle(): boolean {
    return this.state === "ready" && this.#running === null;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Runs a job's plans in order. Resolves with `done`, with `killed` if plan `next` had to be killed, or with
   * `died` if the process crashed during plan `next`. The caller decides how to continue.
   */
  run(job: Job, onResult: Running["onResult"]): Promise<{ end: "done" | "died" | "killed"; next: number }> {
    return new Promise((resolve) => {
      const running: Running = {
        job,
        onResult,
        next: 0,
        finish: (end) => {
          clearTimeout(running.watchdog);
          this.#running = null;
          resolve({ end, next: running.next });
          this.#onChange();
        },
        watchdog: this.#watch(job),
      };
      this.#running = running;
      this.#post({ type: "job", job });
    });
  }

  /** Stops after the running plan; `run` then resolves with `done` early. */
  cancel(id: number): void {
    if (this.#running?.job.id === id) this.#post({ type: "cancel", id });
  }

  /** Kills the process without waiting, for use when the parent exits. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  #start(): void {
    const reads = readableFolders().map((folder) => `--allow-fs-read=${join(folder, "*")}`);
    const flags = ["--no-warnings", "--permission", ...reads, `--max-old-space-size=${HEAP_MIB}`];
    const child = spawn(
      "/bin/sh",
      ["-c", LAUNCH, process.execPath, ...flags, join(HERE, "child.ts"), ...this.#languages],
      {
        // No environment variables are passed, so the child cannot read any secrets.
        env: {},
        cwd: HERE,
        stdio: ["ignore", "ignore", "pipe", "ipc"],
        serialization: "advanced",
      },
    );
    this.#child = child;
    this.#killing = false;
    this.state = "loading";
    this.#loadTimer = setTimeout(() => child.kill("SIGKILL"), LOAD_TIMEOUT_MS);
    child.stderr?.on("data", (data: Buffer) => {
      if (this.state === "loading") this.detail = `${this.detail ?? ""}${data}`.slice(-DETAIL_CHARS);
    });
    child.on("message", (message: FromChild) => this.#onMessage(message));
    child.once("error", () => this.#onExit(child));
    child.once("exit", () => this.#onExit(child));
  }

  #onMessage(message: FromChild): void {
    const running = this.#running;
    if (message.type === "ready") {
      this.state = "ready";
      this.#failures = 0;
      if (this.#loadTimer) clearTimeout(this.#loadTimer);
      this.#onChange();
    } else if (message.type === "failed") {
      this.detail = message.detail;
      this.#child?.kill("SIGKILL");
    } else if (running && message.id === running.job.id) {
      if (message.type === "done") {
        running.finish("done");
        return;
      }
      running.next = message.index + 1;
      clearTimeout(running.watchdog);
      running.watchdog = this.#watch(running.job);
      running.onResult(message.index, message.result);
    }
  }

  #onExit(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = null;
    if (this.#loadTimer) clearTimeout(this.#loadTimer);
    const end = this.#killing ? "killed" : "died";
    if (this.state === "loading") this.#failures++;
    this.state = this.#failures >= STARTS_MAX ? "broken" : "loading";
    if (!this.#closed && this.state === "loading") this.#start();
    if (this.#running) this.#running.finish(end);
    else this.#onChange();
  }

  #watch(job: Job): NodeJS.Timeout {
    return setTimeout(() => {
      this.#killing = true;
      this.#child?.kill("SIGKILL");
    }, wallLimitMs(job.limits.timeout_ms));
  }

  #post(message: ToChild): void {
    this.#child?.send(message, () => {
      // A failed send means that the process is ending, which its exit event reports.
    });
  }
}
