// Measurements kept by content: the same program on the same tests by the same engine is run once.

import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import type { Program } from "../engines/engine.ts";
import { Omissions, readJsonl } from "../format/jsonl.ts";
import type { PoolTest } from "../format/pool-format.ts";

const TallySchema = z.strictObject({
  passed: z.int().min(0),
  total: z.int().min(1),
  failures: z.record(z.string(), z.int().min(1)),
});
/** How a program's tests ended; `passed` and the failures add up to `total`. */
export type Tally = z.output<typeof TallySchema>;

const EntrySchema = z.strictObject({ key: z.string().length(64), ...TallySchema.shape });

export class PassRateCache {
  readonly #entries = new Map<string, Tally>();
  readonly #file: string | null;

  private constructor(file: string | null) {
    this.#file = file;
  }

  /**
   * A cache in memory, or one that goes on in `file`. Half-written lines of a killed run are passed
   * over.
   */
  static async open(file: string | null = null): Promise<PassRateCache> {
    const cache = new PassRateCache(file);
    if (file !== null && existsSync(file)) {
      for await (const { key, ...tally } of readJsonl(file, EntrySchema, new Omissions()))
        cache.#entries.set(key, tally);
    } else if (file !== null) {
      mkdirSync(dirname(file), { recursive: true });
    }
    return cache;
  }

  /** The key of a program on tests, given the hash of the tests from `testsKey`. */
  static key(engine: string, testsKey: string, { language, code }: Program): Promise<string> {
    return sha256Hex(JSON.stringify([engine, testsKey, language, code]));
  }

  static testsKey(tests: readonly PoolTest[]): Promise<string> {
    return sha256Hex(JSON.stringify(tests));
  }

  get(key: string): Tally | undefined {
    return this.#entries.get(key);
  }

  /** Takes in what was measured elsewhere, without writing it down. */
  preload(key: string, tally: Tally): void {
    this.#entries.set(key, tally);
  }

  record(key: string, tally: Tally): void {
    this.#entries.set(key, tally);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify({ key, ...tally })}\n`);
  }
}
