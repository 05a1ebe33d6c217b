// Owns the rows in which a run's verdicts are known to its later requests: bounded in number, and
// over all at once. Knows no runtime.
import { LIMITS } from "../../core/faults/limits.ts";
import { hashText } from "../../core/math/random.ts";
import type { KnownVerdict } from "../../ports/run-verdicts.ts";
import type { Values } from "../storage/values.ts";

const ROW = "run.verdict.";
const STATE = "run.verdicts";

interface VerdictRowsState {
  /** When all are over, ms since 1970: counted from the first. */
  over: number;
  rows: number;
}

const prefixOf = (prompt: string): string => `${ROW}${prompt}.`;
/** Rows whose keys have one hash take each other's place: the key itself says whose it is. */
const nameOf = ({ prompt, key }: KnownVerdict): string => `${prefixOf(prompt)}${hashText(key).join("-")}`;

export class VerdictRows {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** 0: there are none. */
  get over(): number {
    return this.#values.get<VerdictRowsState>(STATE)?.over ?? 0;
  }

  of(prompts: readonly string[], now: number): KnownVerdict[] {
    this.dropOver(now);
    const found: KnownVerdict[] = [];
    for (const prompt of prompts) {
      for (const [, row] of this.#values.list<KnownVerdict>(prefixOf(prompt))) {
        if (found.length >= LIMITS.verdict_cache_read) return found;
        found.push(row);
      }
    }
    return found;
  }

  /** Those that there is room for. */
  add(rows: readonly KnownVerdict[], now: number): void {
    this.dropOver(now);
    const state = this.#values.get<VerdictRowsState>(STATE) ?? { over: now + LIMITS.verdict_cache_ms, rows: 0 };
    for (const row of rows) {
      const name = nameOf(row);
      const isNew = this.#values.get(name) === undefined;
      if (isNew && state.rows >= LIMITS.verdict_cache_rows) continue;
      if (isNew) state.rows++;
      this.#values.put(name, row);
    }
    this.#values.put(STATE, state);
  }

  dropOver(now: number): void {
    if (this.over <= now) this.drop();
  }

  drop(): void {
    if (this.over === 0) return;
    for (const [name] of [...this.#values.list(ROW)]) this.#values.delete(name);
    this.#values.delete(STATE);
  }
}
