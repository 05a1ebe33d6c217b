// Owns the study of settings: what a trainer would choose from, with 4, 8 and 16 samples and a 7B, a
// 32B or a hosted judge, held against all pairs in both orders.
import { DEFAULT_SPEC, type NamedSchedule, type Spec } from "../../src/core/contract/spec.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { type Biases, judgesOf, USUAL } from "./accurate-judges.ts";
import { type Estimate, estimate, gain, meanOf, NOISES, TOKENS } from "./cells.ts";
import { readLists, type StudyList } from "./lists.ts";
import { type Played, play } from "./play.ts";
import { sharedAndEven } from "./step-budget.ts";
import type { Noise, Verifier } from "./verifier-model.ts";

/** A judge as it is simulated; docs/results/settings.md says where each figure is from. */
interface Simulated {
  style: Noise["style"];
  accuracy: number;
  parse_rate: number;
  biases: Biases;
  /** Of a direct judge, and of the 7B that is asked before another one. */
  sureness: number;
  /** The accuracy of the 7B that is asked before another one. */
  first: number;
}

const usual = { biases: USUAL, sureness: 1, first: 0.7 };
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
  "a better first judge",
] as const;
export type Variant = (typeof VARIANTS)[number];

/** The judge under a variant, or null where that changes nothing of it. */
function variantOf(name: JudgeName, variant: Variant): Simulated | null {
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
    "a better first judge": base.style === "direct" ? null : { first: 0.8 },
  };
  const change = changes[variant];
  return change === null ? null : { ...base, ...change };
}

/** What is written into a spec's `judge`; its reward is `auto`. */
export type Setting = Partial<Pick<Spec["judge"], "vote" | "schedule" | "both_orders" | "budget" | "first">>;

const close = (low: number, high: number): Spec["judge"]["first"] => ({
  ...{ preset: "letter-select", vote: "soft", max_tokens: 8, combine: "replace" },
  close: [low, high],
});

/** Every setting for groups of n; the first is what all others are held against. */
export function settingsFor(n: number, style: Noise["style"]): Setting[] {
  const vote = style === "direct" ? ("soft" as const) : ("majority" as const);
  const orders = (schedule: NamedSchedule): Setting[] =>
    [false, true].map((both_orders) => ({ vote, schedule, both_orders }));
  const all = (n * (n - 1)) / 2;
  const degrees = [1, 2, 3, 4, 6].filter((degree) => degree < (n - 1) / 2);
  const [one, both] = orders("round_robin") as [Setting, Setting];
  const paying = (schedule: string, ratio: number): Setting => ({
    ...{ vote, schedule },
    // A ratio is at most 1.
    budget: ratio > 1 ? { generations: Math.round(ratio * all) } : { ratio },
  });
  return [
    ...[both, one, { ...one, both_orders: "when_close" as const }],
    ...degrees.flatMap((degree) => orders({ name: "circular", degree })),
    ...[...orders("anchored"), ...orders("swiss")],
    ...[0.5, 0.75].map((ratio) => paying("active", ratio)),
    ...[0.5, 0.75, 1, 1.5].map((ratio) => paying("auto", ratio)),
    ...(style === "direct" ? [] : [close(0.2, 0.8), close(0.1, 0.9)].map((first) => ({ ...both, first }))),
  ];
}

/** What is picked: by the tokens of all pairs in both orders that it may take. */
export const PICKS = { near: 1, half: 0.51, quarter: 0.26 } as const;
export type Share = keyof typeof PICKS;
const PICK_NAMES = Object.keys(PICKS) as Share[];

export interface SettingRow {
  judge: JudgeName;
  variant: Variant;
  n: number;
  setting: Setting;
  lists: number;
  /** A group, what is asked again included; of these the first judge's. */
  generations: number;
  first: number;
  prompt_tokens: number;
  generated_tokens: number;
  waves: number;
  tau: Estimate;
  /** Less all pairs in both orders, list by list. */
  gain: Estimate;
  top_gain: Estimate;
  /** Of the judge as stated: the picks that it is, and what it gains over each. */
  picked?: readonly Share[];
  over?: Readonly<Record<Share, Estimate>>;
}

/** A judge of whose answers so many can be read, at one of the tries. */
function readable(judge: Verifier, rate: number, tries: number, seed: string): Verifier {
  return {
    ...judge,
    pair(first, second, sample) {
      const unread = createRandom(hashText(seed, "unread", first, second, sample))() < (1 - rate) ** tries;
      return { ...judge.pair(first, second, sample), ...(unread && { unread }) };
    },
  };
}

/** A group whose rewards are all equal has no order: it teaches nothing, and counts 0. */
const withTies = (played: Played): Played => ({ ...played, tau: played.tau ?? 0 });

interface Judges {
  lists: readonly StudyList[];
  judges: readonly Verifier[];
  before: readonly Verifier[];
}

function judgesFor(lists: readonly StudyList[], { style, accuracy, biases, sureness, first }: Simulated): Judges {
  const judges = judgesOf(lists, { style, accuracy, biases, sureness, name: "judge" });
  const direct = { style: "direct", accuracy: first, biases, sureness, name: "first" } as const;
  return { lists, judges, before: style === "direct" ? judges : judgesOf(lists, direct) };
}

function playedOf({ lists, judges, before }: Judges, { parse_rate }: Simulated, setting: Setting): Played[] {
  // A budget pays what is asked again and asks it itself.
  const tries = setting.budget === undefined ? 2 : 1;
  const way = { name: "", judge: { ...DEFAULT_SPEC.judge, ...setting }, score: "auto" };
  return lists.map((list, k) => {
    const seed = `${list.problem} ${k}`;
    const [judge, first] = [judges[k] as Verifier, before[k] as Verifier];
    const asked = readable(judge, parse_rate, tries, seed);
    return withTies(play(list, asked, way, k, () => 0, readable(first, parse_rate, 1, `${seed} first`)));
  });
}

function costOf(played: readonly Played[], { style, parse_rate }: Simulated, { budget }: Setting) {
  const first = meanOf(played, "first");
  const own = (meanOf(played, "generations") - first) * (budget === undefined ? 2 - parse_rate : 1);
  const { rules, candidate, completion } = TOKENS[style];
  return {
    ...{ generations: own + first, first, waves: meanOf(played, "waves") },
    prompt_tokens: (own + first) * (rules + 2 * candidate),
    generated_tokens: own * completion + first * TOKENS.direct.completion,
  };
}

/** Below all pairs in both orders by so much at most, with 97.5 % certainty. */
export const NEAR_ENOUGH = 0.02;

/** All tokens that a setting takes. */
export const tokensOf = (row: SettingRow): number => row.prompt_tokens + row.generated_tokens;

type PlayedRow = { row: SettingRow; played: readonly Played[] };

/**
 * By the lists that are even in number, without a first judge. `near`: the fewest tokens of what
 * comes near enough to all pairs in both orders; the others: the most tau-b for at most their share
 * of its tokens.
 */
function pickOf(pick: Share, rows: readonly PlayedRow[]): number {
  const even = (played: readonly Played[]) => played.filter((_, k) => k % 2 === 0);
  const [reference] = rows as [PlayedRow];
  const known = rows.map(({ row, played }, k) => {
    const { mean, ci95 } = gain(even(played), even(reference.played), "tau");
    return { k, row, mean: mean ?? -1, low: ci95?.[0] ?? -1, tokens: tokensOf(row) };
  });
  const able = known.filter(
    ({ k, row, low, tokens }) =>
      row.setting.first === undefined &&
      (pick === "near" ? k === 0 || low >= -NEAR_ENOUGH : tokens <= PICKS[pick] * tokensOf(reference.row)),
  );
  return able.sort((a, b) => (pick === "near" ? a.tokens - b.tokens : b.mean - a.mean))[0]?.k ?? 0;
}

export interface SettingsPlan {
  set: string;
  sizes: readonly number[];
  /** Lists of every problem of the largest groups; of smaller ones as many more as they are smaller. */
  draws: number;
  /** The same for a judge that is varied. */
  varied: number;
}

const listsFor = ({ set, sizes }: SettingsPlan, n: number, draws: number) =>
  readLists(set, n, Math.round((draws * Math.max(...sizes)) / n));

/** Every setting of every judge and variant; what is told of a judge as stated is of the other lists. */
export function settingRows(
  plan: SettingsPlan,
  onCell: (rows: readonly [SettingRow, ...SettingRow[]]) => void,
): SettingRow[] {
  return plan.sizes.flatMap((n) =>
    JUDGE_NAMES.flatMap((judge) =>
      VARIANTS.flatMap((variant): SettingRow[] => {
        const simulated = variantOf(judge, variant);
        if (simulated === null) return [];
        const stated = variant === "as stated";
        const lists = listsFor(plan, n, stated ? plan.draws : plan.varied);
        const rows = rowsOf({ judge, variant, n }, simulated, lists, stated);
        onCell(rows as [SettingRow, ...SettingRow[]]);
        return rows;
      }),
    ),
  );
}

function rowsOf(
  about: { judge: JudgeName; variant: Variant; n: number },
  simulated: Simulated,
  lists: readonly StudyList[],
  picking: boolean,
): SettingRow[] {
  const judges = judgesFor(lists, simulated);
  const settings = settingsFor(about.n, simulated.style);
  const all = settings.map((setting) => ({ setting, played: playedOf(judges, simulated, setting) }));
  const told = (played: readonly Played[]) => (picking ? played.filter((_, k) => k % 2 === 1) : played);
  const reference = told(all[0]?.played ?? []);
  const rows = all.map(({ setting, played }) => {
    const own = told(played);
    const row: SettingRow = {
      ...{ ...about, setting, lists: own.length, ...costOf(own, simulated, setting) },
      tau: estimate(own, ({ tau }) => tau),
      ...{ gain: gain(own, reference, "tau"), top_gain: gain(own, reference, "top") },
    };
    return { row, played };
  });
  if (!picking) return rows.map(({ row }) => row);
  const picks = PICK_NAMES.map((pick) => [pick, pickOf(pick, rows)] as const);
  const over = (played: readonly Played[], at: number) => gain(told(played), told(all[at]?.played ?? []), "tau");
  return rows.map(({ row, played }, k) => ({
    ...row,
    picked: picks.flatMap(([pick, at]) => (at === k ? [pick] : [])),
    over: Object.fromEntries(picks.map(([pick, at]) => [pick, over(played, at)])) as Record<Share, Estimate>,
  }));
}

export interface SharedRow extends ReturnType<typeof sharedAndEven> {
  judge: JudgeName;
  n: number;
}

/** What `step_budget` gains over the same generations split evenly, six of ten of all pairs. */
export function sharedRows(plan: SettingsPlan): SharedRow[] {
  return plan.sizes.flatMap((n) =>
    JUDGE_NAMES.map((judge) => {
      const stated: Simulated = BASE[judge];
      const lists = listsFor(plan, n, plan.varied);
      const generations = Math.max(n, Math.round(0.3 * n * (n - 1)));
      const vote = stated.style === "direct" ? "soft" : "hard";
      const { judges } = judgesFor(lists, stated);
      return { judge, n, ...sharedAndEven(lists, judges, vote, generations) };
    }),
  );
}
