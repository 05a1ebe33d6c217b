// Reads from an answer's token stream how probable the engine found each label, at the token that contains
// the label. Must not depend on HTTP or on the rest of the answer.

import { LIMITS } from "../faults/limits.ts";
import { exp, sigmoid } from "../math/elementary.ts";
import { lastCloseEnd } from "../text/thinking.ts";
import { softmaxOver } from "./logprobs.ts";
import { stripped } from "./parsers/answer-text.ts";
import type { Anchor } from "./parsers/parser.ts";

/**
 * Maximum number of alternatives per token that are requested from engines (OpenAI's limit; vLLM and SGLang
 * allow at least 20 by default).
 */
export const TOP_LOGPROBS = 20;

/** Probabilities that an engine assigned to the labels of an answer. */
export interface SoftLabels {
  /** Probability of each label, renormalised to sum to 1. */
  letters: Readonly<Record<string, number>>;
  /** Total probability of the labels before renormalisation. */
  coverage: number;
  /** The label that was generated; null if the token is not a label, or if there are several anchors. */
  written: string | null;
}

/**
 * Number of preceding characters that are kept, to recognise an anchor or a closing tag that is split over
 * several tokens.
 */
const TAIL_CHARS = 128;
/**
 * Upper bound for the total probability of all alternatives. Rounding in an engine's softmax can take the
 * total slightly above 1.
 */
const MASS_MAX = 1.05;
/** Characters that end a label inside a token: `A}`, `A]]`, `A</`. */
const LABEL_END = /[}\]<\n]/;

interface Token {
  token: string;
  top_logprobs: readonly unknown[];
}

interface LabelLogprobs {
  /**
   * Natural log probability of each label's most probable token; -Infinity for a label that was not returned.
   */
  logs: number[];
  /** Total probability of the tokens that are labels. */
  mass: number;
  written: number;
}

interface AnchorPosition {
  behind: RegExp | null;
  found: LabelLogprobs | null;
  passed: boolean;
}

/**
 * Collects the label probabilities at the last anchor of an answer. Ignores thoughts and everything before
 * the last closing tag (see thinking.ts). Each label gets the more probable of its tokens (`A` and ` A`); a
 * label that was not returned is set 20 nats below the least probable one that was, and a softmax over the
 * labels follows (formulas h). `coverage` is the total probability of all tokens of all labels. If each of
 * two candidates gets a mark, the result is the sigmoid of the difference of their expected marks, each in
 * 0..1 (LLM-as-a-Verifier, arXiv 2607.05391).
 */
export class SoftReader {
  readonly #labels: readonly string[];
  readonly #small: readonly string[];
  readonly #paired: boolean;
  readonly #places: AnchorPosition[];
  #tail = "";
  #silent = true;
  #wrong = false;

  constructor({ labels, behind, each }: Anchor) {
    this.#labels = labels;
    this.#small = labels.map((label) => label.toLowerCase());
    this.#paired = each !== undefined;
    this.#places = (each ?? [behind ?? null]).map((anchor) => ({ behind: anchor, found: null, passed: false }));
  }

  /** Whether no token had alternatives, which means that the engine does not return any. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Whether some values at an anchor were not valid log probabilities. */
  get wrong(): boolean {
    return this.#wrong;
  }

  /**
   * The label probabilities; null if no anchor was found, or if none of the labels was returned at the
   * anchor.
   */
  get labels(): SoftLabels | null {
    const found = this.#places.map((place) => place.found);
    const shares = found.map((place) => place && softmaxOver(place.logs));
    if (shares.includes(null)) return null;
    const coverage = Math.min(...(found as LabelLogprobs[]).map(({ mass }) => mass));
    if (this.#paired) return { letters: wins((shares as number[][]).map(expected)), coverage, written: null };
    const [distribution] = shares as [number[]];
    const letters = Object.fromEntries(this.#labels.map((label, i) => [label, distribution[i] as number]));
    return { letters, coverage, written: this.#labels[found[0]?.written ?? -1] ?? null };
  }

  /** Does nothing, because only the tokens matter. */
  text(): void {}

  /** Processes the next tokens. Skips tokens that do not have the shape that OpenAI documents. */
  logprobs(tokens: readonly unknown[], answering: boolean): void {
    for (const token of tokens) {
      if (answering && isToken(token)) this.#token(token);
      else this.#tail = "";
    }
  }

  #token({ token, top_logprobs }: Token): void {
    if (top_logprobs.length > 0) this.#silent = false;
    const closed = lastCloseEnd(this.#tail + token);
    const from = closed < 0 ? 0 : Math.max(0, closed - this.#tail.length);
    if (closed >= 0) {
      this.#tail = "";
      for (const place of this.#places) Object.assign(place, { found: null, passed: false });
    }
    const piece = token.slice(from);
    for (const place of this.#places) {
      const inside = place.behind === null ? firstIn(place, piece) : behindIn(place.behind, this.#tail, piece);
      if (inside !== null) place.found = this.#read(token.slice(0, from + inside), token, top_logprobs);
    }
    this.#tail = (this.#tail + piece).slice(-TAIL_CHARS);
  }

  /**
   * Reads the probabilities of the labels at one token.
   * @param prefix the part of the token before the label, for tokens that also contain the opening brace
   */
  #read(prefix: string, token: string, alternatives: readonly unknown[]): LabelLogprobs {
    const logs = this.#labels.map(() => Number.NEGATIVE_INFINITY);
    const seen = new Map<string, number>();
    for (const alternative of alternatives) {
      if (!isAlternative(alternative)) this.#wrong = true;
      else
        seen.set(
          alternative.token,
          Math.max(seen.get(alternative.token) ?? Number.NEGATIVE_INFINITY, Math.min(0, alternative.logprob)),
        );
    }
    let whole = 0;
    let mass = 0;
    for (const [text, logprob] of seen) {
      const share = exp(logprob);
      whole += share;
      const at = text.startsWith(prefix) ? this.#labelIn(text.slice(prefix.length)) : -1;
      if (at < 0) continue;
      logs[at] = Math.max(logs[at] as number, logprob);
      mass += share;
    }
    if (whole > MASS_MAX) this.#wrong = true;
    return { logs, mass: Math.min(1, mass), written: this.#labelIn(token.slice(prefix.length)) };
  }

  /** Index of the label that a token spells or starts to spell; -1 if there is none. */
  #labelIn(text: string): number {
    const bare = stripped(text.split(LABEL_END)[0] as string);
    const exact = this.#labels.indexOf(bare);
    // Single letters are case-sensitive, because a lower-case letter can be a word such as `a`.
    if (exact >= 0 || bare === "" || this.#labels.every((label) => label.length === 1)) return exact;
    const small = bare.toLowerCase();
    const whole = this.#small.indexOf(small);
    if (whole >= 0) return whole;
    const begun = this.#small.flatMap((label, i) => (label.startsWith(small) ? [i] : []));
    return begun.length === 1 ? (begun[0] as number) : -1;
  }
}

/**
 * Offset of the answer's first word in a piece of the answer; null if the first word does not begin in it.
 */
function firstIn(place: AnchorPosition, piece: string): number | null {
  if (place.passed || stripped(piece) === "") return null;
  place.passed = true;
  return 0;
}

/** Offset in the piece of what follows the last anchor; null if that does not begin in this piece. */
function behindIn(mark: RegExp, tail: string, piece: string): number | null {
  const text = tail + piece;
  let end = -1;
  for (const { 0: found, index } of text.matchAll(mark)) end = index + found.length;
  if (end < 0 || stripped(text.slice(end)) === "") return null;
  if (end < tail.length && stripped(tail.slice(end)) !== "") return null;
  return Math.max(0, end - tail.length);
}

/** Expected mark under a distribution over marks, from 1 for the first mark to 0 for the last. */
const expected = (shares: readonly number[]): number =>
  shares.reduce((sum, share, i) => sum + (share * (shares.length - 1 - i)) / (shares.length - 1), 0);

function wins([a = 0, b = 0]: readonly number[]): Record<string, number> {
  const first = sigmoid(a - b);
  return { A: first, B: 1 - first };
}

function isToken(value: unknown): value is Token {
  const { token, top_logprobs } = (value ?? {}) as Partial<Token>;
  return typeof token === "string" && Array.isArray(top_logprobs);
}

function isAlternative(value: unknown): value is { token: string; logprob: number } {
  const { token, logprob } = (value ?? {}) as { token?: unknown; logprob?: unknown };
  return typeof token === "string" && typeof logprob === "number" && logprob <= LIMITS.logprob_max;
}
