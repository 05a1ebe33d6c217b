// A parser's result, and the rule by which matches become one final value.
import type { VerdictStatus } from "../../contract/replies.ts";

export type Value =
  | { label: string }
  | { labels: readonly string[] }
  /** A comparison of two: 2 for the first by much, .. -2 for the second. */
  | { strength: number }
  | { numbers: readonly number[] }
  /** Numbers with the ranking that decides where two are equal: positive for the first. */
  | { numbers: readonly number[]; strength: number }
  /** By key: met, missed, the number of a choice, or null; and the words that it rests on. */
  | { met: Readonly<Record<string, boolean | number | null>>; evidence?: Readonly<Record<string, string>> }
  /** One a label of the parser, summing to 1, and the mass that the engine gave the labels seen. */
  | { shares: readonly number[]; mass: number };

export interface ParserResult {
  status: VerdictStatus;
  /** Only when the status is `ok`. */
  value: Value | null;
}

export const ok = (value: Value): ParserResult => ({ status: "ok", value });
export const nothing = (status: Exclude<VerdictStatus, "ok">): ParserResult => ({ status, value: null });

/** A match that has the shape of a verdict; `value` is null where it is not an allowed one. */
export interface VerdictMatch {
  line: number;
  value: Value | null;
}

/**
 * The last line that holds a match is the final answer: several values there are `ambiguous`, a
 * last one that is not allowed is `bad_content`, never an earlier one in its place.
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
