// The ways to pick a program of a list by its form alone, and how often each finds the right one. Pure; knows
// no split and no cell.
import { mean } from "../../../src/core/math/stats.ts";
import { createDistances } from "./likeness.ts";

/**
 * Whoever judges by one of these reads no program. `central`: least total token distance to the
 * others; mutants all come from the right program. `longest`, `shortest`: characters; many mistakes
 * leave something out.
 */
export const SHORTCUTS = ["central", "longest", "shortest"] as const;
export type Shortcut = (typeof SHORTCUTS)[number];

/** For each shortcut the chance that it picks the right program of a list; ties by lot. */
export type Credits = Record<Shortcut, number>;

interface Member {
  candidate_id: string;
  code: string;
  pass_rate: number | null;
}

/**
 * The chance that whoever takes the item of the greatest appeal (ties by lot) takes the one at
 * `right`.
 */
export function pickCredit(appeals: readonly number[], right: number): number {
  const max = Math.max(...appeals);
  return appeals[right] === max ? 1 / appeals.filter((appeal) => appeal === max).length : 0;
}

/**
 * Credits of lists with exactly one program of pass rate 1. Distances between programs are computed
 * once, by their ids.
 */
export function createCredits(): (members: readonly Member[]) => Credits {
  const between = createDistances();
  return (members) => {
    const right = members.findIndex(({ pass_rate }) => pass_rate === 1);
    const programs = members.map(({ candidate_id, code }) => ({ id: candidate_id, code }));
    const nearness = programs.map((a) => -programs.reduce((sum, b) => sum + (a === b ? 0 : between(a, b)), 0));
    const lengths = programs.map(({ code }) => code.length);
    return {
      central: pickCredit(nearness, right),
      longest: pickCredit(lengths, right),
      shortest: pickCredit(
        lengths.map((length) => -length),
        right,
      ),
    };
  };
}

/** A shortcut may be right more often than chance by so much before a set counts as unbalanced. */
const EXCESS_MAX = 0.03;
/**
 * And by this many standard errors of blind picks (5 % one-sided), for in a handful of lists any pick may be
 * lucky.
 */
const ERRORS_MAX = 1.645;

/**
 * The shortcuts by which whoever reads no program beats chance on these lists, each as a line for
 * people.
 */
export function shortcutFaults(lists: readonly { candidates: readonly Member[] }[]): string[] {
  const found = shortcutAccuracy(lists);
  if (found === null) return [];
  const variance = lists.reduce((sum, { candidates: { length } }) => sum + (1 / length) * (1 - 1 / length), 0);
  const threshold = Math.max(EXCESS_MAX, (ERRORS_MAX * Math.sqrt(variance)) / lists.length);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return SHORTCUTS.filter((shortcut) => found.accuracy[shortcut] - found.chance > threshold).map(
    (shortcut) =>
      `the ${shortcut} program is the right one in ${percent(found.accuracy[shortcut])} of lists, against ${percent(found.chance)} by chance: build with more candidates or fewer lists per cell`,
  );
}

/**
 * How often a blind pick finds the right program of these lists, and how often each shortcut does.
 * Null without lists.
 */
export function shortcutAccuracy(
  lists: readonly { candidates: readonly Member[] }[],
): { chance: number; accuracy: Credits } | null {
  if (lists.length === 0) return null;
  const creditsOf = createCredits();
  const credits = lists.map(({ candidates }) => creditsOf(candidates));
  const meanCredit = (shortcut: Shortcut): number => mean(credits.map((each) => each[shortcut]));
  return {
    chance: mean(lists.map(({ candidates }) => 1 / candidates.length)),
    accuracy: { central: meanCredit("central"), longest: meanCredit("longest"), shortest: meanCredit("shortest") },
  };
}
