// The interface of a parser: settings, which forms a prompt must state, and how an answer is read.
import type * as z from "zod";
import type { ParserResult } from "./parser-result.ts";

/** A position in the answer with the alternatives that the engine weighed there. */
export interface TokenLogprobs {
  token: string;
  top: readonly { token: string; logprob: number }[];
}

export interface ParserInput {
  /** Behind the thoughts, in compatibility form. */
  segment: string;
  /** How many candidates were shown. */
  count: number;
  /** The answer's tokens, where the engine gave them. */
  tokens?: readonly TokenLogprobs[] | undefined;
}

/** Where in an answer a label stands whose probabilities an engine can be asked for. */
export interface Anchor {
  labels: readonly string[];
  /** Text right before the label, with the flag `g`; absent: the label is the answer's first token. */
  behind?: RegExp;
  /** Instead: what stands before the mark of each candidate shown, labels from the best mark on. */
  each?: readonly RegExp[];
}

/** A parser in its one file; its line in the table is all else there is of it. Linear time. */
export interface Parser<S> {
  kind: string;
  /** The settings as a deployment's own template gives them. */
  schema: z.ZodType;
  /** Whether an answer says something of one candidate, of several beside each other, or either. */
  labelCount(settings: S): "one" | "several" | "either";
  /** Whether what stands far before an answer's end may decide, too; absent: no. */
  whole?(settings: S): boolean;
  /** Texts of which each must be in a prompt, so that a model knows the form. */
  promptMarks(settings: S): readonly string[];
  /** Further texts that it takes for a verdict, or its beginning: none of them may be raw in model text. */
  written?(settings: S): readonly string[];
  read(settings: S, input: ParserInput): ParserResult;
  /**
   * The anchor of an answer about `count` candidates; absent or null where no single token says the label.
   */
  anchor?(settings: S, count: number): Anchor | null;
}
