// The study of settings: each of them played by each judge, held against all pairs in both orders, and the
// ones that are picked.
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean } from "../../src/core/math/stats.ts";
import { judgesOf } from "./accurate-judges.ts";
import { type Estimate, estimate, gain, meanOf, TOKENS } from "./cells.ts";
import { readLists, type StudyList } from "./lists.ts";
import { type Played, play } from "./play.ts";
import {
  JUDGE_NAMES,
  type JudgeName,
  type Setting,
  type Simulated,
  settingsFor,
  VARIANTS,
  type Variant,
  variantOf,
} from "./settings.ts";
import type { Verifier } from "./verifier-model.ts";

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
  /** A group, what is asked again included. */
  generations: number;
  prompt_tokens: number;
  generated_tokens: number;
  waves: number;
  tau: Estimate;
  /** Less all pairs in both orders, list by list. */
  gain: Estimate;
  top_gain: Estimate;
  /** For the judge as stated: the picks that it is, and what it gains over each. */
  picked?: readonly Share[];
  over?: Readonly<Record<Share, Estimate>>;
}

/** A judge with this readable share of answers, at one of the tries. */
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
}

function judgesFor(lists: readonly StudyList[], { style, accuracy, biases, sureness }: Simulated): Judges {
  return { lists, judges: judgesOf(lists, { style, accuracy, biases, sureness, name: "judge" }) };
}

function playedOf({ lists, judges }: Judges, { parse_rate }: Simulated, setting: Setting): Played[] {
  // A budget pays what is asked again and asks it itself.
  const tries = setting.budget === undefined ? 2 : 1;
  const way = { name: "", judge: { ...DEFAULT_SPEC.judge, ...setting }, score: "auto" };
  return lists.map((list, k) => {
    const seed = `${list.problem} ${k}`;
    const asked = readable(judges[k] as Verifier, parse_rate, tries, seed);
    return withTies(play(list, asked, way, k, () => 0));
  });
}

function costOf(played: readonly Played[], { style, parse_rate }: Simulated, { budget }: Setting) {
  const generations = meanOf(played, "generations") * (budget === undefined ? 2 - parse_rate : 1);
  const { rules, candidate, completion } = TOKENS[style];
  return {
    generations,
    waves: meanOf(played, "waves"),
    prompt_tokens: generations * (rules + 2 * candidate),
    generated_tokens: generations * completion,
  };
}

/** For the judge as stated: below all pairs in both orders by this much at most, with 97.5 % certainty. */
export const NEAR_ENOUGH = 0.02;
/** For the judge as it is varied: by this much at most, on average over its lists. */
export const STILL_NEAR = 0.03;

/** All tokens that a setting takes. */
export const tokensOf = (row: SettingRow): number => row.prompt_tokens + row.generated_tokens;

type PlayedRow = { row: SettingRow; played: readonly Played[] };

/** Settings that cost a tenth more at most count as equally dear. */
const AS_DEAR = 1.1;
export const isAsDear = (row: SettingRow, as: SettingRow): boolean => tokensOf(row) <= AS_DEAR * tokensOf(as);

/**
 * By the lists that are even in number and the judge's variants. `near`: the fewest tokens of what comes near
 * to all pairs in both orders, on the other lists as well, or what is as dear, waits less and is not shown to
 * be worse; the others: for at most their share of its tokens, the most tau-b over all variants.
 * @param varied gains under each variant, of settings in the same order
 */
function pickOf(pick: Share, rows: readonly PlayedRow[], varied: readonly (readonly number[])[]): PlayedRow {
  const even = (played: readonly Played[]) => played.filter((_, k) => k % 2 === 0);
  const over = (playedRow: PlayedRow, other: PlayedRow) => gain(even(playedRow.played), even(other.played), "tau");
  const [reference] = rows as [PlayedRow];
  const known = rows.map((playedRow, k) => {
    const { row } = playedRow;
    const stated = over(playedRow, reference);
    const gains = varied.map((variantGains) => variantGains[k] as number);
    const lows = [stated, row.gain].map(({ ci95 }) => ci95?.[0] ?? -1);
    const near = Math.min(...lows) >= -NEAR_ENOUGH && gains.every((value) => value >= -STILL_NEAR);
    return { ...playedRow, near: k === 0 || near, mean: mean([stated.mean ?? -1, ...gains]) };
  });
  const able = known.filter(({ row, near }) =>
    pick === "near" ? near : tokensOf(row) <= PICKS[pick] * tokensOf(reference.row),
  );
  const best = able.sort((a, b) => (pick === "near" ? tokensOf(a.row) - tokensOf(b.row) : b.mean - a.mean))[0];
  if (best === undefined) return reference;
  if (pick !== "near") return best;
  const alike = able.filter(
    (playedRow) => isAsDear(playedRow.row, best.row) && (over(playedRow, best).ci95?.[1] ?? -1) >= 0,
  );
  return alike.sort((a, b) => a.row.waves - b.row.waves || tokensOf(a.row) - tokensOf(b.row))[0] ?? best;
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

/** Every setting of every judge and variant; the figures of a judge as stated are of the other lists. */
export function settingRows(
  plan: SettingsPlan,
  onCell: (rows: readonly [SettingRow, ...SettingRow[]]) => void,
): SettingRow[] {
  return plan.sizes.flatMap((n) =>
    JUDGE_NAMES.flatMap((judge) => {
      const varied = VARIANTS.flatMap((variant) => {
        const simulated = variantOf(judge, variant);
        if (variant === "as stated" || simulated === null) return [];
        const rows = playedRows({ judge, variant, n }, simulated, listsFor(plan, n, plan.varied)).map(({ row }) => row);
        onCell(rows as [SettingRow, ...SettingRow[]]);
        return [rows];
      });
      const simulated = variantOf(judge, "as stated") as Simulated;
      const lists = listsFor(plan, n, plan.draws);
      const gains = varied.map((rows) => rows.map((row) => row.gain.mean ?? -1));
      const stated = pickedRows(playedRows({ judge, variant: "as stated", n }, simulated, lists, odd), gains);
      onCell(stated as [SettingRow, ...SettingRow[]]);
      return [...stated, ...varied.flat()];
    }),
  );
}

/** The odd ones of lists whose even ones picked. */
const odd = (played: readonly Played[]) => played.filter((_, k) => k % 2 === 1);

/** @param select the lists whose figures are shown: of those played all, unless some picked */
function playedRows(
  conditions: Pick<SettingRow, "judge" | "variant" | "n">,
  simulated: Simulated,
  lists: readonly StudyList[],
  select: (played: readonly Played[]) => readonly Played[] = (played) => played,
): PlayedRow[] {
  const judges = judgesFor(lists, simulated);
  const settings = settingsFor(conditions.n, simulated.style);
  const all = settings.map((setting) => ({ setting, played: playedOf(judges, simulated, setting) }));
  const reference = select(all[0]?.played ?? []);
  return all.map(({ setting, played }) => {
    const selected = select(played);
    const row = {
      ...{ ...conditions, setting, lists: selected.length, ...costOf(selected, simulated, setting) },
      tau: estimate(selected, ({ tau }) => tau),
      ...{ gain: gain(selected, reference, "tau"), top_gain: gain(selected, reference, "top") },
    };
    return { row, played };
  });
}

function pickedRows(rows: readonly PlayedRow[], varied: readonly (readonly number[])[]): SettingRow[] {
  const picks = PICK_NAMES.map((pick) => [pick, pickOf(pick, rows, varied)] as const);
  return rows.map(({ row, played }) => ({
    ...row,
    picked: picks.flatMap(([pick, pickedRow]) => (pickedRow.row === row ? [pick] : [])),
    over: Object.fromEntries(
      picks.map(([pick, pickedRow]) => [pick, gain(odd(played), odd(pickedRow.played), "tau")]),
    ) as Record<Share, Estimate>,
  }));
}
