// The shape of a mutation operator.
import type { SyntaxNode } from "@lezer/common";

export type MutationLanguage = "python" | "javascript";

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Source {
  code: string;
  language: MutationLanguage;
  text(node: SyntaxNode): string;
}

export interface Operator {
  name: string;
  /**
   * How often its mutants are drawn, against the other operators: ten times the share of them with
   * a pass rate of 0.7 to 0.9, plus five times the share between 0.5 and 0.7, as measured on all
   * single mutants of the right programs of problems/sets.
   */
  weight: number;
  /**
   * The ways in which the program can be changed at this node; each is a list of edits that do not
   * overlap.
   */
  edits(node: SyntaxNode, source: Source): Edit[][];
}

export const replaced = (node: SyntaxNode, text: string): Edit => ({ from: node.from, to: node.to, text });
