// Detects a program's language and caches test results by the program's content.
import { createHash } from "node:crypto";
import type { Language } from "./sandbox/protocol.ts";
import type { TestCase, TestResult } from "./test-cases.ts";

const LANGUAGE_OF_TAG: Record<string, Language> = {
  python: "python",
  py: "python",
  cpython: "python",
  ipython: "python",
  pypy: "python",
  sage: "python",
  javascript: "javascript",
  js: "javascript",
  jsx: "javascript",
  ecmascript: "javascript",
  node: "javascript",
  nodejs: "javascript",
  mjs: "javascript",
  cjs: "javascript",
};

/**
 * Languages that are recognized by name but cannot be run here. Other tags (`text`, `code`, `solution`) carry
 * no information.
 */
const OTHER_LANGUAGES = new Set(
  `ada apl asm assembly awk bash basic c c# c++ c++17 c++20 clisp clj clojure cobol coffee coffeescript common-lisp cpp cs csharp
  crystal cxx d dart delphi elixir elm erlang ex f# forth fortran fsharp gnuplot go golang groovy haskell hs java julia kotlin kt
  lisp lua matlab nasm nim objc objective-c objectivec ocaml octave pascal perl php pike pl powershell prolog purescript q r
  racket raku rb rs ruby rust scala scheme sh shell sml solidity sql swift tcl ts tsx typescript vb verilog vhdl zig zsh`.split(
    /\s+/,
  ),
);

/**
 * Matches a line that contains `head` and later `tail`. A single pattern for both would try every pair of
 * positions.
 */
const lineOf = (head: RegExp, tail: RegExp) => ({
  test: (source: string) =>
    source.split(/[\n\r\u2028\u2029]/).some((line) => {
      const found = head.exec(line);
      return found !== null && tail.test(line.slice(found.index + found[0].length));
    }),
});

const SIGNS: Record<Language, readonly { test(source: string): boolean }[]> = {
  python: [
    lineOf(/^\s*(?:def|class|if|for|while|with|else|elif|try|except)\b/, /:\s*(?:#|$)/),
    /^[^\S\n\r\u2028\u2029]*(?:import|from)\s+\w/m,
    /\bprint\(/,
    /\b(?:input|len|range)\(/,
  ],
  javascript: [
    /\b(?:const|let|var)\s+[\w[{]/,
    lineOf(/\bfunction\b/, /\{/),
    /=>/,
    /\bconsole\.log\(/,
    /\brequire\(/,
    /;[^\S\n\r\u2028\u2029]*$/m,
  ],
};

/**
 * `Python3.12`, `{python}`, `python,run` and `py-3` give python. Null if the tag does not name a language.
 */
function languageOfTag(tag: string): Language | "other" | null {
  const word =
    /^[^\s,:;{}]+/.exec(
      tag
        .trim()
        .toLowerCase()
        .replace(/^[{.\s]+/, ""),
    )?.[0] ?? "";
  if (OTHER_LANGUAGES.has(word)) return "other";
  const unnumbered = word.replace(/(?<![\d.])\.?\d[\d.]*$/, "");
  const name = unnumbered === word ? word : unnumbered.replace(/[-_.]?v?$/, "");
  if (Object.hasOwn(LANGUAGE_OF_TAG, name)) return LANGUAGE_OF_TAG[name] as Language;
  return OTHER_LANGUAGES.has(name) ? "other" : null;
}

/**
 * The language in which to run a program: from its tag if the tag names a language, otherwise from its
 * syntax. Null if the program cannot be run here.
 */
export function languageOf(tag: string | null, source: string): Language | null {
  const named = tag === null ? null : languageOfTag(tag);
  if (named !== null) return named === "other" ? null : named;
  const count = (language: Language) => SIGNS[language].filter((sign) => sign.test(source)).length;
  const [python, javascript] = [count("python"), count("javascript")];
  if (python === javascript) return null;
  return python > javascript ? "python" : "javascript";
}

/**
 * The languages of the candidates for one question. A candidate without an informative tag is assumed to use
 * the same language as the others, so that omitting the tag, or writing `text`, gives no advantage.
 */
export function languagesOf(candidates: readonly { code: string; language: string | null }[]): (Language | null)[] {
  const tags = candidates.map(({ language }) => (language === null ? null : languageOfTag(language)));
  const named = new Set(tags.filter((tag) => tag !== null));
  const common = named.size === 1 ? ([...named][0] as Language | "other") : null;
  return candidates.map(({ code, language }, k) => {
    if (tags[k] === null && common !== null && common !== "other") return common;
    return languageOf(language, code);
  });
}

interface Entry {
  results: Promise<TestResult[]>;
  waiting: number;
  settled: boolean;
  stop: AbortController;
}

/**
 * An LRU cache of results by content. Equal requests that overlap share one run, which is aborted when no
 * caller waits for it any longer. Results that are `unavailable` are not cached.
 */
export class ResultCache {
  readonly #entries = new Map<string, Entry>();
  readonly #entriesMax: number;
  hits = 0;
  runs = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  static key(language: Language, source: string, tests: readonly TestCase[]): string {
    return createHash("sha256")
      .update(JSON.stringify([language, source, tests]))
      .digest("base64");
  }

  /**
   * Returns the cached results or runs the program. Rejects with the signal's reason if it is aborted first.
   */
  async get(
    key: string,
    run: (signal: AbortSignal) => Promise<TestResult[]>,
    signal?: AbortSignal,
  ): Promise<TestResult[]> {
    signal?.throwIfAborted();
    const entry = this.#entries.get(key) ?? this.#start(key, run);
    // Reinserts the entry, so that the map stays in order of last use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.waiting++;
    try {
      return await abortable(entry.results, signal);
    } finally {
      entry.waiting--;
      if (entry.waiting === 0 && !entry.settled) this.#drop(key, entry);
    }
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<TestResult[]>): Entry {
    this.runs++;
    const stop = new AbortController();
    const entry: Entry = { results: run(stop.signal), waiting: 0, settled: false, stop };
    const settle = (keep: boolean) => {
      entry.settled = true;
      if (!keep && this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    entry.results.then(
      (results) => settle(results.every((r) => r.status !== "unavailable")),
      () => settle(false),
    );
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#entriesMax) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }

  #drop(key: string, entry: Entry): void {
    entry.stop.abort();
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
