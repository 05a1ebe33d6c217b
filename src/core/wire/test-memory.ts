// Caches runs that do not contain the program, because such a run ends the same way whenever it is repeated.
import type { Step } from "./examination.ts";
import type { Ran } from "./sandbox-apis.ts";

/** Maximum number of UTF-16 code units of inputs and outputs together. */
const CHARS_MAX = 4_194_304;
const ENTRIES_MAX = 2_048;

/** Runs of test code, keyed by their whole input, because the input may depend on a program's answers. */
export class TestMemory {
  readonly #runs = new Map<string, Ran>();
  #chars = 0;

  get({ kind, run }: Step): Ran | undefined {
    return kind === "test" ? this.#runs.get(keyOf(run)) : undefined;
  }

  /** Stores a successful run. Evicts the oldest runs if the cache is full. */
  set({ kind, run }: Step, ran: Ran): void {
    const key = keyOf(run);
    const chars = key.length + ran.stdout.length;
    if (kind !== "test" || ran.end !== "exit" || ran.exit_code !== 0 || this.#runs.has(key)) return;
    if (chars > CHARS_MAX / 8) return;
    this.#runs.set(key, { ...ran, stderr: "" });
    this.#chars += chars;
    for (const [oldest, { stdout }] of this.#runs) {
      if (this.#chars <= CHARS_MAX && this.#runs.size <= ENTRIES_MAX) break;
      this.#runs.delete(oldest);
      this.#chars -= oldest.length + stdout.length;
    }
  }
}

const keyOf = ({ language, stdin }: Step["run"]) => `${language}\n${stdin}`;
