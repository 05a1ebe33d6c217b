// Owns the study of `judge.first`: a direct judge of a stated accuracy before a thinking one, as near
// the latter's order on all pairs as how many of its tokens bring.
import { DEFAULT_SPEC, type Spec } from "../../src/core/contract/spec.ts";
import { sigmoid } from "../../src/core/math/bradley-terry.ts";
import { mean } from "../../src/core/math/stats.ts";
import { type Estimate, estimate, gain, meanOf, TOKENS } from "./cells.ts";
import { readLists, type StudyList } from "./lists.ts";
import { play } from "./play.ts";
import { type Noise, type Verifier, verifierOf } from "./verifier-model.ts";
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

/** What of the study's usual noise a judge has beside its accuracy. */
const NOISE = { candidate_bias: 0.7, pair_bias: 0.5, position_bias: 0.3, position_spread: 0.5 };
const BISECTIONS = 24;
const DISCRIMINATION_MOST = 100;
/** Log-odds are at most so many times those of the noise, for a calibrated judge. */
const SHARPEST = 8;

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

const seedOf = ({ problem }: StudyList, k: number, judge: string) => `${problem} ${k} ${judge}`;

/** Both orders of every pair of different pass rates: how far apart, and what is seen beside that. */
function biasedPairs(lists: readonly StudyList[], name: string): { gap: number; bias: number }[] {
  const none: Noise = { ...NOISE, discrimination: 0, style: "direct" };
  return lists.flatMap((list, k) => {
    const judge = verifierOf(list.qualities, none, seedOf(list, k, name));
    return list.qualities.flatMap((q, i) =>
      list.qualities.flatMap((other, j) =>
        q === other ? [] : [{ gap: q - other, bias: logit(judge.pair(i, j, 0).soft) }],
      ),
    );
  });
}

const logit = (p: number) => Math.log(p / (1 - p));

/** The x in a range at which a rising function comes to a value. */
function bisected(of: (x: number) => number, value: number, most: number): number {
  let [low, high] = [0, most];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Judges of an accuracy, one a list: the share of pairs whose better one a letter names, in either
 * order. A direct one's letter is the likelier one, and is as sure as `sureness` says.
 */
function judgesOf(lists: readonly StudyList[], accuracy: number, style: Noise["style"], name: string, sureness = 1) {
  const pairs = biasedPairs(lists, name);
  const oddsAt = (by: number) => pairs.map(({ gap, bias }) => Math.sign(gap) * (by * gap + bias));
  const rightAt = (by: number) =>
    mean(oddsAt(by).map((odds) => (style === "thinking" ? sigmoid(odds) : Number(odds > 0))));
  const discrimination = bisected(rightAt, accuracy, DISCRIMINATION_MOST);
  const judges = lists.map((list, k) =>
    verifierOf(list.qualities, { ...NOISE, discrimination, style }, seedOf(list, k, name)),
  );
  if (style === "thinking") return judges;
  const odds = oddsAt(discrimination).map(Math.abs);
  const even = bisected((by) => mean(odds.map((own) => sigmoid(by * own))), rightAt(discrimination), SHARPEST);
  return judges.map((judge) => sharpened(judge, even * sureness));
}

/** The same letters, their log-odds so many times as large. */
function sharpened(verifier: Verifier, by: number): Verifier {
  return {
    ...verifier,
    pair(a, b, sample) {
      const { soft, hard } = verifier.pair(a, b, sample);
      return { soft: sigmoid(by * logit(soft)), hard };
    },
  };
}

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
      const judges = judgesOf(lists, thinking, "thinking", "thinking");
      return accuracies
        .filter((direct) => direct < thinking)
        .flatMap((direct) =>
          RELATIONS.flatMap((relation) =>
            (Object.keys(SURENESS) as Sureness[]).flatMap((sureness) => {
              const name = relation === "the same model" ? "thinking" : "direct";
              const before = judgesOf(lists, direct, "direct", name, SURENESS[sureness]);
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
