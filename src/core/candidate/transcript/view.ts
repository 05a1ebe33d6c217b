// The view of a run that a judge is shown. Its blocks cannot be closed by their content, and are cut to a
// budget, with a count of the characters left out.

import { createGuard } from "../../judges/escape/guard.ts";
import type { MarkRule } from "../../judges/escape/marks.ts";
import { imageHead } from "../../judges/image-parts.ts";
import { power } from "../../math/elementary.ts";
import { lazily } from "../../text/lazily.ts";
import type { Part } from "../../transcript/messages.ts";
import { isOwnTurn, type Turn } from "../../transcript/turns.ts";
import { type CutText, cutTo, leastOf, shares } from "./cut.ts";

/** Kinds of content that may be left out of a view. */
export type LeftOut = "thoughts" | "results" | "turns" | "calls" | "files" | "other";

/** `shown` is the share of characters that the judge sees, not counting thoughts. */
export interface ShownShare {
  shown: number;
  /** Number of characters left out, by kind. */
  left_out: Readonly<Partial<Record<LeftOut, number>>>;
}

/** A block of a view. */
export interface Region {
  head: string;
  text: string;
  /** Whether the policy wrote the text, which is then never cut. */
  isOwn: boolean;
  is: LeftOut;
}

export interface ViewBudget {
  /** Maximum characters per result, applied before the total limit. */
  result_chars: number;
  total_chars: number;
  /** How often the budget for text that the policy did not write was halved. */
  shrinks: number;
}

/** Introduces the initial turns that all runs of a group share. Comes after the prompt. */
export const ALL_BEGAN = "They all began so:";

/** Starts of block headers, and other fixed phrases of a view. No text inside a block may contain them. */
const MARKS = ["TURN_", "THOUGHT_", "CALL_", "RESULT_", "IMAGE_", "OTHER_", "FILE_"].map((word) => `[${word}`);
const guard = lazily(() =>
  createGuard(
    [...MARKS, "characters left out]", ALL_BEGAN].map((text) => ({ text, rule: "anywhere" satisfies MarkRule })),
  ),
);

/** Escapes everything in a string that could be mistaken for a block of a transcript. */
export const unlikeBlocks = (text: string): string => guard()(text);

const LABEL_CHARS = 256;
/**
 * Formats a name from a run so that it fits on the header line. Names that the policy did not choose are
 * truncated.
 */
function label(whole: string, isOwn = false): string {
  const name = isOwn ? whole : whole.slice(0, LABEL_CHARS);
  if (name === "") return "";
  return ` ${/^[\w.:/@+-]{1,128}$/.test(name) ? name : JSON.stringify(name)}`;
}

const IS: Readonly<Record<Part["kind"], LeftOut>> = {
  ...({
    text: "turns",
    thought: "thoughts",
    call: "calls",
    result: "results",
    image: "other",
    other: "other",
  } as const),
};

/**
 * Returns the blocks of turns, numbered from `first`. A result gets the number of its call, or its own id if
 * no earlier call matches.
 */
export function regionsOf(turns: readonly Turn[], first = 1, prefix = ""): Region[] {
  const numbers = new Map<string, string>();
  const regions: Region[] = [];
  for (const [t, { role, parts: all }] of turns.entries()) {
    // Withheld thoughts have no text to show.
    const parts = all.filter(({ kind, text }) => kind !== "thought" || text !== "");
    const turn = `${prefix}${first + t}`;
    let [calls, answered, images] = [0, 0, 0];
    let answers = "";
    const add = ({ text, own: isOwn, kind }: Part, head: string) => regions.push({ head, text, isOwn, is: IS[kind] });
    const says = parts.find(({ kind }) => kind !== "thought");
    if (says?.kind !== "text")
      regions.push({ head: `[TURN_${turn}${label(role)}]`, text: "", isOwn: isOwnTurn({ role, parts }), is: "turns" });
    for (const part of parts) {
      const { kind, name, id } = part;
      if (kind === "text") add(part, `[TURN_${turn}${label(role)}]`);
      else if (kind === "thought") add(part, `[THOUGHT_${turn}]`);
      else if (kind === "image") add(part, imageHead(`${turn}.${++images}`, name));
      else if (kind === "other") add(part, `[OTHER_${turn}${label(name, part.own)}]`);
      else if (kind === "call") {
        const number = `${turn}.${++calls}`;
        if (id !== null) numbers.set(id, number);
        add(part, `[CALL_${number}${label(name, part.own)}]`);
      } else {
        const isFact = name !== "" && name !== "error" && answers !== "";
        const next = id === null && !isFact && answered < calls ? `${turn}.${++answered}` : undefined;
        const number = next ?? (id === null ? undefined : numbers.get(id));
        const callLabel = number ?? `${turn}.x${id === null ? "" : ` of${label(id)}`}`;
        // A fact about a result without an id gets the number of the result's text.
        answers = isFact && id === null ? answers : callLabel;
        add(part, `[RESULT_${answers}${label(name)}]`);
      }
    }
  }
  return regions;
}

const NEW_LINE = 1;
const headsOf = (regions: readonly Region[]): number =>
  regions.reduce((sum, { head, text }) => sum + head.length + NEW_LINE + (text === "" ? 0 : NEW_LINE), 0);

/**
 * Number of characters of the policy's own words and their block headers, plus the headers of results,
 * because each call by the policy adds one.
 */
export const ownWordsChars = (regions: readonly Region[]): number =>
  ownChars(regions.filter(({ isOwn }) => isOwn)) +
  regions.reduce((sum, { isOwn, is, head }) => sum + (!isOwn && is === "results" ? head.length + NEW_LINE : 0), 0);

/** Number of characters of the policy's own words, plus the headers of all blocks. */
export const ownChars = (regions: readonly Region[]): number =>
  regions.reduce((sum, { isOwn, text }) => sum + (isOwn ? text.length : 0), headsOf(regions));

/**
 * Number of characters of all blocks, with each result limited to `result_chars`, before the total limit
 * applies.
 */
export const wantedChars = (regions: readonly Region[], { result_chars }: Pick<ViewBudget, "result_chars">): number =>
  regions.reduce(
    (sum, { is, text }) => sum + (is === "results" ? Math.min(text.length, result_chars) : text.length),
    headsOf(regions),
  );

export interface View extends ShownShare {
  text: string;
  /** Number of characters shown that could still be cut. */
  cuttable: number;
}

/** Number of characters allowed for each region that may be cut. The limit per result is applied first. */
function allowances(
  regions: readonly Region[],
  { result_chars, total_chars, shrinks }: ViewBudget,
): Map<Region, number> {
  const cut = regions.filter(({ isOwn }) => !isOwn);
  const maxLengths = cut.map(({ is, text }) => (is === "results" ? Math.min(text.length, result_chars) : text.length));
  const minLengths = cut.map(({ text }) => leastOf(text.length));
  const room = Math.max(0, total_chars - ownChars(regions));
  let given = shares(maxLengths, room, minLengths);
  if (shrinks > 0) {
    const sum = given.reduce((all, share) => all + share, 0);
    given = shares(maxLengths, Math.floor(sum / power(2, shrinks)), minLengths);
  }
  return new Map(cut.map((region, i) => [region, given[i] as number]));
}

/** The part of each region that is shown. */
export function cutRegions(regions: readonly Region[], budget: ViewBudget): CutText[] {
  const allowed = allowances(regions, budget);
  return regions.map((region) => cutTo(region.text, allowed.get(region) ?? region.text.length));
}

/**
 * Renders the view of the given regions. If `reasoning` is false, thoughts are omitted and counted in
 * `left_out`.
 */
export function viewOf(all: readonly Region[], reasoning: boolean, budget: ViewBudget): View {
  const regions = reasoning ? all : all.filter(({ is }) => is !== "thoughts");
  const cuts = cutRegions(regions, budget);
  const left = new Map<LeftOut, number>();
  const leave = (is: LeftOut, chars: number) => {
    if (chars > 0) left.set(is, (left.get(is) ?? 0) + chars);
  };
  let cuttable = 0;
  const blocks = regions.map((region, i) => {
    const { head, text, is } = region;
    if (text === "") return unlikeBlocksOfHead(head);
    const cut = cuts[i] as CutText;
    leave(is, cut.left_out);
    if (!region.isOwn && (cut.head !== "" || cut.tail !== "")) cuttable += text.length - cut.left_out;
    return `${unlikeBlocksOfHead(head)}\n${unlikeBlocks(cut.head)}${cut.mark}${unlikeBlocks(cut.tail)}`;
  });
  const missing = [...left.values()].reduce((sum, chars) => sum + chars, 0);
  if (!reasoning) for (const { is, text } of all) if (is === "thoughts") leave(is, text.length);
  const whole = regions.reduce((sum, { text }) => sum + text.length, 0);
  return {
    text: blocks.join("\n"),
    shown: whole === 0 ? 1 : 1 - missing / whole,
    left_out: Object.fromEntries(left),
    cuttable,
  };
}

/** Keeps the opening bracket of a header, and escapes everything that a name in it could imitate. */
const unlikeBlocksOfHead = (head: string): string => `[${unlikeBlocks(head.slice(1))}`;
