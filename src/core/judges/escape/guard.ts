// Finds a template's marks in model text, in any spelling, and breaks them.

import { lazily } from "../../text/lazily.ts";
import { isForeign, type Skeleton, skeletonOf } from "../../text/look-alikes.ts";
import type { Mark, MarkRule } from "./marks.ts";
import { isGap, JOINER, trailOf } from "./trail.ts";

/** Number of characters that identify a mark. Text that starts with these characters counts as the mark. */
const TRAIL_CHARS_MAX = 48;

/** A node in the trie of all marks. */
interface Node {
  next: Map<number, Node>;
  /** Rules of the marks that end at this node. */
  rules: MarkRule[];
  /** Whether all characters up to this node are equal, in which case marks can overlap within a run. */
  same: boolean;
}

const nodeOf = (same: boolean): Node => ({ next: new Map(), rules: [], same });

function addTo(root: Node, trail: string, rule: MarkRule): void {
  let node = root;
  for (let i = 0; i < Math.min(trail.length, TRAIL_CHARS_MAX); i++) {
    const unit = trail.charCodeAt(i);
    const known = node.next.get(unit) ?? nodeOf(node.same && (i === 0 || unit === trail.charCodeAt(0)));
    node.next.set(unit, known);
    node = known;
  }
  if (!node.rules.includes(rule)) node.rules.push(rule);
}

/** Converts to lower case without changing the number of UTF-16 code units. */
const small = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (c) => c.toLowerCase());
};

const WORDY = lazily(() => /[\p{L}\p{N}]/u);
const isEnd = (unit: number): boolean => unit === 0x0a || unit === 0x0d;

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Whether the line has no letter or digit before `at`, except for the number of a list item. */
function beginsLine(text: string, at: number): boolean {
  let counts = false;
  for (let i = at - 1; i >= 0 && !isEnd(text.charCodeAt(i)); i--) {
    const char = text[i] as string;
    if (WORDY().test(char) && !(counts && isDigit(text.charCodeAt(i)))) return false;
    counts = char === "." || char === ")" || (counts && isDigit(text.charCodeAt(i)));
  }
  return true;
}

/**
 * Whether a letter or digit follows on the same line from `at` on. With `any`, everything counts except white
 * space and emphasis.
 */
function goesOn(text: string, at: number, any: boolean): boolean {
  for (let i = at; i < text.length && !isEnd(text.charCodeAt(i)); i++) {
    if (any ? !isGap(text.charCodeAt(i)) : WORDY().test(text[i] as string)) return true;
  }
  return false;
}

/** Text that may follow the name of a tag: the end of the tag, or an attribute. */
const IN_TAG = lazily(() => /\s*(?:\/\s*)?>|\s+[\p{L}_:][\w:.-]*\s*=/uy);

function isTagAt(text: string, at: number): boolean {
  IN_TAG().lastIndex = at;
  return IN_TAG().test(text);
}

/** Words in ordinary spelling, which is plain lower case. */
const PLAIN = /^[^A-Z\x80-\uffff]*$/;

interface SkeletonSpan {
  source: string;
  skeleton: Skeleton;
  from: number;
  to: number;
}

/** Offset in the source of the character that produced a code unit of the skeleton. */
const startIn = ({ ends }: Skeleton, unit: number): number =>
  ends === null ? unit : unit === 0 ? 0 : (ends[unit - 1] as number);

const isWordy = (text: string, at: number): boolean => WORDY().test(text[at] ?? "");

function counts(rule: MarkRule, { source, skeleton, from, to }: SkeletonSpan): boolean {
  const { text } = skeleton;
  if (rule === "anywhere") return true;
  if (rule === "start") return beginsLine(text, from);
  if (rule === "tag") return isTagAt(text, to);
  if (rule === "alone" && (isWordy(text, from - 1) || isWordy(text, to))) return false;
  if (!PLAIN.test(source.slice(startIn(skeleton, from), startIn(skeleton, to)))) return true;
  if (rule === "key" && goesOn(text, to, true)) return true;
  return beginsLine(text, from) && (rule !== "alone" || !goesOn(text, to, false));
}

/**
 * Finds the mark that begins at `from`, or returns null. A joiner before `at`, an index into the skeleton,
 * breaks the mark. This is after the first character or, in a run of one sign, before the last, which also
 * breaks overlapping marks. `last` is the index of the last code unit of the mark.
 */
function breakOf(node: Node, text: string, place: Omit<SkeletonSpan, "to">): { at: number; last: number } | null {
  for (let to = place.from + 1; to < text.length; to++) {
    const unit = text.charCodeAt(to);
    const next = node.next.get(unit);
    if (next === undefined) {
      if (isGap(unit)) continue;
      return null;
    }
    node = next;
    const whole = { ...place, to: to + 1 };
    if (node.rules.some((rule) => counts(rule, whole))) return { at: node.same ? to : place.from + 1, last: to };
  }
  return null;
}

/**
 * Table of the pairs of ASCII characters that may begin a mark, indexed by first + 128 * second. For most
 * positions this lookup is enough.
 */
function pairsOf(root: Node): Uint8Array {
  const pairs = new Uint8Array(128 * 128);
  for (const [first, { next }] of root.next) {
    for (let second = 0; first < 128 && second < 128; second++) {
      if (next.has(second) || isGap(second)) pairs[first + 128 * second] = 1;
    }
  }
  return pairs;
}

/** Appends to `breaks` the offsets in `source` where a joiner is needed. */
function find(root: Node, pairs: Uint8Array, source: string, skeleton: Skeleton, breaks: number[]): void {
  const text = small(skeleton.text);
  let broken = -1;
  let second = text.charCodeAt(0);
  for (let from = 0; from < text.length - 1; from++) {
    const first = second;
    second = text.charCodeAt(from + 1);
    if (first < 128 && second < 128 && pairs[first + 128 * second] === 0) continue;
    const node = root.next.get(first);
    const found = node === undefined ? null : breakOf(node, text, { source, skeleton, from });
    if (found === null) continue;
    if (broken > startIn(skeleton, from) && broken <= startIn(skeleton, found.last)) continue;
    broken = startIn(skeleton, found.at);
    breaks.push(broken);
  }
}

export type Guard = (text: string) => string;

/**
 * Creates a function that breaks every mark in model text with a joiner, whatever its case, width, script and
 * spacing. The input must come from `escapeText`; `unescapeText` undoes both. Takes linear time.
 */
export function createGuard(marks: readonly Mark[]): Guard {
  const root = nodeOf(true);
  let foreign = false;
  for (const { text, rule } of marks) {
    addTo(root, trailOf(text), rule);
    if (!isForeign(text)) continue;
    // A capital letter of another script may look like a Latin letter although its lower case does not.
    foreign = true;
    addTo(root, trailOf(small(text)), rule);
  }
  const pairs = pairsOf(root);
  return (text) => {
    const breaks: number[] = [];
    const skeleton = skeletonOf(text);
    find(root, pairs, text, skeleton, breaks);
    if (foreign && skeleton.ends !== null) find(root, pairs, text, skeletonOf(small(text)), breaks);
    return joined(text, breaks);
  };
}

function joined(text: string, breaks: number[]): string {
  if (breaks.length === 0) return text;
  let whole = "";
  let from = 0;
  for (const at of [...new Set(breaks)].sort((a, b) => a - b)) {
    whole += text.slice(from, at) + JOINER;
    from = at;
  }
  return whole + text.slice(from);
}
