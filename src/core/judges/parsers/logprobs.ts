// The parser `logprobs`: reads the probability that an engine gives each label at an anchor.

import * as z from "zod";
import { someOf } from "../../faults/bounded.ts";
import { exp } from "../../math/elementary.ts";
import { stripped } from "./answer-text.ts";
import { LabelsSchema, OpeningSchema } from "./fields.ts";
import { lettersOf, wholeLabel } from "./labels.ts";
import type { Parser, TokenLogprobs } from "./parser.ts";
import { nothing, ok, type ParserResult } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("logprobs"),
    labels: LabelsSchema,
    /** The tag before the label. If omitted, the label is the first token of the answer. */
    tag: OpeningSchema,
    /** For each candidate, the tag before its mark. Replaces `tag`; the labels are then marks, best first. */
    each: someOf(OpeningSchema, "list_candidates_max"),
    /** Minimum total probability of the labels that the engine returned. */
    coverage: z.number().gt(0).max(1),
  })
  .partial()
  .required({ kind: true });
export type LogprobsSettings = z.output<typeof SCHEMA>;

export const logprobs: Parser<LogprobsSettings> = {
  kind: "logprobs",
  schema: SCHEMA,
  whole: ({ tag }) => tag === undefined,
  labelCount: () => "either",
  promptMarks: ({ tag, each, labels = [] }) => each ?? (tag === undefined ? labels : [tag]),
  written: ({ tag, each }) => (each ?? (tag === undefined ? [] : [tag])).map((word) => word.replace("<", "</")),
  anchor({ labels: named, tag, each }, count) {
    const labels = named ?? lettersOf(count);
    if (each !== undefined) return { labels, each: each.map((pattern) => new RegExp(pattern, "g")) };
    return tag === undefined ? { labels } : { labels, behind: new RegExp(tag, "g") };
  },
  read({ labels: named, tag, each, coverage = 0.5 }, { segment, count, tokens }) {
    const labels = named ?? lettersOf(count);
    if (each !== undefined) return marksOf(segment, each, labels);
    if (tokens === undefined) return writtenOf(segment, tag, labels);
    const place = tag === undefined ? { at: 0, inside: 0 } : placeBehind(tokens, tag);
    const found = place && sharesAt(tokens[place.at], place.inside, labels);
    if (!found) return nothing("no_box");
    return found.mass < coverage ? nothing("bad_content") : ok(found);
  },
};

/** Fallback without probabilities: the generated label gets probability 1. */
function writtenOf(segment: string, tag: string | undefined, labels: readonly string[]): ParserResult {
  const from = tag === undefined ? 0 : segment.lastIndexOf(tag);
  const written = segment.slice(from + (tag?.length ?? 0), from + 256).split("<")[0] ?? "";
  const label = from < 0 ? undefined : wholeLabel(written, { labels });
  if (label == null) return nothing(label === null ? "bad_content" : "no_box");
  return ok({ shares: labels.map((other) => (other === label ? 1 : 0)), mass: 1 });
}

/** Reads the generated marks as numbers, from 1 for the first label to 0 for the last. */
function marksOf(segment: string, tags: readonly string[], labels: readonly string[]): ParserResult {
  const written = tags.map((tag) => writtenOf(segment, tag, labels));
  const missing = written.find(({ value }) => value === null);
  if (missing !== undefined) return missing;
  const last = labels.length - 1;
  return ok({
    numbers: written.map(({ value }) => (value && "shares" in value ? (last - value.shares.indexOf(1)) / last : 0)),
  });
}

/**
 * Finds the token that contains the first character after the last tag, and that character's offset in the
 * token.
 */
function placeBehind(tokens: readonly TokenLogprobs[], tag: string): { at: number; inside: number } | null {
  const end =
    tokens
      .map(({ token }) => token)
      .join("")
      .lastIndexOf(tag) + tag.length;
  if (end < tag.length) return null;
  let from = 0;
  for (const [at, { token }] of tokens.entries()) {
    if (from + token.length > end) return { at, inside: end - from };
    from += token.length;
  }
  return null;
}

/**
 * Probabilities of the labels at a token, renormalised over the labels returned; null if none was returned.
 */
function sharesAt(
  token: TokenLogprobs | undefined,
  inside: number,
  labels: readonly string[],
): { shares: number[]; mass: number } | null {
  const prefix = token?.token.slice(0, inside) ?? "";
  const logs = labels.map(() => [] as number[]);
  for (const { token: text, logprob } of token?.top ?? []) {
    if (!text.startsWith(prefix) || Number.isNaN(logprob)) continue;
    const label = stripped(text.slice(inside)).toLowerCase();
    const at = labels.findIndex((known) => known.toLowerCase() === label);
    if (at >= 0) (logs[at] as number[]).push(Math.min(0, logprob));
  }
  const seen = logs.flat();
  if (seen.length === 0) return null;
  const top = Math.max(...seen);
  // Each label gets the more probable of its tokens "A" and " A", as in softVerdict.
  const weights = logs.map((log) => (log.length === 0 ? 0 : exp(Math.max(...log) - top)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    shares: weights.map((weight) => weight / total),
    mass: seen.reduce((sum, log) => sum + exp(log), 0),
  };
}
