// Attacks on signals without questions: answers whose signs another form would make the right ones, texts
// that cannot be read in place of a loss, numbers that overflow.
import type { Attack, AttackClass } from "../material/attack.ts";

const boxed = (answers: readonly string[]): Attack[] =>
  answers.map((answer) => ({
    name: answer.length > 40 ? `${answer.slice(0, 12)}.. (${answer.length})` : answer,
    rollout: `\\boxed{${answer}}`,
  }));

export const superscripts: AttackClass = {
  name: "superscripts",
  description:
    "a wrong answer that equals the right one if superscripts, subscripts and fractions are read as plain digits",
  decided_by: "kritai",
  verifiers: ["gullible"],
  spec: { signals: { right: { kind: "reference" } }, reward: "coalesce(right, 0)" },
  group: {
    reference: [
      "10²",
      "2³",
      "3×10⁸",
      "10⁻³",
      "log₂8",
      "x²+1",
      "2**10",
      "5½",
      "H₂O",
      "½³",
      "①②",
      "Ⅳ",
      "7⁰",
      "0,125",
      "9º",
      "1⅒",
    ],
  },
  clean: "\\boxed{7}",
  neighbours: ["\\boxed{100}", "\\boxed{5.5}", "\\boxed{0.001}"],
  attacks: boxed([
    ...[
      "102",
      "23",
      "3×108",
      "3108",
      "10-3",
      "log28",
      "x2+1",
      "2 10",
      "210",
      "51/2",
      "51⁄2",
      "H2O",
      "1⁄23",
      "12",
      "(1)(2)",
    ],
    ...[
      "IV",
      "70",
      "125",
      "9o",
      "90",
      "11⁄10",
      "10₂",
      "2₃",
      "１０２",
      "５１/２",
      "𝟏𝟎𝟐",
      "10 2",
      "\\(102\\)",
      "**102**",
    ],
  ]),
};

const LONG = "x".repeat(9_000);

/** Every class of these has lost without the attack. */
const unreadable = {
  decided_by: "kritai",
  verifiers: ["gullible"],
  null_is_through: true,
} as const;

export const unreadableAnswers: AttackClass = {
  ...unreadable,
  name: "turned into null: answers",
  description: "a wrong answer hidden in an unreadable box",
  spec: { signals: { right: { kind: "reference" } } },
  group: { reference: "42" },
  clean: "\\boxed{41}",
  neighbours: ["\\boxed{42}"],
  attacks: [
    ...boxed([
      "",
      " ",
      "{}",
      "$$",
      "...",
      "???",
      "--",
      "\\ ",
      "\\,",
      LONG,
      "?".repeat(1_100),
      `41${"+0".repeat(600)}`,
      "41 ".repeat(4_000),
    ]),
    { name: "no box", rollout: "It is 41." },
    { name: "a box that does not end", rollout: "\\boxed{41" },
    { name: "a thought that does not end", rollout: "<think>\\boxed{41}" },
    { name: "nothing", rollout: "" },
  ],
};

export const unreadableTexts: AttackClass = {
  ...unreadable,
  name: "turned into null: similarity",
  description: "a dissimilar text that is empty or too long to be compared",
  spec: {
    signals: {
      like: { kind: "text_similarity", evaluation_metric: "fuzzy_match" },
    } as never,
  },
  group: { reference: "right" },
  clean: "no",
  neighbours: ["right"],
  attacks: ["", LONG, "x".repeat(500_000)].map((rollout, i) => ({ name: `${i}: ${rollout.slice(0, 16)}`, rollout })),
};

export const unreadableSteps: AttackClass = {
  ...unreadable,
  name: "turned into null: steps",
  description: "a wrong solution that cannot be split into steps",
  spec: { signals: { steps: { kind: "steps" } } },
  facts: { step_scores: [0.9, 0] },
  clean: "1 + 1 = 3",
  neighbours: ["1 + 1 = 2"],
  attacks: [{ name: "no step", rollout: "3", facts: { step_scores: [] } }],
};

export const nonFinite: AttackClass = {
  name: "non-finite",
  description: "a length whose powers overflow to infinity, which would be the highest value",
  decided_by: "kritai",
  verifiers: ["gullible"],
  spec: {
    signals: { right: { kind: "reference" } },
    reward: "0.1 * (sigmoid(length ^ 60 - 1e300) + rank(length ^ 60) + if(length ^ 60 - length ^ 60, 1, 0)) + right",
  },
  group: { reference: "42" },
  facts: { length_tokens: 10 },
  clean: "\\boxed{41}",
  neighbours: ["\\boxed{42}"],
  attacks: [200_000, 1_000_000, 9_999_999].map((length_tokens) => ({
    name: `${length_tokens} tokens`,
    rollout: "\\boxed{41}",
    facts: { length_tokens },
  })),
};
