// Defines what the study of settings goes through: judges of three kinds, how each is varied, and the
// settings that a trainer would choose from.
import type { JudgeSettings, NamedSchedule } from "../../src/core/contract/judge-settings.ts";
import { type Biases, USUAL } from "./accurate-judges.ts";
import { NOISES } from "./cells.ts";
import type { Noise } from "./verifier-model.ts";

/** A judge as it is simulated; lab/results/settings.md says where each figure is from. */
export interface Simulated {
  style: Noise["style"];
  accuracy: number;
  parse_rate: number;
  biases: Biases;
  /** How far a direct judge's log-odds are from the right ones: 1 is calibrated, 3 three times too sure. */
  sureness: number;
}

const usual = { biases: USUAL, sureness: 1 };
const BASE = {
  "7B": { ...usual, style: "direct", accuracy: 0.7, parse_rate: 0.97 },
  "32B": { ...usual, style: "thinking", accuracy: 0.84, parse_rate: 0.99 },
  hosted: { ...usual, style: "thinking", accuracy: 0.85, parse_rate: 0.99 },
} as const satisfies Record<string, Simulated>;
export type JudgeName = keyof typeof BASE;
export const JUDGE_NAMES = Object.keys(BASE) as JudgeName[];

/** The lowest and the highest of what is published of a judge's kind. */
const RANGE: Record<JudgeName, readonly [number, number]> = {
  "7B": [0.66, 0.85],
  "32B": [0.7, 0.91],
  hosted: [0.725, 0.93],
};

/** What is varied of a judge; the first is the judge as stated. */
export const VARIANTS = [
  "as stated",
  "accuracy at its lowest",
  "accuracy at its highest",
  "strong pair bias",
  "strong position bias",
  "one answer in ten unreadable",
  "letters surer than right",
] as const;
export type Variant = (typeof VARIANTS)[number];

/** The judge under a variant, or null where that changes nothing of it. */
export function variantOf(name: JudgeName, variant: Variant): Simulated | null {
  const base: Simulated = BASE[name];
  const [lowest, highest] = RANGE[name];
  const changes: Record<Variant, Partial<Simulated> | null> = {
    "as stated": {},
    "accuracy at its lowest": { accuracy: lowest },
    "accuracy at its highest": { accuracy: highest },
    "strong pair bias": { biases: { ...USUAL, ...NOISES["strong pair bias"] } },
    "strong position bias": { biases: { ...USUAL, ...NOISES["strong position bias"] } },
    "one answer in ten unreadable": { parse_rate: 0.9 },
    "letters surer than right": { sureness: 3 },
  };
  const change = changes[variant];
  return change === null ? null : { ...base, ...change };
}

/** What is written into a spec's `judge`; its reward is `auto`. */
export type Setting = Partial<Pick<JudgeSettings, "vote" | "schedule" | "both_orders" | "budget">>;

/** Every setting for groups of n; the first is what all others are held against. */
export function settingsFor(n: number, style: Noise["style"]): Setting[] {
  const vote = style === "direct" ? ("soft" as const) : ("majority" as const);
  const orders = (schedule: NamedSchedule): Setting[] =>
    [false, true].map((both_orders) => ({ vote, schedule, both_orders }));
  const all = (n * (n - 1)) / 2;
  const degrees = [1, 2, 3, 4, 6].filter((degree) => degree < (n - 1) / 2);
  const [single, both] = orders("round_robin") as [Setting, Setting];
  const paying = (schedule: string, ratio: number): Setting => ({
    ...{ vote, schedule },
    // A ratio is at most 1.
    budget: ratio > 1 ? { generations: Math.round(ratio * all) } : { ratio },
  });
  return [
    ...[both, single, { ...single, both_orders: "when_close" as const }],
    ...degrees.flatMap((degree) => orders({ name: "circular", degree })),
    ...[...orders("anchored"), ...orders("swiss")],
    ...[0.5, 0.75].map((ratio) => paying("active", ratio)),
  ];
}
