// Defines what is broken in model text besides the tokens of known families: those of the engines that are
// served.

import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createEscape, type Escape, survivors } from "../../../src/core/judges/escape/escape.ts";
import type { EngineAddress } from "./engine-address.ts";
import { type Vocabulary, vocabularyOf } from "./vocabulary.ts";

/**
 * vLLM's (with `--enable-tokenizer-info-endpoint`) and llama.cpp's. SGLang and others offer none:
 * `ENGINE_TOKENS`.
 */
const ROUTES = ["/tokenizer_info", "/props"];

/**
 * The engine's vocabulary; null when it offers none; undefined when it did not answer, which says
 * nothing. Never rejects.
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

/** What is broken, made anew when an engine's tokens change. */
export class EngineTokens {
  readonly #given: readonly string[];
  readonly #tokensByEngine = new Map<EngineAddress, readonly string[]>();
  #escape: Escape;
  #survivors: readonly string[] = [];
  #count: number;

  /** @param given tokens of which no engine need tell */
  constructor(given: readonly string[]) {
    this.#given = given;
    this.#escape = createEscape(given);
    this.#survivors = survivors(this.#escape, given);
    this.#count = given.length;
  }

  /** Breaks the tokens of every engine seen. */
  get escape(): Escape {
    return this.#escape;
  }

  /** Tokens known, of all engines together. */
  get count(): number {
    return this.#count;
  }

  /**
   * Tokens that reach the engine whole all the same, as JSON texts, a few; empty when there are
   * none.
   */
  get trouble(): string {
    const shown = this.#survivors.slice(0, 3).map((token) => JSON.stringify(token));
    const more = this.#survivors.length > shown.length ? `, .. (${this.#survivors.length})` : "";
    return shown.length === 0 ? "" : `special tokens survive the escape: ${shown.join(", ")}${more}`;
  }

  /** Takes what an engine said of itself; what it said before is forgotten. */
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
