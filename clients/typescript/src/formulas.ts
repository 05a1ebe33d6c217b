// Rewards of verdict texts for training a verifier, in published forms that the server's
// `/v1/verdicts` does not score. Each is a function of the text and of what is known of its candidates;
// no server is asked.

/** A reward is `content + format`. */
export interface FormulaReward {
  content: number;
  format: number;
}

/** `think`: thoughts in think tags, then the box alone. `cot`: free text that ends with the box. */
export type VerdictStyle = "think" | "cot";

/** White space as Python's `str.strip` has it. */
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const ENDS = new RegExp(`^${SPACE}+|${SPACE}+$`, "g");
const strip = (text: string): string => text.replace(ENDS, "");

/** Python's `round`: halves go to the even neighbour. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest === 0.5 ? floor + (floor % 2) : Math.round(value);
}

/** Places of `tag`, where the text holds it exactly `count` times; else null. */
function placesOf(text: string, tag: string, count: number): number[] | null {
  const parts = text.split(tag);
  if (parts.length !== count + 1) return null;
  let at = -tag.length;
  return parts.slice(0, -1).map((part) => {
    at += tag.length + part.length;
    return at;
  });
}

/** The integer from 0 to 10 of an answer block, as Python's `int` reads ASCII digits; else null. */
function scoreOf(block: string): number | null {
  const content = strip(block);
  if (!/^[+-]?[0-9]+(?:_[0-9]+)*$/.test(content)) return null;
  const value = Number(content.replaceAll("_", ""));
  return value >= 0 && value <= 10 ? Math.abs(value) : null;
}

function answersOf(text: string): FormulaReward["format"] | [number, number] {
  const places = [
    placesOf(text, "<think>", 1),
    placesOf(text, "</think>", 1),
    placesOf(text, "<answer>", 2),
    placesOf(text, "</answer>", 2),
  ];
  const firsts = places.map((found) => found?.[0] ?? -1);
  if (firsts.some((place, i) => place < 0 || (i > 0 && place < (firsts[i - 1] as number)))) return -1;
  const [open1, open2] = places[2] as [number, number];
  const [close1, close2] = places[3] as [number, number];
  const first = scoreOf(text.slice(open1 + "<answer>".length, close1));
  // Blocks that nest or cross leave one matched block, which holds no second score.
  const second = open2 > close1 ? scoreOf(text.slice(open2 + "<answer>".length, close2)) : null;
  return first === null || second === null ? -0.5 : [first, second];
}

/**
 * JudgeLRM's reward of two scores in answer tags, from -3 to 4.4 (arXiv 2504.00050, judgelrm.py).
 * Format: 1 for one pair of think tags and two answer blocks behind it, -0.5 where a block holds no
 * integer from 0 to 10, else -1. Content: -2 without scores; else -1.5 for the wrong order, or 2 for
 * the right one, with 1 more for exact scores, 0.6 for scores off by 2 in sum, and 0.2 for a gap that is
 * wide enough. Above 120 tokens add 0.2, at the limit subtract 1.
 * @param passRates of both candidates, from 0 to 1; the expected scores are ten times these
 * @param lengthTokens of the text; null leaves both terms of length out
 * @param maxTokens the generation's limit; null leaves its term out
 */
export function judgelrm(
  text: string,
  passRates: readonly [number, number],
  lengthTokens: number | null = null,
  maxTokens: number | null = null,
): FormulaReward {
  const scores = answersOf(text);
  if (typeof scores === "number") return { content: -2, format: scores };
  const [s1, s2] = scores;
  const [e1, e2] = passRates.map((rate) => roundHalfEven(10 * rate)) as [number, number];
  let content = -1.5;
  if (e1 >= e2 === s1 >= s2) {
    const distance = Math.abs(s1 - e1) + Math.abs(s2 - e2);
    content = 2 + (distance === 0 ? 1 : distance <= 2 ? 0.6 : 0);
    if (Math.abs(s1 - s2) >= Math.abs(e1 - e2)) content += 0.2;
  }
  if (lengthTokens !== null && lengthTokens > 120) content += 0.2;
  if (lengthTokens !== null && maxTokens !== null && lengthTokens >= maxTokens) content -= 1;
  return { content: Math.round(content * 100) / 100, format: 1 };
}

const BOX = "\\boxed{";
const CLOSE = "</think>";

/** Content of the first box behind the thoughts (`think`) or of the text (`cot`): no line feed, no nesting. */
function firstBox(text: string, style: VerdictStyle): string | null {
  const close = text.lastIndexOf(CLOSE);
  const answer = style === "think" && close >= 0 ? text.slice(close + CLOSE.length) : text;
  return /\\boxed\{([^\n}]*)\}/.exec(answer)?.[1] ?? null;
}

/** Whether the text ends with a box whose content fits, behind thoughts alone (`think`) or anything. */
function isExact(text: string, style: VerdictStyle, fits: (content: string) => boolean): boolean {
  const whole = strip(text);
  const box = whole.lastIndexOf(BOX);
  if (box < 0 || !whole.endsWith("}") || !fits(whole.slice(box + BOX.length, -1))) return false;
  if (style === "cot") return true;
  const thoughts = strip(whole.slice(0, box));
  return /^<think>(?!.*<think>).*<\/think>$/s.test(thoughts);
}

function setReward(
  text: string,
  { correct, candidates, style }: { correct: readonly number[]; candidates: number; style: VerdictStyle },
  placesOfContent: (content: string) => readonly number[] | null,
): FormulaReward {
  const content = firstBox(text, style);
  const places = content === null ? null : placesOfContent(content);
  const hits = Array.from({ length: candidates }, (_, i) => places?.includes(i) === correct.includes(i));
  return {
    content: places === null ? 0 : hits.filter(Boolean).length / candidates,
    format: isExact(text, style, (inside) => placesOfContent(inside) !== null) ? 0 : -1,
  };
}

/**
 * R4P's reward of the letters of all right candidates, `\boxed{A, C}` or `\boxed{none}`, from -1 to 1
 * (arXiv 2510.22775). Content: the share of candidates told right, 0 without such a box. Format: 0, or -1
 * for another form.
 * @param correct 0-based indices of the right candidates
 */
export function patchMultiselect(
  text: string,
  correct: readonly number[],
  candidates: number,
  style: VerdictStyle = "think",
): FormulaReward {
  return setReward(text, { correct, candidates, style }, (content) => {
    if (content === "none") return [];
    if (!/^[A-Z](?:, ?[A-Z])*$/.test(content)) return null;
    const places = content.split(/, ?/).map((letter) => letter.charCodeAt(0) - 65);
    return new Set(places).size === places.length && places.every((place) => place < candidates) ? places : null;
  });
}

/**
 * PairJudge RM's reward of a label for each of two, `\boxed{correct, incorrect}`, from -1 to 1. Content:
 * the share told right, 0 without such a box. Format: 0, or -1 for another form.
 * @param correct 0-based indices of the right candidates
 */
export function pairLabels(text: string, correct: readonly number[], style: VerdictStyle = "think"): FormulaReward {
  return setReward(text, { correct, candidates: 2, style }, (content) => {
    const labels = content.split(/, ?/);
    if (labels.length !== 2 || labels.some((label) => label !== "correct" && label !== "incorrect")) return null;
    return labels.flatMap((label, place) => (label === "correct" ? [place] : []));
  });
}
