// The parser `tag`: reads XML-like tags such as <answer>[[A]]</answer> or <score>0.8</score>. Reads the last
// tag or, with `each`, all of them.
import * as z from "zod";
import { lineCounter, linesOf } from "./answer-text.ts";
import { bracketLabels, inBrackets } from "./bracket.ts";
import { LabelsSchema, RangeSchema } from "./fields.ts";
import { type LabelWords, lettersOf, wholeLabel } from "./labels.ts";
import { numberIn, within } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { finalOf, nothing, ok, type ParserResult, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("tag"),
    tag: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,31}$/, "must match [A-Za-z][A-Za-z0-9_]{0,31}"),
    labels: LabelsSchema,
    /** If set, reads a number from the lowest to the highest value instead of a label. */
    range: RangeSchema,
    /** Accepts only whole numbers. */
    whole: z.boolean(),
    /** For labels: accepts [[B]] by itself if the tag is missing. */
    bare: z.boolean(),
    /**
     * Reads one tag per candidate, in their order. The answer must not contain any other tag of this name.
     */
    each: z.boolean(),
  })
  .partial()
  .required({ kind: true, tag: true });
export type TagSettings = z.output<typeof SCHEMA>;

interface Block {
  line: number;
  content: string;
  closed: boolean;
}

export const tag: Parser<TagSettings> = {
  kind: "tag",
  schema: SCHEMA,
  whole: ({ each = false }) => each,
  labelCount: ({ labels, range, each }) =>
    range !== undefined && !each ? "one" : labels === undefined && !each ? "several" : "either",
  promptMarks: (settings) => [`<${settings.tag}>`],
  written: ({ tag, labels, range }) => [
    `</${tag}>`,
    ...(range === undefined ? inBrackets(labels ?? lettersOf(26)) : []),
  ],
  anchor: ({ tag, labels, range, bare }, count) =>
    range !== undefined
      ? null
      : {
          labels: labels ?? lettersOf(count),
          behind: new RegExp(`<${tag}>(?:\\s*\\[\\[)?${bare ? "|\\[\\[" : ""}`, "gi"),
        },
  read(settings, { segment, count }) {
    const { range, labels } = settings;
    const blocks = blocksOf(segment, settings.tag);
    if (settings.each) return eachOf(blocks, settings, count);
    const closed = blocks.filter((block) => block.closed);
    if (range !== undefined) {
      const matches = closed.map(({ line, content }): VerdictMatch => {
        const value = numberOf(content, settings);
        return { line, value: value === null ? null : { numbers: [value] } };
      });
      return finalOf(matches, false);
    }
    const accepted = { labels: labels ?? lettersOf(count) };
    if (settings.bare && blocks.length === 0) return finalOf(bareLabels(segment, accepted), false);
    const matches = blocks.flatMap(({ line, content, closed }): VerdictMatch[] => {
      const inside = bracketLabels(content, accepted);
      const whole = closed && inside.length === 0 ? [wholeLabel(content, accepted)] : inside;
      return whole.flatMap((label) =>
        label === undefined ? [] : [{ line, value: label === null ? null : { label } }],
      );
    });
    return finalOf(matches, closed.length > 0);
  },
};

const bareLabels = (segment: string, accepted: LabelWords): VerdictMatch[] =>
  linesOf(segment).flatMap((text, line) =>
    bracketLabels(text, accepted).map((label) => ({ line, value: label === null ? null : { label } })),
  );

function numberOf(content: string, { range, whole }: TagSettings): number | null {
  const value = numberIn(content);
  if (value === null || range === undefined || !within(value, range)) return null;
  return whole && !Number.isInteger(value) ? null : value;
}

function eachOf(blocks: readonly Block[], settings: TagSettings, count: number): ParserResult {
  if (blocks.length === 0) return nothing("no_box");
  if (blocks.length !== count || blocks.some(({ closed }) => !closed)) return nothing("bad_content");
  const numbers = blocks.map(({ content }) => numberOf(content, settings));
  return numbers.includes(null) ? nothing("bad_content") : ok({ numbers: numbers as number[] });
}

const patterns = new Map<string, RegExp>();

/**
 * Returns the pattern for a tag. Caches up to 64 patterns: presets use few tags, but a deployment's templates
 * may use more.
 */
function tagPattern(name: string): RegExp {
  const known = patterns.get(name) ?? new RegExp(`<(/?)${name}>`, "gi");
  if (patterns.size < 64) patterns.set(name, known);
  return known;
}

/**
 * Returns the content of each block of a tag, in order. Returns null if the tag is missing or if a block is
 * not closed.
 */
export function textsIn(answer: string, name: string): string[] | null {
  const blocks = blocksOf(answer, name);
  return blocks.length > 0 && blocks.every(({ closed }) => closed) ? blocks.map(({ content }) => content.trim()) : null;
}

/**
 * Finds the blocks of a tag in order, ignoring case. A block ends at its closing tag or at the next tag with
 * the same name.
 */
function blocksOf(segment: string, name: string): Block[] {
  const lineAt = lineCounter(segment);
  const blocks: Block[] = [];
  let open: { line: number; from: number } | null = null;
  const end = (at: number, closed: boolean) => {
    if (open !== null) blocks.push({ line: open.line, content: segment.slice(open.from, at), closed });
    open = null;
  };
  const pattern = tagPattern(name);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(segment); found !== null; found = pattern.exec(segment)) {
    const closes = found[1] !== "";
    end(found.index, closes);
    if (!closes) open = { line: lineAt(found.index), from: pattern.lastIndex };
  }
  end(segment.length, false);
  return blocks;
}
