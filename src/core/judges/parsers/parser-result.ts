// The result of a parser, and the rule that reduces several matches to one final value.
import type { VerdictStatus } from "../../contract/verdicts-reply.ts";

export type Value =
  | { label: string }
  | { labels: readonly string[] }
  /** A comparison of two candidates, from 2 (the first is much better) to -2 (the second is much better). */
  | { strength: number }
  | { numbers: readonly number[] }
  /** Two equal numbers and a ranking that breaks the tie: positive if the first candidate is better. */
  | { numbers: readonly number[]; strength: number }
  /**
   * Decision about each criterion by key: met, not met, the number of a choice, or null. `evidence` quotes
   * the words on which each decision is based.
   */
  | { met: Readonly<Record<string, boolean | number | null>>; evidence?: Readonly<Record<string, string>> }
  /**
   * A probability for each of the parser's labels; they sum to 1. `mass` is the total probability that the
   * engine gave the labels that it returned.
   */
  | { shares: readonly number[]; mass: number };

export interface ParserResult {
  status: VerdictStatus;
  /** Set only if the status is `ok`. */
  value: Value | null;
}

export const ok = (value: Value): ParserResult => ({ status: "ok", value });
export const nothing = (status: Exclude<VerdictStatus, "ok">): ParserResult => ({ status, value: null });

/** A match with the shape of a verdict. `value` is null if the verdict is not allowed. */
export interface VerdictMatch {
  line: number;
  value: Value | null;
}

/**
 * Reduces matches to the final answer, which is on the last line that has a match. Different values on that
 * line are `ambiguous`. If the last value is not allowed, the result is `bad_content`; earlier values do not
 * replace it.
 * @param marked whether a marker was seen whose content does not have the shape of a verdict
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
