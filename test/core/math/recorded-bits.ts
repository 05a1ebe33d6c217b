// Recorded bits of the functions that decide rewards: the same code runs in Node and
// in workerd.

import { softmaxOver } from "../../../src/core/judges/logprobs.ts";
import { gradesIn } from "../../../src/core/judges/verdicts.ts";
import { bradleyTerry, type Game } from "../../../src/core/math/bradley-terry.ts";
import * as elementary from "../../../src/core/math/elementary.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { cosineShare } from "../../../src/core/signals/length.ts";
import { meanProbability } from "../../../src/core/signals/logprob.ts";
import recorded from "../../vectors/reward-bits.json" with { type: "json" };

/** One call; `bits` are the 16 hexadecimal digits of each number that it returns. */
export interface BitCase {
  of: string;
  input: readonly number[];
  bits: readonly string[];
}

/** Games of n players, drawn by a seed, every third a tie or graded. */
function gamesOf(n: number, seed: number): Game[] {
  const random = createRandom(hashText("bits", n, seed));
  const pairs = Array.from({ length: n * 3 }, () => [Math.floor(random() * n), Math.floor(random() * n)] as const);
  return pairs.flatMap(([i, j], k) =>
    i === j ? [] : [{ i, j, score: k % 3 === 0 ? Math.floor(random() * 1024) / 1024 : Math.round(random()) }],
  );
}

/** By name: what a case computes. */
const COMPUTED: Readonly<Record<string, (input: readonly number[]) => readonly number[]>> = {
  exp: ([x = 0]) => [elementary.exp(x)],
  log: ([x = 0]) => [elementary.log(x)],
  log1p: ([x = 0]) => [elementary.log1p(x)],
  log2: ([x = 0]) => [elementary.log2(x)],
  tanh: ([x = 0]) => [elementary.tanh(x)],
  sin: ([x = 0]) => [elementary.sin(x)],
  cos: ([x = 0]) => [elementary.cos(x)],
  sigmoid: ([x = 0]) => [elementary.sigmoid(x)],
  power: ([x = 0, y = 0]) => [elementary.power(x, y)],
  strengths: ([n = 2, seed = 0]) => bradleyTerry(n, gamesOf(n, seed), 0.5),
  soft_vote: (logs) => softmaxOver(logs) ?? [],
  graded_scores: (scores) => gradesIn({ kind: "scores", scores }, 2, { strength: "graded" }) ?? [],
  cosine_length: ([length = 0, most = 1]) => [cosineShare(length, most)],
  mean_probability: (logs) => [meanProbability(logs) ?? Number.NaN],
};

const CELL = new DataView(new ArrayBuffer(8));
const bitsOf = (value: number): string => {
  CELL.setFloat64(0, value);
  return CELL.getBigUint64(0).toString(16).padStart(16, "0");
};

export const bitsNow = ({ of, input }: Pick<BitCase, "of" | "input">): string[] =>
  (COMPUTED[of] as (input: readonly number[]) => readonly number[])(input).map(bitsOf);

export const CASES = recorded as readonly BitCase[];

/** The recorded cases that come out otherwise here. */
export const differing = (): string[] =>
  CASES.flatMap((known) => {
    const now = bitsNow(known);
    return now.join() === known.bits.join()
      ? []
      : [`${known.of}(${known.input.join()}): ${now} in place of ${known.bits}`];
  });
