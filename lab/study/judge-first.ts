// Owns the study of `judge.first`: a direct judge of a stated accuracy before a thinking one, as near
// the latter's order on all pairs as how many of its tokens bring.
import { DEFAULT_SPEC, type Spec } from "../../src/core/contract/spec.ts";
import { judgesOf } from "./accurate-judges.ts";
import { type Estimate, estimate, gain, meanOf, TOKENS } from "./cells.ts";
import { readLists, type StudyList } from "./lists.ts";
import { play } from "./play.ts";
import type { Verifier } from "./verifier-model.ts";
import type { Way } from "./ways.ts";

/** How sure the direct judge is of its letters, over how often they are right. */
export const SURENESS = { calibrated: 1, overconfident: 3 } as const;
export type Sureness = keyof typeof SURENESS;
/** `same`: it sees in each candidate and pair what the thinking one sees beside their worth. */
export const RELATIONS = ["another model", "the same model"] as const;
export type Relation = (typeof RELATIONS)[number];

/** A pair of judges, and groups of a size. */
interface JudgePair {
  n: number;
  thinking: number;
  direct: number;
  sureness: Sureness;
  relation: Relation;
}

export interface FirstRow extends JudgePair {
  way: string;
  /** Bounds of `close`; null of a judge that is asked alone. */
  close: number | null;
  lists: number;
  tau: Estimate;
  /** Less the thinking judge's on all pairs, list by list. */
  gain: Estimate;
  /** Of the thinking judge's on all pairs: generated, and with prompts. */
  generated: number;
  tokens: number;
  /** Share of the pairs that the thinking judge saw. */
  asked: number;
}

export interface FirstPlan {
  set: string;
  draws: number;
  sizes: readonly number[];
  thinking: readonly number[];
  direct: readonly number[];
}

const SOFT = "soft" as "majority";
const THINKING: Spec["judge"] = { ...DEFAULT_SPEC.judge, both_orders: true };
const first = (close: number, combine: "replace" | "mean" = "replace"): Spec["judge"]["first"] => ({
  ...{ preset: "letter-select", vote: "soft", max_tokens: 8, combine },
  close: [1 - close, close],
});

/** The first is what all others are held against. */
const WAYS: readonly (Way & { close: number | null })[] = [
  { name: "thinking, all pairs", judge: THINKING, score: "soft", close: null },
  { name: "direct, all pairs", judge: { ...THINKING, vote: SOFT }, score: "soft", close: null },
  ...[0.7, 0.8, 0.9, 0.95].map((close) => ({
    ...{ name: `first, close to ${close}`, score: "soft", close },
    judge: { ...THINKING, first: first(close) },
  })),
  { name: "first, close to 0.9, mean", judge: { ...THINKING, first: first(0.9, "mean") }, score: "soft", close: 0.9 },
];

const tokensOf = (shown: number, by?: "first") => {
  const { rules, candidate, completion } = TOKENS[by === "first" ? "direct" : "thinking"];
  return rules + candidate * shown + completion;
};

/** Every way of every pair of judges over the same lists. */
export function firstRows(
  plan: FirstPlan,
  onPair: (rows: readonly [FirstRow, ...FirstRow[]]) => void = () => {},
): FirstRow[] {
  const { set, draws, sizes, thinking: levels, direct: accuracies } = plan;
  return sizes.flatMap((n) => {
    const lists = readLists(set, n, draws);
    return levels.flatMap((thinking) => {
      const judges = judgesOf(lists, { accuracy: thinking, style: "thinking", name: "thinking" });
      return accuracies
        .filter((direct) => direct < thinking)
        .flatMap((direct) =>
          RELATIONS.flatMap((relation) =>
            (Object.keys(SURENESS) as Sureness[]).flatMap((sureness) => {
              const name = relation === "the same model" ? "thinking" : "direct";
              const stated = { accuracy: direct, style: "direct", name, sureness: SURENESS[sureness] } as const;
              const before = judgesOf(lists, stated);
              const rows = rowsOf({ n, thinking, direct, sureness, relation }, lists, judges, before);
              onPair(rows as [FirstRow, ...FirstRow[]]);
              return rows;
            }),
          ),
        );
    });
  });
}

function rowsOf(
  about: JudgePair,
  lists: readonly StudyList[],
  judges: readonly Verifier[],
  before: readonly Verifier[],
): FirstRow[] {
  const all = WAYS.map((way) => {
    const isDirect = way.name.startsWith("direct");
    const played = lists.map((list, k) => {
      const [judge, direct] = [judges[k] as Verifier, before[k] as Verifier];
      return play(
        list,
        isDirect ? direct : judge,
        way,
        k,
        (shown, by) => tokensOf(shown, isDirect ? "first" : by),
        direct,
      );
    });
    return { way, played, isDirect };
  });
  const [reference] = all as [(typeof all)[number]];
  const generatedBy = ({ played, isDirect }: (typeof all)[number]) => {
    const ofFirst = isDirect ? meanOf(played, "generations") : meanOf(played, "first");
    const own = meanOf(played, "generations") - ofFirst;
    return { own, tokens: own * TOKENS.thinking.completion + ofFirst * TOKENS.direct.completion };
  };
  const whole = generatedBy(reference);
  return all.map((one) => {
    const { way, played } = one;
    const { own, tokens } = generatedBy(one);
    return {
      ...about,
      ...{ way: way.name, close: way.close, lists: lists.length },
      ...{ tau: estimate(played, ({ tau }) => tau), gain: gain(played, reference.played, "tau") },
      generated: tokens / whole.tokens,
      tokens: meanOf(played, "tokens") / meanOf(reference.played, "tokens"),
      asked: own / whole.own,
    };
  });
}
