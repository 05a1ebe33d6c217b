// Defines what one run may consume and what it has written. Knows neither interpreter.
import { randomInt } from "node:crypto";
import type { RunLimits, RunStatus } from "./protocol.ts";

/** The end of a run that no program can catch: thrown through the WebAssembly frames. */
export class RunEnded extends Error {
  readonly status: RunStatus;
  /** Set when the program asked for its own end. */
  readonly exitCode: number | null;

  constructor(status: RunStatus, message: string, exitCode: number | null = null) {
    super(message);
    this.name = "RunEnded";
    this.status = status;
    this.exitCode = exitCode;
  }
}

/**
 * The exit status by which absent.py and threads.py say that a program needs what is not here: of
 * more than the eight bits that systems keep, and another in every process.
 */
export const UNSUPPORTED_EXIT = randomInt(0x1_0000, 0x7fff_ffff);

const STDERR_TAIL_BYTES = 2048;

/** One run's bounds and its output; one at a time in a child. */
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

  /** Ends the run for good, whatever the program catches afterwards. */
  end(status: RunStatus, message: string, exitCode: number | null = null): never {
    this.ended ??= new RunEnded(status, message, exitCode);
    throw this.ended;
  }

  /** Ends the run as the program's own wish. */
  exit(code: number): never {
    if (code === UNSUPPORTED_EXIT) this.end("unsupported", "the program needs what this sandbox does not have");
    this.end(code === 0 ? "ok" : "error", `exit(${code})`, code);
  }

  /** Called often by the interpreters; ends the run when its CPU time is spent. */
  checkTime(): void {
    if (this.ended) throw this.ended;
    if (threadCpuMs() > this.#deadlineCpuMs)
      this.end("timeout", `no end within ${this.limits.timeout_ms} ms of CPU time`);
  }

  /** Copies up to `target.length` bytes of standard input; 0 = end of input. */
  read(target: Uint8Array): number {
    const part = this.stdin.subarray(this.stdinOffset, this.stdinOffset + target.length);
    target.set(part);
    this.stdinOffset += part.length;
    return part.length;
  }

  /** The next byte of standard input; null at its end. */
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
      this.end("output_limit", `more than ${this.limits.output_bytes} bytes of output`);
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

/** CPU time of this thread, ms: a busy machine does not make a program late. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
