// What a parser is: settings, which forms a prompt must tell, and how an answer is read.
import type { Said } from "./said.ts";

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

/** A parser in its one file; its line in the table is all else there is of it. Linear time. */
export interface Parser<S> {
  kind: string;
  /** Texts of which each must stand in a prompt, so that a model knows the form. */
  told(settings: S): readonly string[];
  read(settings: S, input: ParserInput): Said;
}
