// Owns the JudgeLRM reward as its code publishes it: two scores in answer tags. Knows no wire
// shape; Aletheia's scores are in formulations.ts.
import { strip } from "../text/python-text.ts";

/** The pair of scores and the structure's reward. `scores` is set exactly when `format` is 1. */
interface JudgeLrmAnswer {
  format: 1 | -0.5 | -1;
  scores: readonly [number, number] | null;
}

/**
 * The response's length and the generation limit, tokens; null = not known, the term is left out.
 */
interface JudgeLrmLengths {
  response_length: number | null;
  max_response_length: number | null;
}

/**
 * Structure (formulas a.4; NuoJohnChen/JudgeLRM judgelrm.py): exactly one `<think>`, one
 * `</think>`, two `<answer>`, two `</answer>` whose first occurrences come in that order give +1,
 * or -0.5 when a block holds no integer in 0..10; anything else -1.
 */
export function judgeLrmAnswer(text: string): JudgeLrmAnswer {
  const places = [
    onlyPlaces(text, "<think>", 1),
    onlyPlaces(text, "</think>", 1),
    onlyPlaces(text, "<answer>", 2),
    onlyPlaces(text, "</answer>", 2),
  ];
  const firsts = places.map((found) => found?.[0] ?? -1);
  if (firsts.some((place, i) => place < 0 || (i > 0 && place < (firsts[i - 1] as number))))
    return { format: -1, scores: null };
  const [open1, open2] = places[2] as [number, number];
  const [close1, close2] = places[3] as [number, number];
  const first = score(text, open1, close1);
  // blocks that nest or cross leave only one matched block, so no second integer
  const second = open2 > close1 ? score(text, open2, close2) : null;
  return first === null || second === null ? { format: -0.5, scores: null } : { format: 1, scores: [first, second] };
}

/**
 * Content (formulas a.4), in [-2.5, 3.4]: -2 without scores. Relation right, (e1 >= e2) == (s1
 * >= s2): 2, and 1 when both scores are exact or 0.6 when they are off by 2 at most in sum, and 0.2
 * when the gap is at least the expected one; relation wrong: -1.5. Then the length terms: 0.2 when
 * longer than 120 tokens, -1 when the limit is reached.
 */
export function judgeLrmContent(
  scores: JudgeLrmAnswer["scores"],
  expected: readonly [number, number],
  { response_length, max_response_length }: JudgeLrmLengths,
): number {
  if (scores === null) return -2;
  let content = relationPart(scores, expected);
  if (response_length !== null && response_length > 120) content += 0.2;
  if (response_length !== null && max_response_length !== null && response_length >= max_response_length) content -= 1;
  return Math.round(content * 100) / 100;
}

function relationPart([s1, s2]: readonly [number, number], [e1, e2]: readonly [number, number]): number {
  if (e1 >= e2 !== s1 >= s2) return -1.5;
  const distance = Math.abs(s1 - e1) + Math.abs(s2 - e2);
  const closeness = distance === 0 ? 1 : distance <= 2 ? 0.6 : 0;
  return 2 + closeness + (Math.abs(s1 - s2) >= Math.abs(e1 - e2) ? 0.2 : 0);
}

/** Where `tag` occurs, when it does exactly `count` times; else null. */
function onlyPlaces(text: string, tag: string, count: number): number[] | null {
  const places: number[] = [];
  for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + tag.length)) {
    if (places.length === count) return null;
    places.push(at);
  }
  return places.length === count ? places : null;
}

/**
 * The integer in 0..10 of the block between the tags at `open` and `close`, as Python's `int` reads
 * ASCII digits; else null.
 */
function score(text: string, open: number, close: number): number | null {
  const content = strip(text.slice(open + "<answer>".length, close));
  if (!/^[+-]?[0-9]+(?:_[0-9]+)*$/.test(content)) return null;
  const value = Number(content.replaceAll("_", ""));
  return value >= 0 && value <= 10 ? Math.abs(value) : null;
}
