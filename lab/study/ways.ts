// Owns the ways of asking that the study compares: judge settings and the score that orders.
import { DEFAULT_SPEC, type NamedSchedule, type Spec } from "../../src/core/contract/spec.ts";

export type Vote = "soft" | "hard";

export interface Way {
  name: string;
  judge: Spec["judge"];
  /** By which candidates are ordered: a score's name. */
  score: string;
  /** What all others are compared with: all pairs, both orders, four votes each. */
  reference?: true;
  /** Chosen by `auto`: held against the front of all others. */
  auto?: true;
  /** Asks nobody and draws an order: what the others are worth more than. */
  random?: true;
  /** Reported under every score. */
  everyScore?: true;
  /** The way that spends as much, by its name, and what the two show. */
  against?: { way: string; shows: Question };
}

/** What pairs of ways at the same tokens answer. */
export const QUESTIONS = {
  budget: "`auto` against round robin under the same budget",
  regular: "The random regular graph with strength against anchored at the same tokens",
} as const;
export type Question = keyof typeof QUESTIONS;

const SOFT = "soft" as "majority";

function way(name: string, schedule: NamedSchedule, more: Partial<Spec["judge"]> = {}, score = "strength"): Way {
  return { name, judge: { ...DEFAULT_SPEC.judge, schedule, ...more }, score };
}

const ring = (degree: number): NamedSchedule => ({ name: "circular", degree });
const paying = (generations: number) => ({ budget: { generations } });

/** All pairs and rings; each ring of rings is a regular graph, its distances chosen. */
function fixed(vote: Vote, n: number): Way[] {
  const base = vote === "soft" ? { vote: SOFT } : {};
  const both = { ...base, both_orders: true };
  const named = (name: string) => `${name}, ${vote}`;
  const degrees = [1, 2, 3, 4, 6].filter((degree) => degree < (n - 1) / 2);
  return [
    { ...way(named("round robin"), "round_robin", base, "soft"), everyScore: true },
    way(named("round robin, both orders"), "round_robin", both, "soft"),
    way(named("round robin, when close"), "round_robin", { ...base, both_orders: "when_close" }, "soft"),
    ...degrees.flatMap((degree): Way[] => [
      { ...way(named(`circular ${degree}`), ring(degree), base), ...(degree === 3 && { everyScore: true }) },
      way(named(`circular ${degree}, both orders`), ring(degree), both),
    ]),
    { ...way(named("anchored"), "anchored", base, "soft"), everyScore: true },
    way(named("anchored, both orders"), "anchored", both, "soft"),
    way(named("pivot"), "pivot", base),
    { ...way(named("swiss"), "swiss", base), everyScore: true },
    way(named("swiss, both orders"), "swiss", both),
    { ...way(named("knockout"), "knockout", base), everyScore: true },
    { ...way(named("active, half the pairs"), { name: "active", sure: 1 }, { ...base, budget: { ratio: 0.5 } }) },
    {
      ...way(named("active, a quarter"), { name: "active", sure: 1 }, { ...base, budget: { ratio: 0.25 } }),
      everyScore: true,
    },
    way(named("winner"), "winner", base, "wins"),
    way(named("auto until the best is sure (0.9)"), { name: "auto", order_confidence: 0.9 }, base, "auto"),
  ];
}

/** The arm of chance. */
export const RANDOM: Way = { ...way("random", "round_robin"), random: true };

/** Shares of all pairs that a budget pays, beside the n - 1 pairs that are the least. */
const SHARES = [0.25, 0.5, 0.75, 1, 1.5, 2, 4];

/**
 * `auto` and round robin under the same budgets. A round robin spends what is left as auto may: on
 * orders, then samples.
 */
function budgeted(vote: Vote, n: number): Way[] {
  const base = vote === "soft" ? { vote: SOFT } : {};
  const all = (n * (n - 1)) / 2;
  const counts = [n - 1, ...SHARES.map((share) => Math.round(share * all)).filter((count) => count > n - 1)];
  return counts.flatMap((count) => {
    const times = Math.floor(count / all);
    const whole = times < 2 ? {} : { both_orders: true, samples: times >> 1 };
    const other = `round robin, ${count} paid, ${vote}`;
    return [
      way(other, "round_robin", { ...base, ...whole, ...paying(count) }, "auto"),
      {
        ...way(`auto, ${count} paid, ${vote}`, "auto", { ...base, ...paying(count) }, "auto"),
        auto: true as const,
        against: { way: other, shows: "budget" as const },
      },
    ];
  });
}

/**
 * A regular graph and anchored, to the generation as dear: both orders and samples take anchored to
 * 2, 4 and 8 times n - 1.
 */
function regular(vote: Vote, n: number): Way[] {
  const base = vote === "soft" ? { vote: SOFT } : {};
  return [1, 2, 4, 8].flatMap((times): Way[] => {
    const count = times * (n - 1);
    const degree = Math.ceil(count / n);
    if (degree >= (n - 1) / 2) return [];
    const more = times === 1 ? {} : { both_orders: true, samples: times / 2 };
    const other = `anchored, ${count} paid, ${vote}`;
    return [
      way(other, "anchored", { ...base, ...more }, "soft"),
      {
        ...way(`regular graph, ${count} paid, ${vote}`, ring(degree), { ...base, ...paying(count) }),
        against: { way: other, shows: "regular" },
      },
    ];
  });
}

/** Of votes alone: samples until sure, and lists. */
const VOTED: Way[] = [
  way(
    "round robin, samples until sure, hard",
    "round_robin",
    { samples: { min: 2, max: 4, stop: "confidence", confidence: 0.85 } },
    "soft",
  ),
  ...[4, 5].flatMap((size) =>
    [1, 2].map((cover) =>
      way(
        `blocks of ${size}${cover > 1 ? ` x ${cover}` : ""}, hard`,
        { name: "blocks", size, cover },
        { mode: "listwise" },
        "soft",
      ),
    ),
  ),
];

/** Every way for lists of n; the first is the reference. */
export function waysFor(n: number, votes: readonly Vote[] = ["soft", "hard"]): Way[] {
  const reference: Way = {
    ...way("round robin, both orders x 4", "round_robin", { both_orders: true, samples: 4 }, "soft"),
    reference: true,
  };
  const each = votes.flatMap((vote) => [...fixed(vote, n), ...budgeted(vote, n), ...regular(vote, n)]);
  return [reference, ...each, ...(votes.includes("hard") ? VOTED : [])];
}

/** What a study of `auto` alone plays: its budgets, round robin at the same, and fixed ways of each kind. */
export function ofAuto({ name, auto, everyScore }: Way): boolean {
  const fixed = ["anchored", "circular 1", "circular 3", "circular 6", "swiss", "round robin", "active", "winner"];
  const kind = fixed.some((one) => name.startsWith(one)) && !name.includes("regular");
  return auto === true || everyScore === true || kind;
}
