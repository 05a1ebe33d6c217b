// The Python interpreter of a sandboxed child process: loaded once, then restored to the same memory after
// every run.
import { readFileSync } from "node:fs";
import { RunBudget, RunEnded, UNSUPPORTED_EXIT } from "./budget.ts";
import { type Engine, type Failure, failureOf } from "./engine.ts";
import type { Cell, CellResult, RunLimits, RunPlan, RunResult } from "./protocol.ts";
import { type Gate, guardImports } from "./python-gate.ts";

/**
 * The functions of CPython's C API, as exported by pyodide's module, that are used here. Pointers are
 * numbers.
 */
interface PythonExports {
  memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  PyRun_SimpleString(source: number): number;
  emscripten_get_sbrk_ptr(): number;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(pointer: number): void;
  Py_CompileStringExFlags(source: number, name: number, start: number, flags: number, optimize: number): number;
  PyEval_EvalCode(code: number, globals: number, locals: number): number;
  PyImport_AddModule(name: number): number;
  PyModule_GetDict(module: number): number;
  PyErr_ExceptionMatches(exception: number): number;
  PyErr_PrintEx(setVariables: number): void;
  PyErr_Clear(): void;
  PyExc_SystemExit: WebAssembly.Global;
  PyExc_MemoryError: WebAssembly.Global;
  Py_EMSCRIPTEN_SIGNAL_HANDLING: WebAssembly.Global;
  PyErr_GetRaisedException(): number;
  PyObject_GetAttrString(object: number, name: number): number;
  PyLong_AsLong(object: number): number;
  _Py_NoneStruct: WebAssembly.Global;
}

const EXEC = 257;

/** Namespaces of the program and of the harness, which start from separate builtins. */
const PROGRAM = "__main__";
const HARNESS = "__kritai__";

const FLUSH = "import sys as _s\n_s.stdout.flush()\ndel _s";
const AT_EXIT = "import atexit as _a, sys as _s\n_a._run_exitfuncs()\n_s.stdout.flush()\n_s.stderr.flush()";
const AS_MODULE = "as_module()";
const PREIMPORT = "preimport()";
const EMIT = "emit()";

/** Programs in LeetCode's format omit imports that LeetCode provides. */
const LEETCODE = /^class\s+Solution\b/m;

const HARNESS_FILE = new URL("../../../../src/core/wire/programs/harness.py", import.meta.url);

/** Loads CPython behind the gate and saves its memory. Takes about 0.6 s and 130 MB. */
export async function loadPython(): Promise<Engine> {
  const gate: Gate = { budget: null, memory: null, random: 0 };
  const { exports, files } = await instantiate(gate);
  for (const file of ["absent.py", "threads.py", "prepare.py"]) {
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    const pointer = passText(exports, source.replaceAll("UNSUPPORTED_EXIT", `${UNSUPPORTED_EXIT}`));
    if (exports.PyRun_SimpleString(pointer) !== 0) throw new Error(`${file} failed`);
  }
  const harness = readFileSync(HARNESS_FILE, "utf8");
  if (evaluate(exports, `${harness}\npreimports()`, HARNESS) === 0) throw new Error("harness.py failed");
  return new PythonEngine(exports, files, gate);
}

/** Copies a string into the interpreter's memory. The wipe after the run removes it. */
function passText(exports: PythonExports, text: string): number {
  const bytes = new TextEncoder().encode(`${text}\0`);
  const pointer = exports.malloc(bytes.length);
  if (pointer === 0) throw new RunEnded("memory", "out of memory");
  new Uint8Array(exports.memory.buffer).set(bytes, pointer);
  return pointer;
}

/** Runs code in a module's namespace. Returns 0 if the code raised an exception. */
function evaluate(exports: PythonExports, code: string, module: string): number {
  const names = exports.PyModule_GetDict(exports.PyImport_AddModule(passText(exports, module)));
  const compiled = exports.Py_CompileStringExFlags(
    passText(exports, code),
    passText(exports, "solution.py"),
    EXEC,
    0,
    -1,
  );
  return compiled === 0 ? 0 : exports.PyEval_EvalCode(compiled, names, names);
}

const harnessCode = ({ name, args }: Cell): string => `keep(call(find(${JSON.stringify(name)}), [${args}]))`;

/** Emscripten's table of open files, indexed by descriptor. */
interface OpenFiles {
  streams: unknown[];
}

/**
 * Stops pyodide's startup once CPython runs, before pyodide builds its own layer. The bridge between Python
 * and JavaScript then does not exist at all, and the start takes a quarter of the time.
 */
async function instantiate(gate: Gate): Promise<{ files: OpenFiles; exports: PythonExports }> {
  const { loadPyodide } = await import("pyodide");
  const { default: createModule } = (await import("pyodide/pyodide.asm.mjs" as string)) as {
    default: (settings: object) => Promise<{ FS: OpenFiles }>;
  };
  let exports: PythonExports | null = null;
  const original = WebAssembly.instantiate;
  const intercepted = async (source: WebAssembly.Module, imports?: WebAssembly.Imports) => {
    const isPython = imports?.env?.__syscall_openat !== undefined;
    if (isPython) guardImports(imports, gate);
    const made = (await original(source, imports)) as unknown as WebAssembly.WebAssemblyInstantiatedSource;
    if (isPython) exports ??= made.instance.exports as unknown as PythonExports;
    return made;
  };
  WebAssembly.instantiate = intercepted as unknown as typeof WebAssembly.instantiate;
  try {
    const { FS } = await new Promise<{ FS: OpenFiles }>((resolve, reject) => {
      const createPyodideModule = async (settings: { API: object }) => {
        // No package is ever loaded, so the package index is not read.
        Object.assign(settings.API, { lockFilePromise: undefined });
        // /dev/stdin and /dev/stdout: a second path to the standard streams, with the same bytes.
        const stdin = () => gate.budget?.readByte() ?? null;
        resolve(await createModule({ ...settings, thisProgram: "python", stdin, stdout: () => {}, stderr: () => {} }));
        return new Promise(() => {});
      };
      const options = {
        jsglobals: Object.freeze(Object.create(null)),
        env: { HOME: "/home/user", PYTHONHASHSEED: "0" },
        lockFileContents: {},
        createPyodideModule,
      };
      loadPyodide(options as never).catch(reject);
    });
    if (exports === null) throw new Error("CPython was not instantiated through the gate");
    return { files: FS, exports };
  } finally {
    WebAssembly.instantiate = original;
  }
}

/**
 * A program can reach only the linear memory, the stack pointer and the table of open files; the gate
 * prevents changes to everything else. Restoring these three is therefore a complete wipe, whatever the
 * program did.
 */
class PythonEngine implements Engine {
  readonly #exports: PythonExports;
  readonly #files: OpenFiles;
  readonly #gate: Gate;
  readonly #frozen: Uint8Array;
  readonly #stackPointer: number;
  readonly #openFiles: unknown[];

  constructor(exports: PythonExports, files: OpenFiles, gate: Gate) {
    this.#exports = exports;
    this.#files = files;
    this.#gate = gate;
    const sbrkPointer = exports.emscripten_get_sbrk_ptr();
    // Makes the interpreter loop call its check for Unix signals, where time limits are enforced.
    new Uint8Array(exports.memory.buffer)[exports.Py_EMSCRIPTEN_SIGNAL_HANDLING.value] = 1;
    const top = new DataView(exports.memory.buffer).getUint32(sbrkPointer, true);
    this.#frozen = new Uint8Array(exports.memory.buffer).slice(0, top);
    this.#stackPointer = exports.emscripten_stack_get_current();
    this.#openFiles = [...files.streams];
    gate.memory = { memory: exports.memory, sbrkPointer };
  }

  run(source: string, plan: RunPlan, limits: RunLimits): RunResult {
    const started = performance.now();
    const budget = new RunBudget(limits, plan.stdin);
    const cells: CellResult[] = [];
    let stdout: string | null = null;
    this.#gate.random = 0x9e3779b9;
    this.#gate.budget = budget;
    let failure: Failure | null = null;
    try {
      const before = plan.as_script ? null : this.#run(AS_MODULE, budget, HARNESS);
      const given = plan.as_script || !LEETCODE.test(source) ? null : this.#run(PREIMPORT, budget, HARNESS);
      failure = before ?? given ?? this.#run(source, budget);
      failure ??= this.#run(plan.as_script ? AT_EXIT : FLUSH, budget);
      stdout = budget.takeOutput();
      for (const cell of failure ? [] : plan.cells) {
        failure = this.#run(harnessCode(cell), budget, HARNESS) ?? this.#run(FLUSH, budget);
        const printed = budget.takeOutput();
        failure ??= this.#run(EMIT, budget, HARNESS);
        if (failure) break;
        cells.push({ printed, value: budget.takeOutput() });
      }
    } catch (thrown) {
      failure = failureOf(thrown, budget);
      stdout ??= budget.takeOutput();
    } finally {
      this.#gate.budget = null;
      this.#wipe();
    }
    return {
      status: failure?.status ?? "ok",
      stdout: stdout ?? "",
      cells,
      stderr_tail: budget.stderrTail,
      error: failure?.error ?? null,
      wall_ms: performance.now() - started,
    };
  }

  /** Runs code in a module's namespace. Returns null if the code ended normally. */
  #run(code: string, budget: RunBudget, module = PROGRAM): Failure | null {
    if (code.includes("\0")) return { status: "error", error: "the source contains a null byte" };
    const value = evaluate(this.#exports, code, module);
    if (budget.ended) throw budget.ended;
    return value === 0 ? this.#raised(budget) : null;
  }

  #raised(budget: RunBudget): Failure | null {
    const { PyErr_ExceptionMatches, PyErr_PrintEx, PyExc_SystemExit, PyExc_MemoryError } = this.#exports;
    const view = new DataView(this.#exports.memory.buffer);
    const matches = (type: WebAssembly.Global) => PyErr_ExceptionMatches(view.getUint32(type.value, true)) === 1;
    if (matches(PyExc_SystemExit)) return this.#systemExit(budget);
    const outOfMemory = matches(PyExc_MemoryError);
    PyErr_PrintEx(0);
    this.#run(AT_EXIT, budget);
    const lastLine = budget.stderrTail.trimEnd().split("\n").at(-1) ?? "";
    return { status: outOfMemory ? "memory" : "error", error: lastLine.slice(0, 200) || "an exception" };
  }

  /** `sys.exit()` is a normal end if its code is 0 or None. */
  #systemExit(budget: RunBudget): Failure | null {
    const { PyErr_GetRaisedException, PyObject_GetAttrString, PyLong_AsLong, PyErr_Clear, _Py_NoneStruct } =
      this.#exports;
    const code = PyObject_GetAttrString(PyErr_GetRaisedException(), passText(this.#exports, "code"));
    const number = code === _Py_NoneStruct.value ? 0 : PyLong_AsLong(code);
    PyErr_Clear();
    this.#run(AT_EXIT, budget);
    return budget.end(number === 0 ? "ok" : "error", `exit(${number})`, number);
  }

  #wipe(): void {
    const memory = new Uint8Array(this.#exports.memory.buffer);
    memory.set(this.#frozen);
    memory.fill(0, this.#frozen.length);
    this.#exports._emscripten_stack_restore(this.#stackPointer);
    this.#files.streams.length = 0;
    this.#files.streams.push(...this.#openFiles);
  }
}
