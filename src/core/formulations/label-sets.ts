// Owns the rewards of verdicts that judge every candidate of a list: which are right, several or
// none. Knows no request.
import type { VerdictStatus } from "../contract/replies.ts";
import { lineCounter, segmentOf, unwrapped } from "../judges/parsers/answer-text.ts";
import { nextBox } from "../judges/parsers/boxes.ts";
import { finalOf, type ParserResult, type VerdictMatch } from "../judges/parsers/parser-result.ts";
import { readBy } from "../judges/parsers/table.ts";
import { letterAt } from "../judges/verdict.ts";
import { isBoxForm, strictContent, type VerdictStyle } from "./strict-verdict.ts";

/** How a set of right candidates is written in a box. */
interface SetForm {
  /** The places of a content that is to the letter, ascending; null for any other. */
  strict(content: string, k: number): readonly number[] | null;
  robust(segment: string, k: number): ParserResult;
  written(places: readonly number[], k: number): string;
}

const NONE = "none";
const LETTERS = /^[A-Z](?:, ?[A-Z])*$/;

/** `\boxed{A, C}` or `\boxed{none}`, R4P's form (arXiv 2510.22775). */
const letters: SetForm = {
  strict(content, k) {
    if (content === NONE) return [];
    if (!LETTERS.test(content)) return null;
    const places = content.split(/, ?/).map((letter) => letter.charCodeAt(0) - 65);
    const distinct = new Set(places).size === places.length && places.every((place) => place < k);
    return distinct ? places.sort((a, b) => a - b) : null;
  },
  robust: (segment, count) => readBy({ kind: "boxed", many: true }, { segment, count }),
  written: (places) => (places.length === 0 ? NONE : places.map(letterAt).join(", ")),
};

const RIGHT = "correct";
const WRONG = "incorrect";

const labelled = (labels: readonly string[]): readonly number[] =>
  labels.flatMap((label, place) => (label === RIGHT ? [place] : []));

/** `\boxed{correct, incorrect}`: a label for each of two. */
const labels: SetForm = {
  strict(content, k) {
    const parts = content.split(/, ?/);
    return parts.length === k && parts.every((label) => label === RIGHT || label === WRONG) ? labelled(parts) : null;
  },
  robust(segment, k) {
    const lineAt = lineCounter(segment);
    const matches: VerdictMatch[] = [];
    let marked = false;
    for (let box = nextBox(segment, 0); box !== null; box = nextBox(segment, box.end + 1)) {
      marked = true;
      const parts = unwrapped(segment.slice(box.start, box.end)).split(/[,;]/);
      const words = parts.map((part) => unwrapped(part).toLowerCase());
      if (!words.some((word) => word === RIGHT || word === WRONG)) continue;
      const whole = words.length === k && words.every((word) => word === RIGHT || word === WRONG);
      const value = whole ? { labels: labelled(words).map(letterAt) } : null;
      matches.push({ line: lineAt(box.start), value });
    }
    return finalOf(matches, marked);
  },
  written: (places, k) => Array.from({ length: k }, (_, i) => (places.includes(i) ? RIGHT : WRONG)).join(", "),
};

const FORMS = { patch_multiselect: letters, pair_labels: labels } as const;
export type SetFormulation = keyof typeof FORMS;

export const isSetFormulation = (name: string): name is SetFormulation => Object.hasOwn(FORMS, name);

/** A set as a verdict of the formulation writes it. */
export const toldSet = (name: SetFormulation, places: readonly number[], k: number): string =>
  FORMS[name].written(places, k);

interface ScoredSet {
  content: number;
  format: number;
  /** The robust parser's set, as a box would hold it. */
  verdict: string | null;
  scores: null;
  status: VerdictStatus;
}

/**
 * Content: the share of the k candidates that the first box behind the thoughts tells right, in [0,
 * 1]; 0 where it holds no set to the letter (R4P: 1/N for each hit, an unboxed answer 0). Format 0,
 * or -1 for any other form, as of `list_em`. So -1 to 1.
 */
export function scoreSet(
  name: SetFormulation,
  { text, k, golds }: { text: string; k: number; golds: readonly number[] },
  style: VerdictStyle,
): ScoredSet {
  const form = FORMS[name];
  const content = strictContent(text, style);
  const places = content === null ? null : form.strict(content, k);
  const hits = Array.from({ length: k }, (_, i) => places?.includes(i) === golds.includes(i)).filter(Boolean).length;
  const exact = isBoxForm(text, style, (inside) => form.strict(inside, k) !== null);
  return { content: places === null ? 0 : hits / k, format: exact ? 0 : -1, scores: null, ...robustSet(form, text, k) };
}

function robustSet(form: SetForm, text: string, k: number): Pick<ScoredSet, "verdict" | "status"> {
  const segment = segmentOf(text);
  if (segment === null) return { verdict: null, status: "unclosed_think" };
  const { status, value } = form.robust(segment, k);
  if (value === null || !("labels" in value)) return { verdict: null, status };
  return {
    verdict: form.written(
      value.labels.map((letter) => letter.charCodeAt(0) - 65),
      k,
    ),
    status,
  };
}
