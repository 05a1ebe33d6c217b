// Owns finding the option letters' probabilities in the token stream: the token right behind
// `\boxed{`. Must not know HTTP or the rest of an answer.
import { softVerdict } from "../../../src/core/judges/logprobs.ts";
import { lastCloseEnd } from "../../../src/core/judges/thinking.ts";

/**
 * Most alternatives a token that engines give (OpenAI's bound; vLLM's and SGLang's default cap is
 * 20 or more).
 */
export const TOP_LOGPROBS = 20;

/** Text kept to recognise a box or a closing tag that came in several tokens. */
const TAIL_CHARS = 32;
const BOX_END = /\\boxed\s*\{\s*$/;

interface Token {
  token: string;
  top_logprobs: readonly { token: string; logprob: number }[];
}

/**
 * Gathers the distribution at the answer's last box; thoughts, and what precedes the last closing
 * tag (thinking.ts), do not count.
 */
export class SoftLetters {
  readonly #letters: readonly string[];
  #tail = "";
  #awaiting = false;
  #found: Record<string, number> | null = null;

  /** @param letters A, B, .. in order */
  constructor(letters: readonly string[]) {
    this.#letters = letters;
  }

  /**
   * Probability of each letter, summing to 1; null when no box was seen, or none of the letters at
   * its place.
   */
  get letters(): Record<string, number> | null {
    return this.#found;
  }

  /** Takes the next tokens. What has not the shape that OpenAI documents is passed over. */
  push(tokens: readonly unknown[], answering: boolean): void {
    for (const token of tokens) {
      if (answering && isToken(token)) this.#token(token);
      else this.#forget();
    }
  }

  #token({ token, top_logprobs }: Token): void {
    const blank = this.#awaiting && token.trim() === "";
    const inside = blank ? null : this.#awaiting ? 0 : boxedPrefix(this.#tail, token);
    if (inside !== null) this.#found = this.#soft(token.slice(0, inside), top_logprobs);
    const text = this.#tail + token;
    const closed = lastCloseEnd(text);
    if (closed >= 0) this.#found = null;
    this.#tail = text.slice(closed < 0 ? -TAIL_CHARS : closed);
    this.#awaiting = BOX_END.test(this.#tail);
  }

  #forget(): void {
    this.#tail = "";
    this.#awaiting = false;
  }

  /** @param prefix what the token says before the letter, for tokens that carry the brace too */
  #soft(prefix: string, alternatives: Token["top_logprobs"]): Record<string, number> | null {
    const seen = new Map<string, number>();
    for (const { token, logprob } of alternatives) {
      if (!token.startsWith(prefix)) continue;
      const letter = /^( ?[A-Z])(?:\}|$)/.exec(token.slice(prefix.length))?.[1];
      if (letter === undefined || Number.isNaN(logprob)) continue;
      // Rounding in an engine's softmax can put a sure token a hair above 0.
      seen.set(letter, Math.max(seen.get(letter) ?? Number.NEGATIVE_INFINITY, Math.min(0, logprob)));
    }
    const soft = softVerdict(seen, this.#letters.length);
    return soft && Object.fromEntries(this.#letters.map((letter, i) => [letter, soft.distribution[i] as number]));
  }
}

/**
 * Where in the token the box's content begins, when the token holds the brace and something behind
 * it; else null.
 */
function boxedPrefix(tail: string, token: string): number | null {
  const brace = token.lastIndexOf("{");
  if (brace === -1 || brace === token.length - 1) return null;
  return BOX_END.test(tail + token.slice(0, brace + 1)) ? brace + 1 : null;
}

function isToken(value: unknown): value is Token {
  const { token, top_logprobs } = (value ?? {}) as Partial<Token>;
  return typeof token === "string" && Array.isArray(top_logprobs) && top_logprobs.every(isAlternative);
}

function isAlternative(value: unknown): boolean {
  const { token, logprob } = (value ?? {}) as { token?: unknown; logprob?: unknown };
  return typeof token === "string" && typeof logprob === "number";
}
