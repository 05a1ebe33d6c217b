// Simulated judges of a stated accuracy: the slope of their log-odds is solved so that they name the better
// of two as often as stated, whatever noise they have beside it.
import { sigmoid } from "../../src/core/math/elementary.ts";
import { mean } from "../../src/core/math/stats.ts";
import type { StudyList } from "./lists.ts";
import { type Noise, type Verifier, verifierOf } from "./verifier-model.ts";

/** A judge's biases beside its accuracy, in log-odds. */
export type Biases = Omit<Noise, "discrimination" | "style">;

/** The study's usual noise. */
export const USUAL: Biases = { candidate_bias: 0.7, pair_bias: 0.5, position_bias: 0.3, position_spread: 0.5 };

export interface Accuracy {
  /** Share of pairs of different pass rates whose better one a letter names, in either order. */
  accuracy: number;
  style: Noise["style"];
  /** Equal names see the same in candidates and pairs. */
  name: string;
  /** How sure a direct judge is of its letters, over how often they are right. */
  sureness?: number;
  biases?: Biases;
}

const BISECTIONS = 24;
const DISCRIMINATION_MOST = 100;
/** Log-odds are at most this many times those of the noise, for a calibrated judge. */
const SHARPEST = 8;

const seedOf = ({ problem }: StudyList, k: number, judge: string) => `${problem} ${k} ${judge}`;

/** Both orders of every pair of different pass rates: how far apart, and what is seen beside that. */
function biasedPairs(lists: readonly StudyList[], name: string, biases: Biases): { gap: number; bias: number }[] {
  const none: Noise = { ...biases, discrimination: 0, style: "direct" };
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
function bisected(evaluate: (x: number) => number, value: number, max: number): number {
  let [low, high] = [0, max];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (evaluate(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Judges of an accuracy, one a list. A direct one's letter is the likelier one, and is as sure as
 * `sureness` says.
 */
export function judgesOf(lists: readonly StudyList[], stated: Accuracy): Verifier[] {
  const { accuracy, style, name, sureness = 1, biases = USUAL } = stated;
  const pairs = biasedPairs(lists, name, biases);
  const oddsAt = (factor: number) => pairs.map(({ gap, bias }) => Math.sign(gap) * (factor * gap + bias));
  const rightAt = (factor: number) =>
    mean(oddsAt(factor).map((odds) => (style === "thinking" ? sigmoid(odds) : Number(odds > 0))));
  const discrimination = bisected(rightAt, accuracy, DISCRIMINATION_MOST);
  const judges = lists.map((list, k) =>
    verifierOf(list.qualities, { ...biases, discrimination, style }, seedOf(list, k, name)),
  );
  if (style === "thinking") return judges;
  const odds = oddsAt(discrimination).map(Math.abs);
  const even = bisected(
    (factor) => mean(odds.map((logOdds) => sigmoid(factor * logOdds))),
    rightAt(discrimination),
    SHARPEST,
  );
  return judges.map((judge) => sharpened(judge, even * sureness));
}

/** The same letters, their log-odds multiplied. */
function sharpened(verifier: Verifier, factor: number): Verifier {
  return {
    ...verifier,
    pair(a, b, sample) {
      const { soft, hard } = verifier.pair(a, b, sample);
      return { soft: sigmoid(factor * logit(soft)), hard };
    },
  };
}
