// The gate between pyodide's WebAssembly module and JavaScript: which imports a program may call, and how.
import type { RunBudget } from "./budget.ts";

/** Errors of imports, in Emscripten's (WASI's) numbering. */
const ERRNO = { BADF: 8, NOTTY: 59, PERM: 63, ROFS: 69, SPIPE: 70 } as const;

/** Pure queries, and file calls that cannot change the in-memory file system. */
const OPEN_IMPORTS = new Set([
  "clock_res_get",
  "emscripten_date_now",
  "emscripten_get_heap_max",
  "_tzset_js",
  "_timegm_js",
  "_mktime_js",
  "_localtime_js",
  "_gmtime_js",
  "_PyEM_TrampolineCall_JS",
  "_Py_emscripten_runtime",
  "_emscripten_get_progname",
  "emscripten_runtime_keepalive_push",
  "emscripten_runtime_keepalive_pop",
  "__syscall_getuid32_js",
  "__syscall_faccessat",
  "__syscall_fstat64",
  "__syscall_stat64",
  "__syscall_newfstatat",
  "__syscall_lstat64",
  "__syscall_getcwd",
  "__syscall_getdents64",
  "__syscall_readlinkat",
  "__syscall_statfs64",
  "__syscall_fstatfs64",
  "fd_fdstat_get",
  "fd_pread",
  "environ_sizes_get",
  "environ_get",
]);

/** Syscalls that fail with an ordinary error that Python code may catch. */
const REFUSED_SYSCALLS: readonly [RegExp, number][] = [
  [
    /^__syscall_(chmod|fchmod|fchmodat2|fchown32|fchownat|mkdirat|mknodat|unlinkat|rmdir|renameat|symlinkat)$/,
    ERRNO.ROFS,
  ],
  [/^__syscall_(truncate64|ftruncate64|utimensat|fallocate|fdatasync|fadvise64)$/, ERRNO.ROFS],
  [/^__syscall_(chdir|fchdir|dup|dup3|pipe|poll|socket|accept4|bind|connect|listen|getpeername)$/, ERRNO.PERM],
  [/^__syscall_(getsockname|getsockopt|recvfrom|recvmsg|sendmsg|sendto|umask_js|fcntl64|ioctl)$/, ERRNO.PERM],
  [/^_(mmap|munmap|msync|setitimer)_js$/, ERRNO.PERM],
  [/^(_emscripten_system|_try_fcntl64)$/, ERRNO.PERM],
];

type Import = (...args: number[]) => unknown;

/** The loaded interpreter, as needed by the gate. */
export interface GateMemory {
  memory: WebAssembly.Memory;
  /** Address of the variable with the end of the heap. */
  sbrkPointer: number;
}

/** State of the gate. While `budget` is null, the interpreter is loading and every import is allowed. */
export interface Gate {
  budget: RunBudget | null;
  memory: GateMemory | null;
  /**
   * State of the deterministic random source, reset before every run so that equal runs give equal results.
   */
  random: number;
}

/**
 * Wraps every function import of pyodide's module in place. During a run, only the listed imports work. Any
 * other import ends the run with an exception that Python cannot catch, because it unwinds the whole
 * WebAssembly stack.
 */
export function guardImports(imports: WebAssembly.Imports, gate: Gate): void {
  for (const space of ["env", "wasi_snapshot_preview1"]) {
    const guarded: Record<string, WebAssembly.ImportValue> = {};
    for (const [name, value] of Object.entries(imports[space] ?? {})) {
      guarded[name] = typeof value === "function" ? guard(name, value as Import, gate) : value;
    }
    imports[space] = guarded;
  }
}

function guard(name: string, original: Import, gate: Gate): Import {
  const special = SPECIAL[name];
  const refused = REFUSED_SYSCALLS.find(([pattern]) => pattern.test(name))?.[1];
  return (...args) => {
    const budget = gate.budget;
    if (budget === null || gate.memory === null) return original(...args);
    if (special) return special(args, original, budget, gate as Gate & { memory: GateMemory });
    if (OPEN_IMPORTS.has(name)) return original(...args);
    if (refused !== undefined) return -refused;
    return budget.end("error", "the program tried to access something outside the sandbox");
  };
}

type Special = (args: number[], original: Import, budget: RunBudget, gate: Gate & { memory: GateMemory }) => unknown;

const timed: Special = (args, original, budget) => {
  budget.checkTime();
  return original(...args);
};

const exited: Special = ([code], _, budget) => budget.exit(code ?? 0);

const aborted: Special = (_, __, budget) =>
  budget.memoryRefused ? budget.end("memory", "out of memory") : budget.end("error", "the interpreter aborted");

/**
 * Imports with special handling. Standard streams are handled here and never reach Emscripten's file system,
 * so a program cannot redirect them by manipulating descriptors.
 */
const SPECIAL: Readonly<Record<string, Special>> = {
  emscripten_get_now: timed,
  clock_time_get: timed,
  _Py_CheckEmscriptenSignals_Helper: (_, __, budget, gate) => {
    budget.checkTime();
    const { memory, sbrkPointer } = gate.memory;
    const top = new DataView(memory.buffer).getUint32(sbrkPointer, true);
    if (top > budget.limits.memory_mb * 1_048_576)
      budget.end("memory", `memory use exceeds ${budget.limits.memory_mb} MiB`);
    return 0;
  },
  emscripten_resize_heap: ([size], original, budget) => {
    if ((size ?? 0) >>> 0 <= budget.limits.memory_mb * 1_048_576) return original(size ?? 0);
    budget.memoryRefused = true;
    return 0;
  },
  can_run_sync_js: () => 0,
  proc_exit: exited,
  exit: exited,
  _abort_js: aborted,
  __assert_fail: aborted,
  random_get: ([pointer, length], _, __, gate) => {
    const bytes = new Uint8Array(gate.memory.memory.buffer, (pointer ?? 0) >>> 0, (length ?? 0) >>> 0);
    for (let i = 0; i < bytes.length; i++) {
      // xorshift32, deterministic on purpose: nothing in the sandbox relies on secrecy.
      gate.random ^= gate.random << 13;
      gate.random ^= gate.random >>> 17;
      gate.random ^= gate.random << 5;
      bytes[i] = gate.random & 255;
    }
    return 0;
  },
  fd_read: (args, original, budget, gate) =>
    args[0] === 0 ? scatter(args, gate.memory.memory, (bytes) => budget.read(bytes)) : original(...args),
  fd_write: ([fd = -1, ...rest], _, budget, gate) => {
    if (fd !== 1 && fd !== 2) return ERRNO.BADF;
    budget.checkTime();
    return scatter([fd, ...rest], gate.memory.memory, (bytes) => {
      budget.write(fd, bytes);
      return bytes.length;
    });
  },
  fd_pwrite: () => ERRNO.ROFS,
  fd_sync: () => 0,
  fd_seek: (args, original) => ((args[0] ?? 0) <= 2 ? ERRNO.SPIPE : original(...args)),
  fd_close: (args, original) => ((args[0] ?? 0) <= 2 ? 0 : original(...args)),
  __syscall_ioctl: () => -ERRNO.NOTTY,
  __syscall_openat: (args, original) => {
    const [, , flags = 0] = args;
    const READ_ONLY_FLAGS = 0o2_100_000 | 0o200_000 | 0o4_000;
    return (flags & ~READ_ONLY_FLAGS) === 0 ? original(...args) : -ERRNO.ROFS;
  },
};

/** Iterates over a WASI vector of buffers (`fd, iov, count, &total`) and moves the bytes with `move`. */
function scatter(args: number[], memory: WebAssembly.Memory, move: (bytes: Uint8Array) => number): number {
  const [, iov = 0, count = 0, totalPointer = 0] = args;
  const view = new DataView(memory.buffer);
  let total = 0;
  for (let k = 0; k < count; k++) {
    const at = (iov >>> 0) + 8 * k;
    const bytes = new Uint8Array(memory.buffer, view.getUint32(at, true), view.getUint32(at + 4, true));
    const moved = move(bytes);
    total += moved;
    if (moved < bytes.length) break;
  }
  view.setUint32(totalPointer >>> 0, total, true);
  return 0;
}
