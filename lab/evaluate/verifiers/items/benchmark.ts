// Defines what a benchmark is: how its rows become items, how a verifier is asked about them unless told
// otherwise, and what its own metrics are. Knows none.
import type * as z from "zod";
import { FactualGroupSchema } from "../../../../src/core/reward/requests.ts";
import type { Table } from "../../../report/page.ts";
import type { Omissions } from "../../../testbed/format/jsonl.ts";
import type { Estimate } from "../../figures/estimate.ts";
import type { AskedGroup, Scored } from "./scored.ts";

/** One thing to judge, and what the benchmark's people say of it. */
export interface Item<L> {
  id: string;
  /** Items of one problem are not independent: intervals draw them together. */
  problem: string;
  subset: string;
  difficulty: string | null;
  generator: string | null;
  group: AskedGroup;
  label: L;
}

export interface Settings {
  /** A score from here on says right. */
  threshold: number;
  /** Whether a scalar model's own number ranks, in place of the reward that it is squashed to. */
  raw: boolean;
  seed: number;
  bootstrap: number;
}

/** The outcome of an item, in the words that all benchmarks share. */
export interface Outcome {
  /** The benchmark's credit for it, 0 to 1; an item without a verdict has 0. */
  credit: number;
  /** How sure the verifier was; null: it did not decide, or tells nothing of it. */
  margin: number | null;
  /** The label and the verdict as texts; verifiers agree where these are the same. */
  label: string;
  said: string | null;
}

/** An item that was answered. */
export interface Judged<L, V extends Outcome = Outcome> {
  item: Item<L>;
  answer: Scored;
  outcome: V;
}

export interface OwnFigures {
  /** The benchmark's one number. */
  main: { name: string; value: Estimate };
  figures: Readonly<Record<string, Estimate>>;
  tables: readonly Table[];
}

/** Benchmarks that are counted alike. */
export interface Family<L, V extends Outcome> {
  judge(item: Item<L>, answer: Scored, settings: Settings): V;
  figures(judged: readonly Judged<L, V>[], settings: Settings): OwnFigures;
}

/** A benchmark's rows once they are read, without the type of its labels. */
export interface ReadItems {
  items: readonly Omit<Item<unknown>, "label">[];
  judge(answers: ReadonlyMap<string, Scored>, settings: Settings): { judged: Judged<unknown>[]; results: OwnFigures };
}

export interface Benchmark {
  description: string;
  /** The spec without --spec, and the base of a user's spec. */
  spec: Readonly<Record<string, unknown>>;
  /** Every pair must be asked in both orders. */
  both_orders: boolean;
  row: z.ZodType<unknown>;
  /** Rows that the API would not take are left out, with its words. */
  read(rows: readonly { row: unknown; where: string }[], omissions: Omissions): ReadItems;
}

interface Layout<R, L, V extends Outcome> {
  description: string;
  spec: Readonly<Record<string, unknown>>;
  both_orders?: boolean;
  /** A row; fields that are not named are passed over. */
  row: z.ZodType<R>;
  /** @param place of the row, for rows without an id */
  item(row: R, place: string): Item<L>;
  family: Family<L, V>;
}

export function benchmark<R, L, V extends Outcome>(layout: Layout<R, L, V>): Benchmark {
  const { description, spec, both_orders = false, row: schema, item: itemOf, family } = layout;
  return {
    description,
    spec,
    both_orders,
    row: schema,
    read(rows, omissions) {
      const seen = new Map<string, number>();
      const items = rows.flatMap(({ row, where }): Item<L>[] => {
        const item = itemOf(row as R, where);
        const times = (seen.get(item.id) ?? 0) + 1;
        seen.set(item.id, times);
        const uniqueItem = times === 1 ? item : { ...item, id: `${item.id}#${times}` };
        const fault = faultOf(uniqueItem);
        if (fault === null) return [uniqueItem];
        omissions.add("rejected by the API's schema", `${where} (${fault})`);
        return [];
      });
      return {
        items,
        judge(answers, settings) {
          const judged = items.flatMap((item) => {
            const answer = answers.get(item.id);
            return answer === undefined ? [] : [{ item, answer, outcome: family.judge(item, answer, settings) }];
          });
          return { judged, results: family.figures(judged, settings) };
        },
      };
    },
  };
}

function faultOf({ id, group }: Item<unknown>): string | null {
  const parsed = FactualGroupSchema.safeParse({ group_id: id, ...group });
  const issue = parsed.error?.issues[0];
  return issue === undefined ? null : `${issue.path.join(".")}: ${issue.message}`;
}

/** The scores that rank an item's texts; null where one of them has none. */
export function ranking({ rewards, reported }: Scored, { raw }: Settings): number[] | null {
  const scores = raw ? reported.map((detail) => detail.raw ?? null) : rewards;
  return scores.every((score) => score !== null) ? scores : null;
}
