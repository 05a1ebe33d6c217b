// The interface of a parser: its settings, the forms that a prompt must state, and how an answer is read.
import type * as z from "zod";
import type { ParserResult } from "./parser-result.ts";

/** A token of the answer, with the alternatives that the engine considered at its position. */
export interface TokenLogprobs {
  token: string;
  top: readonly { token: string; logprob: number }[];
}

export interface ParserInput {
  /** The answer without its thoughts, in compatibility form (NFKC). */
  segment: string;
  /** Number of candidates shown. */
  count: number;
  /** Tokens of the answer, if the engine returned them. */
  tokens?: readonly TokenLogprobs[] | undefined;
}

/** Where the label is in an answer, and the labels whose probabilities can be requested from an engine. */
export interface Anchor {
  labels: readonly string[];
  /**
   * Pattern (with the flag `g`) for what directly precedes the label. If omitted, the label is the first
   * token of the answer.
   */
  behind?: RegExp;
  /**
   * For each candidate, the pattern for what precedes its mark. Replaces `behind`; the labels are then marks,
   * best first.
   */
  each?: readonly RegExp[];
}

/** A parser, which must run in linear time. A new parser needs its own file and a line in table.ts. */
export interface Parser<S> {
  kind: string;
  /** Schema of the settings, used to validate a deployment's templates. */
  schema: z.ZodType;
  /** Whether an answer is about one candidate, about several, or either. */
  labelCount(settings: S): "one" | "several" | "either";
  /** Whether the parser needs the whole answer and not only its end; if omitted, it does not. */
  whole?(settings: S): boolean;
  /** Strings that a prompt must contain to tell the model the form of the answer. */
  promptMarks(settings: S): readonly string[];
  /**
   * Further strings that the parser reads as a verdict or the beginning of one. Model text must not contain
   * them unescaped.
   */
  written?(settings: S): readonly string[];
  read(settings: S, input: ParserInput): ParserResult;
  /**
   * Returns the anchor of an answer about `count` candidates. Omitted, or returns null, if no single token
   * decides the label.
   */
  anchor?(settings: S, count: number): Anchor | null;
}
