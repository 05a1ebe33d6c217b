// The final part of a simulated answer: the verdict in the format that the judge's parser expects, or one
// that the parser cannot read. Works by kind of parser, so that new presets need no code here.
import type { JsonSettings } from "../../../src/core/judges/parsers/json.ts";
import type { ParserSettings } from "../../../src/core/judges/parsers/table.ts";
import type { Preset } from "../../../src/core/judges/presets/preset.ts";
import { LETTERS } from "../../../src/core/judges/render.ts";
import { type JudgePrompt, STEPS } from "./judge-prompt.ts";
import type { Draw } from "./noise.ts";
import { marksOf, otherMarks, type Range } from "./scale.ts";

/** The tokens after the thinking. */
export interface Tail {
  tokens: readonly string[];
  /** Index of the chosen label in `tokens`; null if there is none. */
  label_at: number | null;
  /** The possible labels, in the order of the draw's log probabilities. */
  labels: readonly string[];
}

/** A verdict, and the delimiters around it. */
interface Form {
  open: readonly string[];
  close: readonly string[];
  content: readonly string[];
  /** A different possible verdict. */
  other: readonly string[];
  /** Both verdicts in one answer, for formats whose parser would otherwise accept the second of two. */
  both?: readonly string[];
  /** Whether the content is a label. */
  labelled: boolean;
}

interface Drawn {
  draw: Draw;
  /** Number of candidates shown. */
  count: number;
  /** For several candidates one label each; for a single candidate the passing label and a failing one. */
  labels: readonly string[];
  /** Number of choices for each criterion; 0: met or not met. */
  criteria: readonly number[];
  /** The verifier's scores on a scale, and different scores for a second verdict. */
  marks(range: Range, whole: boolean): readonly [own: readonly number[], other: readonly number[]];
}

type Settings<K extends ParserSettings["kind"]> = Extract<ParserSettings, { kind: K }>;
type Writers = { [K in ParserSettings["kind"]]: (settings: Settings<K>, drawn: Drawn) => Form };

const boxed = (key?: string) => ({ open: [...(key ? [key, " "] : []), "\\", "boxed", "{"], close: ["}"] });

const labelForm = (
  { draw, labels }: Pick<Drawn, "draw" | "labels">,
  open: readonly string[] = [],
  close: readonly string[] = [],
): Form => ({
  ...{ open, close, labelled: true },
  content: [labels[draw.choice] as string],
  other: [labels[(draw.choice + 1) % labels.length] as string],
});

function marksForm({ marks }: Drawn, range: Range, whole = false, between = ", "): Omit<Form, "open" | "close"> {
  const [chosenMarks, other] = marks(range, whole);
  return { content: [chosenMarks.join(between)], other: [other.join(between)], labelled: false };
}

/** Writes a letter after each candidate's tag; the first label is the best score. */
function lettersForm(tags: readonly string[], labels: readonly string[], { draw, count }: Drawn): Form {
  const scale: Range = [0, labels.length - 1];
  const marks = marksOf(draw, count, scale, true);
  const said = (all: readonly number[]) =>
    tags.flatMap((tag, place) => [tag, labels[scale[1] - (all[place] as number)] as string, tag.replace("<", "</")]);
  const both = tags.flatMap((tag) => [tag, labels.slice(0, 2).join(" ")]);
  return { open: [], close: [], content: said(marks), other: said(otherMarks(marks, scale)), both, labelled: false };
}

/** Quality level from which a candidate counts as correct in addition to the best one. */
const RIGHT_FROM = 0.9;

function severalForm({ draw, labels }: Drawn): Form {
  const right = labels.filter((_, place) => place === draw.choice || (draw.levels[place] as number) >= RIGHT_FROM);
  const rest = labels.filter((label) => !right.includes(label));
  const said = (all: readonly string[]) => [all.length === 0 ? "none" : all.join(", ")];
  return { ...boxed(), content: said(right), other: said(rest), labelled: false };
}

const MUCH_FROM = 0.25;

/** Difference in quality level between the two candidates of a pair; positive if the first is better. */
const gapOf = ({ levels }: Draw): number => (levels[0] as number) - (levels[1] as number);

function strengthForm({ draw }: Drawn): Form {
  const than = Math.abs(gapOf(draw)) >= MUCH_FROM ? ">>" : ">";
  const [first, second] = [`A${than}B`, `B${than}A`];
  const chosen = draw.choice === 0;
  const marks = { open: ["[["], close: ["]]"], labelled: false };
  return { ...marks, content: [chosen ? first : second], other: [chosen ? second : first] };
}

/** The index of the first wrong step: -1 if the candidate passes; a worse failing candidate fails earlier. */
function stepMarks({ choice, levels }: Draw, steps: number): Drawn["marks"] {
  const wrong = Math.max(0, Math.min(steps - 1, Math.floor(2 * steps * (levels[0] as number))));
  return () => (choice === 0 ? [[-1], [wrong]] : [[wrong], [-1]]);
}

/** Scores for all candidates on a scale. */
const scaleMarks =
  (draw: Draw, count: number): Drawn["marks"] =>
  (range, whole) => {
    const chosenMarks = marksOf(draw, count, range, whole);
    return [chosenMarks, otherMarks(chosenMarks, range)];
  };

const WRITERS: Writers = {
  boxed: ({ many, key }, drawn) => (many ? severalForm(drawn) : { ...labelForm(drawn), ...boxed(key) }),
  numbers: ({ range }, drawn) => ({ ...boxed(), ...marksForm(drawn, range) }),
  bracket({ strength, range }, drawn) {
    if (strength) return strengthForm(drawn);
    const marks = { open: ["[["], close: ["]]"] };
    return range === undefined ? { ...labelForm(drawn), ...marks } : { ...marks, ...marksForm(drawn, range) };
  },
  tag({ tag, range, whole, each }, drawn) {
    const [open, close] = [`<${tag}>`, `</${tag}>`];
    if (range === undefined) return labelForm(drawn, [open, "[["], ["]]", close]);
    return { open: [open], close: [close], ...marksForm(drawn, range, whole, each ? close + open : ", ") };
  },
  line({ key, range }, drawn) {
    const open = key === undefined ? [] : [`${key} `];
    return range === undefined ? labelForm(drawn, open) : { open, close: [], ...marksForm(drawn, range, true) };
  },
  json: jsonForm,
  word: (_, drawn) => labelForm(drawn),
  logprobs({ tag, each, labels = [] }, drawn) {
    if (each !== undefined) return lettersForm(each, labels, drawn);
    const form = labelForm(drawn, tag === undefined ? [] : [tag]);
    return { ...form, both: [[...form.content, ...form.other].join(" ")] };
  },
};

type Field = readonly [key: string, value: unknown];
const objectText = (fields: readonly Field[]): string =>
  `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(", ")}}`;

function jsonForm(settings: JsonSettings, { draw, criteria, marks }: Drawn): Form {
  const [given, others] = marks(settings.range ?? [0, 1], false);
  const [chosenFields, other] = [
    fieldsOf(settings, { draw, marks: given, criteria, met: draw.choice === 0 }),
    fieldsOf(settings, { draw, marks: others, criteria, met: draw.choice !== 0 }),
  ];
  return {
    ...{ open: [], close: [], labelled: false },
    content: [objectText(chosenFields)],
    other: [objectText(other)],
    both: [objectText([...chosenFields, ...other])],
  };
}

const named = (pattern: string, place: number) =>
  pattern.replace("{n}", `${place + 1}`).replace("{letter}", LETTERS[place] as string);

interface Told {
  draw: Draw;
  marks: readonly number[];
  criteria: readonly number[];
  met: boolean;
}

function fieldsOf(settings: JsonSettings, { draw, marks, criteria, met }: Told): Field[] {
  const { scores, ids, items, order = [], winner, ranking, grade, pass } = settings;
  if (settings.met !== undefined) {
    const asked = settings.met.includes("{n}") ? criteria : criteria.slice(0, 1);
    const best = (choices: number) => (met ? choices : 1);
    const chooses = settings.choices === true;
    return asked.map((choices, n) => [named(settings.met as string, n), chooses && choices > 0 ? best(choices) : met]);
  }
  if (scores === undefined) {
    return [...(grade === undefined ? [] : [[grade, marks[0]] as const]), ...(pass ? [[pass, met] as const] : [])];
  }
  if (scores.includes("{n}")) {
    const each = marks.map((mark, place): Field => [named(scores, place), mark]);
    return ranking === undefined ? each : [...each, [ranking.key, rankOf(draw, ranking.range)]];
  }
  const known = marks.map((_, place) => named(ids ?? scores, place));
  const best = [...known].sort((a, b) => (marks[known.indexOf(b)] as number) - (marks[known.indexOf(a)] as number));
  const held =
    items === undefined
      ? Object.fromEntries(known.map((id, place) => [id, marks[place]]))
      : known.map((id, place) => ({ [items[0]]: id, [items[1]]: marks[place] }));
  const ordered = order.slice(0, 1).map((key): Field => [key, best]);
  return [[scores, held], ...ordered, ...(winner === undefined ? [] : [[winner, best[0]] as const])];
}

/**
 * Value on a scale that ranks two: the low end if the first is much better, the high end if the second is.
 */
function rankOf(draw: Draw, [low, high]: Range): number {
  const strength = Math.min(1, Math.max(0.01, 2 * Math.abs(gapOf(draw))));
  const away = Math.floor((1 - strength) * ((high - low) / 2));
  return draw.choice === 0 ? low + away : high - away;
}

/** The labels that a preset allows for a single candidate, or for each of several. */
function labelsOf({ parser, ties = [], passing = [], shape }: Preset, count: number): readonly string[] {
  const labels = ("labels" in parser ? parser.labels : undefined) ?? [...LETTERS.slice(0, count)];
  if (shape === "pair" || shape === "list") return labels.filter((label) => !ties.includes(label)).slice(0, count);
  const [pass = labels[0] as string] = passing;
  return [pass, labels.find((label) => label !== pass && !passing.includes(label)) ?? pass];
}

/** The final part of an answer to a preset's question. */
export function presetTail({ preset, candidates, criteria, steps }: JudgePrompt, draw: Draw): Tail {
  const count = candidates.length;
  if (preset === STEPS) return tailOf(summaryForm(candidates[0] ?? ""), draw, []);
  const labels = labelsOf(preset, count);
  const marks = preset.shape === "steps" ? stepMarks(draw, steps) : scaleMarks(draw, count);
  const write = WRITERS[preset.parser.kind] as (settings: ParserSettings, drawn: Drawn) => Form;
  const tail = tailOf(write(preset.parser, { draw, count, labels, criteria, marks }), draw, labels);
  const named = preset.turns ? lastTurns(candidates) : [];
  const { label_at } = tail;
  return named.length === 0
    ? tail
    : { ...tail, tokens: ["\n\n", ...named, ...tail.tokens], label_at: label_at && label_at + named.length + 1 };
}

/** A summary without omissions, in which each paragraph is a step. */
function summaryForm(text: string): Form {
  const steps = text.split(/\n\s*\n/).flatMap((step) => (step.trim() === "" ? [] : [`<step>${step.trim()}</step>`]));
  return { open: [], close: [], content: steps, other: steps, both: ["<step>"], labelled: false };
}

/** Names the last turn of each candidate as decisive, because the simulator cannot judge turns. */
function lastTurns(candidates: readonly string[]): string[] {
  const last = candidates.map((text) => [...text.matchAll(/^\[TURN_(\d+)/gm)].at(-1)?.[1]);
  return last.flatMap((turn, place) => {
    const suffix = candidates.length === 1 ? "" : ` ${LETTERS[place]}`;
    return turn === undefined ? [] : [`"turn${suffix}": ${turn}. `];
  });
}

/** The final part of an answer to a template's comparison. */
export function templateTail(draw: Draw, form: "exact_match" | "scores"): Tail {
  const labels = [...LETTERS.slice(0, draw.scores.length)];
  const scoreTokens = (scores: readonly number[]) => [
    "[",
    ...scores.flatMap((score, i) => (i === 0 ? [`${score}`] : [",", `${score}`])),
    "]",
  ];
  const others = draw.scores.map((score, i) => (i === 0 ? (score + 5) % 11 : score));
  const scores = { content: scoreTokens(draw.scores), other: scoreTokens(others), labelled: false };
  const said = form === "scores" ? scores : labelForm({ draw, labels });
  return tailOf({ ...said, ...boxed() }, draw, labels);
}

function tailOf({ open, content, other, close, both, labelled }: Form, draw: Draw, labels: readonly string[]): Tail {
  const form = (said: readonly string[]) => [...open, ...said, ...close];
  switch (draw.ending) {
    case "box":
      return { tokens: ["\n\n", ...form(content)], label_at: labelled ? 1 + open.length : null, labels };
    case "no_box": {
      const letter = LETTERS[draw.choice] as string;
      const tokens = ["\n\n", "Candidate", ` ${letter}`, " is", " the", " right", " one", "."];
      return { tokens, label_at: null, labels };
    }
    case "two_boxes": {
      const tokens = both === undefined ? [...form(content), " ", ...form(other)] : form(both);
      return { tokens: ["\n\n", ...tokens], label_at: null, labels };
    }
    case "bad_content":
      return { tokens: ["\n\n", ...form(["neither"])], label_at: null, labels };
  }
}
