// The JavaScript interpreter of a sandboxed child process: quickjs, with a clean WebAssembly instance for
// every run.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  RELEASE_SYNC,
} from "quickjs-emscripten";
import { RunBudget, RunEnded } from "./budget.ts";
import { type Engine, failureOf } from "./engine.ts";
import type { Cell, CellResult, RunLimits, RunPlan, RunResult } from "./protocol.ts";

const STACK_BYTES = 1_000_000;
const EXPORT = /^[^\S\n\r\u2028\u2029]*export\s/m;
const IMPORT = /^[^\S\n\r\u2028\u2029]*import\s/m;
const MODULE_NAME = /["'][\w:/]+["']/;

/** Whether a program is an ES module. In an import, the module's name comes before any parenthesis. */
export function isModule(source: string): boolean {
  if (EXPORT.test(source)) return true;
  return source.split(/(?=\()/).some((part) => {
    const head = IMPORT.exec(part);
    return head !== null && MODULE_NAME.test(part.slice(head.index + head[0].length));
  });
}

/**
 * Node modules, and packages that online judges offer, that are missing here. A program that needs one is
 * unsupported, not wrong.
 */
const ABSENT_MODULES = `assert/strict async_hooks buffer child_process cluster crypto dns http http2 https lodash module net path
  querystring stream stream/promises string_decoder timers timers/promises tls tty url util/types v8 vm worker_threads zlib`;
const ABSENT_NAMES =
  "Buffer URL URLSearchParams TextEncoder TextDecoder structuredClone AbortController Blob Intl WebAssembly crypto _";
const eitherOf = (words: string) => words.trim().split(/\s+/).join("|");
const ABSENT = new RegExp(
  `module '(?:node:)?(?:${eitherOf(ABSENT_MODULES)}|@datastructures-js/[\\w-]+)'$|^ReferenceError: '(?:${eitherOf(ABSENT_NAMES)})' is not defined`,
);

/** Functions inside the interpreter that programs cannot replace. */
interface Harness {
  /** Runs one turn of the event loop; true while more work remains. */
  turn: QuickJSHandle;
  /** Calls a function with a list of arguments, and awaits and stores its value. */
  call: QuickJSHandle;
  /** Returns the stored value as JSON in the format of readEmitted (emitted.ts). */
  emit: QuickJSHandle;
}

/** Sources of the Node APIs that are offered to programs. */
interface Prelude {
  node: string;
  output: string;
  format: string;
  input: string;
}

const ownSource = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

const PAGES_PER_MIB = 16;
/** The initial memory that the WebAssembly module declares. */
const PAGES_INITIAL = 256;
const PAGES_MAX = 32_768;

/** Larger instances are discarded instead of wiped. */
const KEPT_MEMORY_BYTES = 64 * 1_048_576;

/** Compiles quickjs in about 20 ms. */
export async function loadJavaScript(): Promise<Engine> {
  const fromQuickjs = createRequire(createRequire(import.meta.url).resolve("quickjs-emscripten"));
  const bytes = readFileSync(fromQuickjs.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  const wasm = await WebAssembly.compile(bytes);
  const prelude: Prelude = {
    node: ownSource("prelude.js"),
    output: ownSource("prelude-output.js"),
    format: ownSource("prelude-format.js"),
    input: ownSource("prelude-input.js"),
  };
  let cachedInstance: Instance | null = null;
  return {
    run: async (source, plan, limits) => {
      const instance =
        cachedInstance?.memoryMb === limits.memory_mb ? cachedInstance : await Instance.create(wasm, limits.memory_mb);
      const run = new JavaScriptRun(instance.quickjs.newRuntime(), prelude, plan, limits);
      const result = run.run(source);
      cachedInstance = !run.trapped && instance.wipe() ? instance : null;
      return result;
    },
  };
}

/**
 * quickjs in WebAssembly. The state consists of the linear memory and the stack pointer, and the stack
 * pointer is restored after every run that did not trap. Copying the memory back is therefore a complete
 * wipe.
 */
class Instance {
  readonly quickjs: QuickJSWASMModule;
  readonly memoryMb: number;
  readonly #memory: WebAssembly.Memory;
  readonly #frozen: Uint8Array;

  private constructor(quickjs: QuickJSWASMModule, memory: WebAssembly.Memory, memoryMb: number) {
    this.quickjs = quickjs;
    this.memoryMb = memoryMb;
    this.#memory = memory;
    this.#frozen = new Uint8Array(memory.buffer).slice();
  }

  /**
   * Enforces the limit as the maximum of the WebAssembly memory, because quickjs does not count large blocks.
   */
  static async create(wasmModule: WebAssembly.Module, memoryMb: number): Promise<Instance> {
    const maximum = Math.min(PAGES_MAX, Math.max(PAGES_INITIAL, memoryMb * PAGES_PER_MIB));
    const wasmMemory = new WebAssembly.Memory({ initial: PAGES_INITIAL, maximum });
    const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmModule, wasmMemory }));
    return new Instance(quickjs, wasmMemory, memoryMb);
  }

  /** Restores the initial memory. Returns false if the instance should be discarded instead. */
  wipe(): boolean {
    const memory = new Uint8Array(this.#memory.buffer);
    if (memory.length > KEPT_MEMORY_BYTES) return false;
    memory.set(this.#frozen);
    memory.fill(0, this.#frozen.length);
    return true;
  }
}

/**
 * Runs one program in a clean instance. Nothing is disposed, because the whole instance is wiped or
 * discarded.
 */
class JavaScriptRun {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #budget: RunBudget;
  readonly #plan: RunPlan;
  readonly #harness: Harness;
  /** Whether WebAssembly itself failed, which leaves its stack pointer undefined. */
  trapped = false;

  constructor(runtime: QuickJSRuntime, prelude: Prelude, plan: RunPlan, limits: RunLimits) {
    this.#plan = plan;
    this.#runtime = runtime;
    this.#budget = new RunBudget(limits, plan.stdin);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => this.#isOver());
    this.#context = runtime.newContext();
    this.#harness = this.#install(prelude);
    runtime.setModuleLoader((name) => moduleSource(name));
  }

  run(source: string): RunResult {
    const started = performance.now();
    const cells: CellResult[] = [];
    let stdout: string | null = null;
    let failure: { status: RunResult["status"]; error: string } | null = null;
    try {
      if (!this.#plan.as_script) this.#evaluate(AS_MODULE, "global");
      this.#evaluate(source, isModule(source) ? "module" : "global");
      stdout = this.#budget.takeOutput();
      for (const cell of this.#plan.cells) cells.push(this.#cell(cell));
    } catch (thrown) {
      this.trapped = !(thrown instanceof RunEnded);
      failure = failureOf(thrown, this.#budget);
      stdout ??= this.#budget.takeOutput();
    }
    return {
      status: failure?.status ?? "ok",
      stdout: stdout ?? "",
      cells,
      stderr_tail: this.#budget.stderrTail,
      error: failure?.error ?? null,
      wall_ms: performance.now() - started,
    };
  }

  #cell(cell: Cell): CellResult {
    const [asked, args] = [functionNamed(cell.name), `[${cell.args}]`].map((code) =>
      this.#handle(this.#context.evalCode(code, "solution.js")),
    ) as [QuickJSHandle, QuickJSHandle];
    this.#handle(this.#context.callFunction(this.#harness.call, this.#context.undefined, asked, args));
    this.#runEvents();
    const value = this.#handle(this.#context.callFunction(this.#harness.emit, this.#context.undefined));
    return { printed: this.#budget.takeOutput(), value: this.#context.getString(value) };
  }

  /** Evaluates code and runs the event loop until it is empty. Throws if the program failed or was ended. */
  #evaluate(code: string, type: "global" | "module"): void {
    this.#handle(this.#context.evalCode(code, "solution.js", { type }));
    this.#runEvents();
  }

  #runEvents(): void {
    for (;;) {
      const jobs = this.#runtime.executePendingJobs();
      if (jobs.error) this.#fail(jobs.error);
      const more = this.#handle(this.#context.callFunction(this.#harness.turn, this.#context.undefined));
      if (this.#context.dump(more) !== true) return;
    }
  }

  #handle(result: { error?: QuickJSHandle | undefined; value?: QuickJSHandle }): QuickJSHandle {
    if (this.#budget.ended) throw this.#budget.ended;
    return result.value === undefined || result.error ? this.#fail(result.error) : result.value;
  }

  #fail(error: QuickJSHandle | undefined): never {
    if (this.#budget.ended) throw this.#budget.ended;
    const dumped: unknown = error && this.#context.dump(error);
    const { name = "Error", message = String(dumped) } = (dumped ?? {}) as { name?: string; message?: string };
    if (message === "out of memory") this.#budget.memoryRefused = true;
    const line = `${name}: ${message}`.replaceAll("\n", " ").slice(0, 200);
    this.#budget.write(2, new TextEncoder().encode(`${line}\n`));
    if (ABSENT.test(line)) this.#budget.end("unsupported", line);
    return this.#budget.end(this.#budget.memoryRefused ? "memory" : "error", line);
  }

  #isOver(): boolean {
    try {
      this.#budget.checkTime();
      return false;
    } catch {
      return true;
    }
  }

  #install(prelude: Prelude): Harness {
    const context = this.#context;
    const write = context.newFunction("write", (fd, text) => {
      if (this.#budget.ended) throw this.#budget.ended;
      this.#budget.write(context.getNumber(fd) === 1 ? 1 : 2, new TextEncoder().encode(context.getString(text)));
    });
    const writeNull = context.newFunction("writeNull", (fd) => {
      if (this.#budget.ended) throw this.#budget.ended;
      this.#budget.write(context.getNumber(fd) === 1 ? 1 : 2, new Uint8Array(1));
    });
    const stdin = () => JSON.stringify(new TextDecoder().decode(this.#budget.stdin));
    const read = context.newFunction("read", () => context.newString(stdin()));
    const exit = context.newFunction("exit", (code) => this.#budget.exit(context.getNumber(code)));
    const [output, format, input, setup] = [prelude.output, prelude.format, prelude.input, prelude.node].map((source) =>
      context.unwrapResult(context.evalCode(source, "prelude.js")),
    ) as [QuickJSHandle, QuickJSHandle, QuickJSHandle, QuickJSHandle];
    const made = context.unwrapResult(context.callFunction(output, context.undefined, write, writeNull));
    const [print, call, emit] = ["print", "call", "emit"].map((name) => context.getProp(made, name)) as [
      QuickJSHandle,
      QuickJSHandle,
      QuickJSHandle,
    ];
    const turn = context.unwrapResult(context.callFunction(setup, context.undefined, print, read, exit, format, input));
    return { turn, call, emit };
  }
}

/**
 * Evaluated before a program whose functions are called, so that code guarded by `require.main === module`
 * does not run.
 */
const AS_MODULE = "require.main = undefined; module.parent = {};";

/**
 * An expression for the program's function, export or Solution method with that name, as a function without
 * `this`.
 */
const functionNamed = (name: string) => `typeof ${name} === "function" ? (...a) => ${name}(...a)
  : typeof module.exports === "function" ? (...a) => module.exports(...a)
  : typeof module.exports.${name} === "function" ? (...a) => module.exports.${name}(...a)
  : (...a) => new Solution().${name}(...a)`;

/** Implements `import` for the modules that `require` supports. */
function moduleSource(name: string): string {
  const known = name.replace(/^node:/, "");
  const names: Record<string, readonly string[]> = {
    fs: ["readFileSync", "writeFileSync", "writeSync", "createReadStream", "promises"],
    readline: ["createInterface"],
    "readline/promises": ["createInterface"],
    "fs/promises": ["readFile"],
    os: ["EOL"],
    util: ["inspect", "format"],
    events: ["EventEmitter"],
    process: ["stdin", "stdout", "stderr", "argv", "exit"],
    perf_hooks: ["performance"],
  };
  const exported = (names[known] ?? []).map((n) => `export const ${n} = m.${n};`).join("\n");
  return `const m = require(${JSON.stringify(known)});\nexport default m;\n${exported}`;
}
