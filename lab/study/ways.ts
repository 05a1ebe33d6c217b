// The ways of asking that the study compares: judge settings and the score that orders.
import type { JudgeSettings, NamedSchedule } from "../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";

export type Vote = "soft" | "hard";

export interface Way {
  name: string;
  judge: JudgeSettings;
  /** By which candidates are ordered: a score's name. */
  score: string;
  /** The way that all others are compared with: all pairs, both orders, four votes each. */
  reference?: true;
  /** Draws an order without questions: the others are worth more. */
  random?: true;
  /** Reported under every score. */
  everyScore?: true;
  /** The name of a way that spends as much, with which this one is compared. */
  against?: string;
}

const SOFT = "soft" as "majority";

function way(name: string, schedule: NamedSchedule, more: Partial<JudgeSettings> = {}, score = "strength"): Way {
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
    { ...way(named("active, half the pairs"), "active", { ...base, budget: { ratio: 0.5 } }) },
    {
      ...way(named("active, a quarter"), "active", { ...base, budget: { ratio: 0.25 } }),
      everyScore: true,
    },
  ];
}

/** The arm of chance. */
export const RANDOM: Way = { ...way("random", "round_robin"), random: true };

/** Shares of all pairs that a budget pays, beside the n - 1 pairs that are the least. */
const SHARES = [0.25, 0.5, 0.75, 1, 1.5, 2, 4];

/** Round robin under budgets, of which what is left after all pairs goes to orders, then to samples. */
function budgeted(vote: Vote, n: number): Way[] {
  const base = vote === "soft" ? { vote: SOFT } : {};
  const all = (n * (n - 1)) / 2;
  const counts = [n - 1, ...SHARES.map((share) => Math.round(share * all)).filter((count) => count > n - 1)];
  return counts.map((count) => {
    const times = Math.floor(count / all);
    const whole = times < 2 ? {} : { both_orders: true, samples: times >> 1 };
    return way(`round robin, ${count} paid, ${vote}`, "round_robin", { ...base, ...whole, ...paying(count) }, "auto");
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
        against: other,
      },
    ];
  });
}

/** Ways for votes alone: samples until sure, and lists. */
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
