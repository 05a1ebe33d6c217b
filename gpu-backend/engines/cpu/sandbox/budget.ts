// The resource limits and the output of a run. Independent of the interpreter.
import { randomInt } from "node:crypto";
import type { RunLimits, RunStatus } from "./protocol.ts";

/** The end of a run, thrown through the WebAssembly frames so that the program cannot catch it. */
export class RunEnded extends Error {
  readonly status: RunStatus;
  /** Set if the program called exit. */
  readonly exitCode: number | null;

  constructor(status: RunStatus, message: string, exitCode: number | null = null) {
    super(message);
    this.name = "RunEnded";
    this.status = status;
    this.exitCode = exitCode;
  }
}

/**
 * Exit status by which absent.py and threads.py report that a program needs an unsupported feature. The value
 * exceeds the eight bits of ordinary exit codes and is random per process, so that programs cannot fake it.
 */
export const UNSUPPORTED_EXIT = randomInt(0x1_0000, 0x7fff_ffff);

const STDERR_TAIL_BYTES = 2048;

/** Limits and output of a run. A child process runs one program at a time. */
export class RunBudget {
  readonly limits: RunLimits;
  readonly stdin: Uint8Array;
  stdinOffset = 0;
  stderrTail = "";
  memoryRefused = false;
  ended: RunEnded | null = null;
  readonly #deadlineCpuMs: number;
  #chunks: Uint8Array[] = [];
  #written = 0;

  constructor(limits: RunLimits, stdin: string) {
    this.limits = limits;
    this.stdin = new TextEncoder().encode(stdin);
    this.#deadlineCpuMs = threadCpuMs() + limits.timeout_ms;
  }

  /** Ends the run permanently, whatever the program catches. */
  end(status: RunStatus, message: string, exitCode: number | null = null): never {
    this.ended ??= new RunEnded(status, message, exitCode);
    throw this.ended;
  }

  /** Ends the run because the program called exit. */
  exit(code: number): never {
    if (code === UNSUPPORTED_EXIT)
      this.end("unsupported", "the program uses a feature that this sandbox does not support");
    this.end(code === 0 ? "ok" : "error", `exit(${code})`, code);
  }

  /** Ends the run if its CPU time is used up. Called often by the interpreters. */
  checkTime(): void {
    if (this.ended) throw this.ended;
    if (threadCpuMs() > this.#deadlineCpuMs)
      this.end("timeout", `the program did not end within ${this.limits.timeout_ms} ms of CPU time`);
  }

  /** Copies up to `target.length` bytes of standard input. Returns 0 at the end of input. */
  read(target: Uint8Array): number {
    const part = this.stdin.subarray(this.stdinOffset, this.stdinOffset + target.length);
    target.set(part);
    this.stdinOffset += part.length;
    return part.length;
  }

  /** The next byte of standard input; null at the end. */
  readByte(): number | null {
    return this.stdin[this.stdinOffset++] ?? null;
  }

  write(fd: 1 | 2, bytes: Uint8Array): void {
    if (fd === 2) {
      this.stderrTail = (this.stderrTail + new TextDecoder().decode(bytes)).slice(-STDERR_TAIL_BYTES);
      return;
    }
    this.#written += bytes.length;
    if (this.#written > this.limits.output_bytes) {
      this.end("output_limit", `the output exceeds ${this.limits.output_bytes} bytes`);
    }
    this.#chunks.push(bytes.slice());
  }

  /** Standard output since the last call. */
  takeOutput(): string {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#chunks = [];
    return text;
  }
}

/** CPU time of this thread, in ms. Unlike wall time, it does not penalize a program on a busy machine. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
