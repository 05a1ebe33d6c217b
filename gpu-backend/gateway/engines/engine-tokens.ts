// The special tokens that are escaped in model text, in addition to those of known model families: the tokens
// of the engines being served.

import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createEscape, type Escape, survivors } from "../../../src/core/judges/escape/escape.ts";
import type { EngineAddress } from "./engine-address.ts";
import { type Vocabulary, vocabularyOf } from "./vocabulary.ts";

/**
 * Routes of vLLM (with `--enable-tokenizer-info-endpoint`) and llama.cpp. SGLang and others have none; set
 * `ENGINE_TOKENS` for them.
 */
const ROUTES = ["/tokenizer_info", "/props"];

/**
 * Reads the engine's vocabulary. Returns null if the engine offers none, undefined if it did not answer.
 * Never rejects.
 */
export async function readVocabulary(engine: EngineAddress): Promise<Vocabulary | null | undefined> {
  try {
    for (const route of ROUTES) {
      const { status, text } = await engine.get(engine.beside(route), LIMITS.readiness_timeout_ms);
      if (status >= 500) return undefined;
      const vocabulary = status === 200 ? vocabularyOf(parsed(text)) : null;
      if (vocabulary !== null) return vocabulary;
    }
    return null;
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The escape for all known tokens, rebuilt when an engine's tokens change. */
export class EngineTokens {
  readonly #given: readonly string[];
  readonly #tokensByEngine = new Map<EngineAddress, readonly string[]>();
  #escape: Escape;
  #survivors: readonly string[] = [];
  #count: number;

  /** @param given tokens from the configuration */
  constructor(given: readonly string[]) {
    this.#given = given;
    this.#escape = createEscape(given);
    this.#survivors = survivors(this.#escape, given);
    this.#count = given.length;
  }

  /** Escapes the tokens of every engine seen so far. */
  get escape(): Escape {
    return this.#escape;
  }

  /** Number of known tokens of all engines. */
  get count(): number {
    return this.#count;
  }

  /** Names a few special tokens that survive the escape, as JSON strings. Empty if there are none. */
  get trouble(): string {
    const shown = this.#survivors.slice(0, 3).map((token) => JSON.stringify(token));
    const more = this.#survivors.length > shown.length ? `, .. (${this.#survivors.length})` : "";
    return shown.length === 0 ? "" : `special tokens survive the escape: ${shown.join(", ")}${more}`;
  }

  /** Replaces the known tokens of an engine. */
  learn(engine: EngineAddress, vocabulary: Vocabulary | null): void {
    const tokens = vocabulary?.tokens ?? [];
    const known = this.#tokensByEngine.get(engine) ?? [];
    if (tokens.length === known.length && tokens.every((token, k) => token === known[k])) return;
    this.#tokensByEngine.set(engine, tokens);
    const all = [...new Set([...this.#given, ...[...this.#tokensByEngine.values()].flat()])];
    this.#escape = createEscape(all);
    this.#survivors = survivors(this.#escape, all);
    this.#count = all.length;
  }
}
