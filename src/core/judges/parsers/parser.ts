// The interface of a parser: its settings, the forms that a prompt must state, and how an answer is read.
import type * as z from "zod";
import type { ParserResult } from "./parser-result.ts";

/** A token of the answer, with the alternatives that the engine considered at its position. */
export interface TokenLogprobs {
  token: string;
  top: readonly { token: string; logprob: number }[];
}

export interface ParserInput {
  /** The answer after the thoughts, in compatibility form (NFKC). */
  segment: string;
  /** Number of candidates shown. */
  count: number;
  /** Tokens of the answer, if the engine returned them. */
  tokens?: readonly TokenLogprobs[] | undefined;
}

/**
 * The position of the label in an answer, with the labels whose probabilities can be requested from an
 * engine.
 */
export interface Anchor {
  labels: readonly string[];
  /**
   * Pattern with the flag `g` for the text directly before the label; omitted: the label is the first token
   * of the answer.
   */
  behind?: RegExp;
  /**
   * Patterns for the text before the mark of each candidate, instead of `behind`; the labels are marks, best
   * first.
   */
  each?: readonly RegExp[];
}

/** A parser. Each parser is one file and one line in the table, and runs in linear time. */
export interface Parser<S> {
  kind: string;
  /** Schema of the settings, for templates that a deployment writes. */
  schema: z.ZodType;
  /** Whether an answer is about one candidate, about several, or either. */
  labelCount(settings: S): "one" | "several" | "either";
  /** Whether the parser needs the whole answer rather than only its end; omitted: no. */
  whole?(settings: S): boolean;
  /** Texts that a prompt must contain, so that a model knows the form of the answer. */
  promptMarks(settings: S): readonly string[];
  /**
   * Further texts that the parser reads as a verdict or its beginning; they must not be in model text
   * unescaped.
   */
  written?(settings: S): readonly string[];
  read(settings: S, input: ParserInput): ParserResult;
  /**
   * Returns the anchor of an answer about `count` candidates; omitted or null if no single token carries the
   * label.
   */
  anchor?(settings: S, count: number): Anchor | null;
}
