// Owns what one request takes from its run's known verdicts, and what it adds to them. What cannot
// be reached is asked again, and nobody is told but the log.
import { isUnparsed, type Reading } from "../core/asking/readings.ts";
import { faultLine } from "../core/faults/fault-line.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { RunKey } from "../ports/run-log.ts";
import type { KnownVerdict, RunVerdicts } from "../ports/run-verdicts.ts";

/** Of one request that names its run. */
export class VerdictCache {
  readonly #store: RunVerdicts;
  readonly #run: RunKey;
  readonly #requestId: string;
  readonly #report: (line: Record<string, unknown>) => void;
  readonly #added: KnownVerdict[] = [];
  #known: ReadonlyMap<string, readonly Reading[]> = new Map();

  constructor(store: RunVerdicts, run: RunKey, requestId: string, report: (line: Record<string, unknown>) => void) {
    this.#store = store;
    this.#run = run;
    this.#requestId = requestId;
    this.#report = report;
  }

  /** Before anything is planned; never rejects. */
  async load(prompts: readonly string[]): Promise<void> {
    const rows = await this.#tried(this.#store.known(this.#run, [...new Set(prompts)]));
    this.#known = new Map(rows?.map(({ key, readings }) => [key, readings]));
  }

  known(key: string): readonly Reading[] | undefined {
    return this.#known.get(key);
  }

  /** An answer that cannot be read is asked again another time, as a failure is. */
  add(row: KnownVerdict): void {
    const short = row.key.length + JSON.stringify(row.readings).length <= LIMITS.verdict_cache_row_chars;
    if (!short || row.readings.some(isUnparsed) || this.#added.length >= LIMITS.verdict_cache_read) return;
    this.#added.push(row);
  }

  /** When all is scored; never rejects. */
  async store(): Promise<void> {
    if (this.#added.length > 0) await this.#tried(this.#store.remember(this.#run, this.#added, this.#requestId));
  }

  async #tried<T>(call: Promise<T>): Promise<T | undefined> {
    return call.catch((error: unknown) => {
      this.#report({ ...faultLine(error, this.#requestId), level: "warn", event: "verdict_cache_failed" });
      return undefined;
    });
  }
}
