// How alike a list's programs are and how long, by split and bucket: what a verifier could go by without
// understanding. Runs nothing.
import type * as z from "zod";
import { mean } from "../../../src/core/math/stats.ts";
import type { ListFiguresSchema, SetList } from "../format/set-format.ts";
import { tokenSimilarity, tokensOf } from "./likeness.ts";

type ListFigures = z.output<typeof ListFiguresSchema>;

/** The vector of a program by its id. */
export type Embedding = (candidateId: string) => readonly number[];

export function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  const norms = Math.sqrt(dot(a, a) * dot(b, b));
  return norms === 0 ? 0 : dot(a, b) / norms;
}

/** Values of all pairs, each computed once by its two ids: lists share their programs. */
function remembered(compute: (a: string, b: string) => number): (a: string, b: string) => number {
  const known = new Map<string, number>();
  return (a, b) => {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const value = known.get(key) ?? compute(a, b);
    known.set(key, value);
    return value;
  };
}

const pairsOf = <T>(items: readonly T[]): [T, T][] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b): [T, T] => [a, b]));

export function listFigures(lists: readonly SetList[], embedding: Embedding | null): ListFigures[] {
  const programs = lists.flatMap(({ candidates }) => candidates);
  const tokens = new Map(programs.map(({ candidate_id, code }) => [candidate_id, tokensOf(code)]));
  const alike = remembered((a, b) => tokenSimilarity(tokens.get(a) ?? [], tokens.get(b) ?? []));
  const near = embedding === null ? null : remembered((a, b) => cosine(embedding(a), embedding(b)));
  const groups = Map.groupBy(lists, ({ split, bucket }) => JSON.stringify([split, bucket]));
  return [...groups].map(([key, groupLists]) => {
    const [split = "", bucket = ""] = JSON.parse(key) as string[];
    const over = (similarity: (a: string, b: string) => number, all: boolean) =>
      mean(
        groupLists.map(({ candidates }) => {
          const pairs = pairsOf(candidates).filter(([a, b]) => all || a.pass_rate === 1 || b.pass_rate === 1);
          return mean(pairs.map(([a, b]) => similarity(a.candidate_id, b.candidate_id)));
        }),
      );
    const characters = (right: boolean) =>
      mean(
        groupLists.flatMap(({ candidates }) =>
          candidates.flatMap((c) => ((c.pass_rate === 1) === right ? [c.code.length] : [])),
        ),
      );
    return {
      split,
      bucket,
      lists: groupLists.length,
      token_similarity: over(alike, true),
      right_to_wrong: over(alike, false),
      cosine: near === null ? null : over(near, true),
      characters_right: characters(true),
      characters_wrong: characters(false),
    };
  });
}
