// The figures of the Aletheia paper (arXiv 2601.12186) and its release that can be computed again without its
// models, each with what it is computed by.
import { softOverlong } from "../../src/core/candidate/overlong.ts";
import { VerdictsRequestSchema } from "../../src/core/contract/verdicts-request.ts";
import { rewardVerdicts } from "../../src/core/formulations/rewards.ts";
import { strictContent } from "../../src/core/formulations/strict-verdict.ts";
import { releaseEvaluationVerdict } from "../fuzz/release-parsers.ts";
import { coinMix, coinTau, majority } from "./coin.ts";
import { countReading, PROXIES, TOLD, tauReading, VERIFIERS } from "./proxies.ts";

export interface Figure {
  where: string;
  description: string;
  /** As the paper or its release says; null: it follows from what they say, and is not said. */
  printed: number | null;
  computed: number;
  /** Digits after the point that are compared. */
  digits: number;
  /** Where the two differ: why. */
  unlike?: string;
}

const THOUGHT = "<think>\nok</think>\n";

function reward(formulation: string, item: object, more: object = {}): number {
  const request = VerdictsRequestSchema.parse({ formulation, items: [item], ...more });
  return rewardVerdicts(request).rewards[0] as number;
}

const letter = (box: string) => reward("pair_em", { text: `${THOUGHT}${box}`, candidates: 2, correct: 1 });
const scores = (box: string, pass_rates: number[]) => reward("pair_sc", { text: `${THOUGHT}${box}`, pass_rates });
const list = (box: string) => reward("list_sc", { text: `${THOUGHT}${box}`, candidates: 3, correct: 0 });

const rewards: Figure[] = [
  ["ListEM, PairEM: right and clean", 1, letter("\\boxed{B}")],
  ["the same: wrong and clean", 0, letter("\\boxed{A}")],
  ["the same: right, with words before the box", 0, letter("Final answer: \\boxed{B}")],
  ["the same: wrong and not clean", -1, letter("No: \\boxed{A}")],
  ["PairSc: best", 4.2, scores("\\boxed{[10,4]}", [1, 0.4])],
  ["PairSc: right order, each score off by one", 3.6, scores("\\boxed{[9,5]}", [1, 0.4])],
  ["PairSc: worst", -3, scores("no box", [1, 0.4])],
  [
    "PairSc: 0.95 rounds to 10, so a tie with the right program counts as right",
    4.2,
    scores("\\boxed{[10,10]}", [1, 0.95]),
  ],
  ["ListSc: only the right program at the top, with 10", 2, list("\\boxed{[10,4,3]}")],
  ["ListSc: only the right program at the top, with less than 10", 1, list("\\boxed{[9,4,3]}")],
].map(([description, printed, computed]) => ({
  where: "section 2.3, App. B",
  description: description as string,
  printed: printed as number,
  computed: computed as number,
  digits: 2,
}));

const OVERLONG = { max_tokens: 16_384, cache_tokens: 2_048, clamp: true };

const overlong: Figure[] = [
  [14_336, 0],
  [14_337, -1 / 2_048],
  [16_384, -1],
  [20_000, -1],
].map(([length, printed]) => ({
  where: "DAPO equation 13, App. B",
  description: `soft overlong of 16,384 and 2,048 at ${length} tokens`,
  printed: printed as number,
  computed: softOverlong(length as number, OVERLONG),
  digits: 6,
}));

/** Bias influence ratios as printed in Table 7, of all twelve modifications. */
const BIASES = {
  positive: {
    external_reference: 0.73,
    self_declared_correct: 0.72,
    authority: 0.64,
    bandwagon: 0.54,
    egocentric: 0.52,
    illusory_complexity: 0.44,
  },
  negative: {
    self_declared_incorrect: 0.76,
    misleading_comments: 0.71,
    reverse_authority: 0.63,
    renamed_identifiers: 0.56,
    reverse_bandwagon: 0.53,
    minification: 0.51,
  },
} as const;

/** The three of each direction that moved verifiers most. */
export const strongestBiases = (): string[] =>
  Object.values(BIASES).flatMap((direction) =>
    Object.entries(direction)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([name]) => name),
  );

/** One text whose thoughts hold a box, as training and as evaluation read it. */
const TWO_BOXES = "<think>\nmaybe \\boxed{A}</think>\n\\boxed{B}";

const within: Figure[] = [
  {
    where: "Table of main results, random row",
    description:
      "tau-b of random verdicts, by the release's own rule (undefined counts as -1), equal mix of lengths 3 to 5",
    printed: 0,
    computed: coinMix("minus_one"),
    digits: 2,
    unlike: "dropping undefined lists, or counting them as 0, gives the printed 0.00",
  },
  {
    where: "the same row",
    description: "the same with undefined lists dropped",
    printed: 0,
    computed: coinMix("dropped"),
    digits: 2,
  },
  {
    where: "release, ranking_consistency.py",
    description: "the same rule for lists of 3 only: 2 of 8 tournaments are cyclic",
    printed: null,
    computed: coinTau(3).minus_one,
    digits: 2,
  },
  {
    where: "Table 6, ListEM from K = 1 to 8",
    description: "accuracy at K = 8 in %, if samples were independent at 80.0 % and only two answers possible",
    printed: 83,
    computed: 100 * majority(8, 0.8),
    digits: 1,
    unlike:
      "no contradiction: samples of one list fail together, so repetition helps far less than with independent samples",
  },
  {
    where: "App. B, ListSc",
    description: "wrong candidate at the top",
    printed: 0,
    computed: list("\\boxed{[4,9,3]}"),
    digits: 2,
    unlike: "the release's comment says 0 and its code gives -1; the paper states neither (option list_sc_wrong)",
  },
  {
    where: "section 2.3 and release, evaluate.py",
    description: "verdict on a text with a box in its thoughts: training and evaluation agree (1) or not (0)",
    printed: 1,
    computed: Number(strictContent(TWO_BOXES, "think") === releaseEvaluationVerdict(TWO_BOXES)),
    digits: 0,
    unlike: "training parses the text after the last </think>, evaluation the whole text: B and A",
  },
  {
    where: "Table 7",
    description: "how many of the six kept modifications are among the three strongest of their direction",
    printed: 6,
    computed: strongestBiases().length,
    digits: 0,
  },
  {
    where: "section on cost",
    description: "dollars per step of GRPO-Think-14B: 5.2 times DPO-Think-14B's 7.09",
    printed: null,
    computed: 5.2 * 7.09,
    digits: 2,
  },
  {
    where: "section on Best-of-N",
    description: "verifiers studied: seven of each of three sizes",
    printed: 21,
    computed: 3 * VERIFIERS,
    digits: 0,
  },
];

const SIZES = ["1.5B", "7B", "14B"] as const;

const proxies: Figure[] = PROXIES.flatMap(({ name, tau, identified }) => [
  ...tau.map((printed, i): Figure => {
    const { surplus = Number.NaN, ties = 0 } = tauReading(printed) ?? {};
    return {
      where: "table of proxies for Best-of-N",
      description: `${name}, tau-b at ${SIZES[i]}: ${surplus} more of 21 pairs agree than disagree${ties === 1 ? ", one tied" : ""}`,
      printed,
      computed: surplus / Math.sqrt(21 * (21 - ties)),
      digits: 2,
    };
  }),
  ...identified.map((printed, i): Figure => {
    const [level, n] = Object.entries(TOLD)[i] as [string, number];
    const count = countReading(printed, n) ?? Number.NaN;
    return {
      where: "table of proxies for Best-of-N",
      description: `${name}, comparisons identified at ${level}: ${count} of ${n}, %`,
      printed,
      computed: (100 * count) / n,
      digits: 1,
    };
  }),
]);

export const FIGURES: readonly Figure[] = [...rewards, ...overlong, ...within, ...proxies];

/** Whether a figure comes out as printed; one that is not printed cannot but do. */
export function agrees({ printed, computed, digits }: Figure): boolean {
  return printed === null ? Number.isFinite(computed) : Math.abs(printed - computed) <= 0.5 * 10 ** -digits + 1e-9;
}

/** Tables that need data which is not here, and the command that computes them for whoever has it. */
export const NOT_COMPUTED: readonly { table: string; why: string; command: string }[] = [
  {
    table: "ListAcc and tau-b of 21 verifiers on the four test sets",
    why: "needs the released verifiers on GPUs and the released lists (CC BY-NC-SA, not shipped)",
    command: "npm run evaluate -- --set DIR --target URL --adversarial kept",
  },
  {
    table: "Table 6, self-consistency from K = 1 to 8",
    why: "needs a verifier's samples",
    command: "npm run evaluate -- --set sets/small --target URL --k 1,2,4,8",
  },
  {
    table: "Table 7, bias influence ratios",
    why: "needs a verifier's verdicts before and after",
    command: "npm run evaluate -- --set sets/small --target URL --adversarial all",
  },
  {
    table: "Best-of-16 on LiveCodeBench",
    why: "needs the policy's samples and their hidden tests",
    command: "npm run lab -- testbed run --pool DIR",
  },
  {
    table: "RM-Bench of 21 verifiers",
    why: "needs the verifiers and the benchmark's rows",
    command: "npm run evaluate -- --layout rm-bench --rows FILE --target URL",
  },
  {
    table: "Themis-CodeRewardBench",
    why: "its file format is unknown",
    command: "npm run evaluate -- --layout labelled --rows FILE --target URL",
  },
  {
    table: "dollars per step of each recipe",
    why: "needs the authors' clusters; ours are computed from given prices",
    command: "npm run lab -- cost",
  },
  {
    table: "reward curves, and differences between recipes in Best-of-N points",
    why: "need training runs",
    command: "npm run lab -- trainers",
  },
];
