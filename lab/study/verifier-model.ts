// The simulated verifier of the study: what it answers about a pair, by stated noise. Pure.
import { comparedIn } from "../../src/core/asking/questions.ts";
import { sigmoid } from "../../src/core/math/elementary.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";

/** Noise in log-odds; every standard deviation is of a normal distribution, drawn once a list. */
export interface Noise {
  /** Log-odds for the better of two candidates per unit of pass rate. */
  discrimination: number;
  /**
   * Standard deviation of what it sees in a candidate beside its pass rate, whatever the question.
   */
  candidate_bias: number;
  /** Standard deviation of what it sees in a pair, in both orders and every sample. */
  pair_bias: number;
  /** Mean and standard deviation over pairs of what being shown first adds. */
  position_bias: number;
  position_spread: number;
  /** `direct` answers at once; `thinking` first, and is then nearly certain of its letter. */
  style: "direct" | "thinking";
}

/** How much a trace sharpens the letter's odds: after thinking it is nearly certain. */
const SHARPNESS = 8;

export interface Verdict {
  /** Probability of the first letter at its token. */
  soft: number;
  /** 1 when the first was named, else 0. */
  hard: number;
  /** Nothing could be read. */
  unread?: true;
}

export interface Verifier {
  /** Its view of each candidate, log-odds: its own order. */
  seen: readonly number[];
  /** A pair in the order shown: the same question and sample, the same answer. */
  pair(first: number, second: number, sample: number): Verdict;
  /** Its choice from a list. */
  best(shown: readonly number[], sample: number): number;
}

/** A verifier of one list. */
export function verifierOf(qualities: readonly number[], noise: Noise, seed: string): Verifier {
  const normal = (...parts: (string | number)[]) => {
    const random = createRandom(hashText(seed, ...parts));
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  };
  const chance = (...parts: (string | number)[]) => createRandom(hashText(seed, ...parts))();
  const seen = qualities.map((q, i) => noise.discrimination * q + noise.candidate_bias * normal("candidate", i));
  const logitOf = (first: number, second: number) => {
    const [low, high] = first < second ? [first, second] : [second, first];
    const pair = noise.pair_bias * normal("pair", low, high) * (first === low ? 1 : -1);
    const position = noise.position_bias + noise.position_spread * normal("position", low, high);
    return (seen[first] as number) - (seen[second] as number) + pair + position;
  };
  return {
    seen,
    pair(first, second, sample) {
      const logit = logitOf(first, second);
      const uniform = chance("sample", first, second, sample);
      if (noise.style === "direct") return { soft: sigmoid(logit), hard: Number(uniform < sigmoid(logit)) };
      // A trace adds logistic noise, so that its letters are as often right as those given at once.
      const after = logit + Math.log((1 - uniform) / Math.max(uniform, 1e-12)) * -1;
      return { soft: sigmoid(SHARPNESS * after), hard: Number(after > 0) };
    },
    best(shown, sample) {
      // Gumbel noise: of two the odds of a pair, of more those of Luce's choice rule. What it sees
      // in a pair it sees in the company, and the first shown is favoured as in a pair.
      const company = comparedIn({ shown });
      const worth = shown.map((i, place) => {
        const uniform = Math.min(1 - 1e-12, Math.max(1e-12, chance("list", shown.join(), sample, i)));
        const bias = (noise.pair_bias / Math.SQRT2) * normal("company", company, i);
        return (seen[i] as number) + bias + (place === 0 ? noise.position_bias : 0) - Math.log(-Math.log(uniform));
      });
      return shown[worth.indexOf(Math.max(...worth))] as number;
    },
  };
}
