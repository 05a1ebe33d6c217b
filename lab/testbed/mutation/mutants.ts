// The making of near-correct wrong programs from a right one: which mutations a program allows, and a seeded
// draw of them. Runs nothing.
import type { Tree } from "@lezer/common";
import MagicString from "magic-string";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { nodesOf, parseProgram } from "../syntax/grammar.ts";
import { canonicalText } from "../syntax/tokens.ts";
import { CALL_OPERATORS } from "./call-operators.ts";
import { EXPRESSION_OPERATORS } from "./expression-operators.ts";
import type { Edit, MutationLanguage, Operator, Source } from "./operator.ts";
import { STATEMENT_OPERATORS } from "./statement-operators.ts";
import { VALUE_OPERATORS } from "./value-operators.ts";

export const OPERATORS: readonly Operator[] = [
  ...EXPRESSION_OPERATORS,
  ...VALUE_OPERATORS,
  ...CALL_OPERATORS,
  ...STATEMENT_OPERATORS,
];

export interface Mutant {
  code: string;
  /**
   * The operator and its line, `comparison boundary (line 7)`; two of them joined by ` + ` when
   * `order` is 2.
   */
  mutation: string;
}

export interface MutantOptions {
  seed: number;
  /** Most mutants; fewer come back when the program does not allow as many different ones. */
  count: number;
  /** Mistakes in each mutant (default 1). */
  order?: 1 | 2;
}

interface Mutation {
  label: string;
  edits: Edit[];
  weight: number;
}

/**
 * Every single mutation, in the order of the text. An operator's weight is spread over its places,
 * but not thinned by all of them.
 */
function mutationsOf(code: string, tree: Tree, language: MutationLanguage): Mutation[] {
  const source: Source = { code, language, text: (node) => code.slice(node.from, node.to) };
  const found: (Mutation & { operator: Operator })[] = [];
  const places = new Map<Operator, number>();
  for (const node of nodesOf(tree.topNode)) {
    for (const operator of OPERATORS) {
      for (const edits of operator.edits(node, source)) {
        const line = code.slice(0, edits[0]?.from ?? node.from).split("\n").length;
        found.push({ label: `${operator.name} (line ${line})`, edits, weight: operator.weight, operator });
        places.set(operator, (places.get(operator) ?? 0) + 1);
      }
    }
  }
  return found.map(({ operator, ...mutation }) => ({
    ...mutation,
    weight: operator.weight / Math.sqrt(places.get(operator) ?? 1),
  }));
}

/**
 * All items in a random order in which heavier ones tend to come first: exponential keys
 * (Efraimidis and Spirakis, 2006).
 */
function weightedOrder<T extends { weight: number }>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: -Math.log(1 - random()) / item.weight }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

const overlap = (a: Mutation, b: Mutation) => a.edits.some((x) => b.edits.some((y) => x.from < y.to && y.from < x.to));

/** Pairs of mutations in different places, the second drawn anew for each first. */
function* pairs(mutations: readonly Mutation[], random: () => number, pairs_max: number): Generator<Mutation> {
  for (let made = 0; made < pairs_max; ) {
    for (const first of weightedOrder(mutations, random)) {
      const second = weightedOrder(mutations, random).find((other) => !overlap(first, other));
      if (second !== undefined) {
        yield { label: `${first.label} + ${second.label}`, edits: [...first.edits, ...second.edits], weight: 1 };
      }
      if (++made >= pairs_max) return;
    }
  }
}

function applied(code: string, edits: readonly Edit[]): string {
  const text = new MagicString(code);
  for (const { from, to, text: replacement } of edits) {
    if (replacement === "") text.remove(from, to);
    else text.update(from, to, replacement);
  }
  return text.toString();
}

/**
 * Draws for one mutant of order 2 before giving up: most draws are new programs, so a few times the
 * count is plenty.
 */
const DRAWS_PER_PAIR = 4;

/**
 * Wrong programs that differ from a program by one mistake (or two), as mutation testing makes
 * them, weighted towards mistakes that leave most tests passing. Deterministic by seed and program.
 * Each differs from the others and from the program in its tokens, and parses; whether it also
 * behaves differently only running it can tell.
 * @returns at most `count`; none when the program itself does not parse
 */
export function mutants(code: string, language: MutationLanguage, { seed, count, order = 1 }: MutantOptions): Mutant[] {
  const tree = parseProgram(code, language);
  if (tree === null) return [];
  const random = createRandom(hashText("mutants", seed, order, language, code));
  const single = mutationsOf(code, tree, language);
  const draws =
    order === 1 || single.length === 0 ? weightedOrder(single, random) : pairs(single, random, count * DRAWS_PER_PAIR);
  const seen = new Set([canonicalText(code, tree)]);
  const made: Mutant[] = [];
  for (const { label, edits } of draws) {
    if (made.length >= count) break;
    const mutant = applied(code, edits);
    const mutantTree = parseProgram(mutant, language);
    const canonical = mutantTree && canonicalText(mutant, mutantTree);
    if (canonical === null || seen.has(canonical)) continue;
    seen.add(canonical);
    made.push({ code: mutant, mutation: label });
  }
  return made;
}
