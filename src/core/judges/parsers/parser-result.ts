// The result of a parser, and the rule that reduces several matches to one final value.
import type { VerdictStatus } from "../../contract/replies.ts";

export type Value =
  | { label: string }
  | { labels: readonly string[] }
  /** A comparison of two candidates, from 2 (the first is much better) to -2 (the second is much better). */
  | { strength: number }
  | { numbers: readonly number[] }
  /** Two equal numbers with the ranking that breaks the tie: positive for the first candidate. */
  | { numbers: readonly number[]; strength: number }
  /**
   * Criteria by key: met, not met, the number of a choice, or null; and the words on which each decision
   * rests.
   */
  | { met: Readonly<Record<string, boolean | number | null>>; evidence?: Readonly<Record<string, string>> }
  /**
   * One probability per label of the parser, summing to 1; `mass` is the total probability that the engine
   * gave the labels seen.
   */
  | { shares: readonly number[]; mass: number };

export interface ParserResult {
  status: VerdictStatus;
  /** Set only if the status is `ok`. */
  value: Value | null;
}

export const ok = (value: Value): ParserResult => ({ status: "ok", value });
export const nothing = (status: Exclude<VerdictStatus, "ok">): ParserResult => ({ status, value: null });

/** A match that has the shape of a verdict; `value` is null if the verdict is not allowed. */
export interface VerdictMatch {
  line: number;
  value: Value | null;
}

/**
 * Reduces matches to the final answer, which is on the last line with a match. Different values on that line
 * are `ambiguous`; a last value that is not allowed is `bad_content`, and no earlier value replaces it.
 * @param marked whether a marker without the shape of a verdict was seen
 */
export function finalOf(matches: readonly VerdictMatch[], marked: boolean): ParserResult {
  const last = matches.at(-1);
  if (last === undefined) return nothing(marked ? "bad_content" : "no_box");
  if (matches.length > 1) {
    const key = JSON.stringify(last.value);
    const differs = matches.some(({ line, value }) => line === last.line && JSON.stringify(value) !== key);
    if (differs) return nothing("ambiguous");
  }
  return last.value === null ? nothing("bad_content") : ok(last.value);
}
