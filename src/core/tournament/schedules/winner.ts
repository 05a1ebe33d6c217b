// Owns the schedule `winner`: asks until nothing left can change who has the most wins.
import * as z from "zod";
import { allPairs, type Match, type Outcomes, type Schedule, type ScheduleInput } from "./schedule.ts";

const SETTINGS = z.strictObject({});

/**
 * So many of those that lead and have all met each other meet everyone left to them in one wave.
 */
const LEADERS = 2;
/**
 * A wave of leaders among themselves is filled up to so many pairs a candidate with what the first
 * leader is asked next unless it loses: a fifth fewer waves for a fiftieth more pairs.
 */
const AHEAD_SHARE = 1 / 4;

/**
 * A seeded ring; then in waves those who can still have the most wins against each other, then the
 * leaders against everyone left to them; until all others are out: one is out when somebody
 * all of whose pairs are decided has more wins than it can still reach. A pair of two that are out
 * is not asked, so `top1` and `selected` are those of all pairs (the Copeland winner; duplicates
 * count as often as they stand there).
 */
export const winner: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  endsOf: "early_stop",
  byWins: true,
  most: allPairs,
  *waves(field) {
    const { order } = field;
    const n = order.length;
    if (n < 2) return undefined;
    const asked = new Set<string>();
    let wave: Match[] = order.map((a, t): Match => [a, order[(t + 1) % n] as number]);
    for (;;) {
      for (const [i, j] of wave) asked.add(`${i},${j}`).add(`${j},${i}`);
      const outcomes: Outcomes = yield wave;
      const { table, bar } = standingOf(field, outcomes);
      const left = (i: number) => order.filter((j) => j !== i && !asked.has(`${i},${j}`));
      const open = table.filter(({ i, most }) => most >= bar && left(i).length > 0);
      if (open.length === 0) return undefined;
      const top = Math.max(...open.map(({ most }) => most));
      const leaders = open.filter(({ most }) => most === top).map(({ i }) => i);
      const among = newPairs(leaders, (a, b) => asked.has(`${a},${b}`));
      const onto = leaders.slice(0, LEADERS).flatMap((i) => strongest(left(i), table).map((j): Match => [i, j]));
      const ahead = Math.max(0, Math.floor(AHEAD_SHARE * n) - among.length);
      wave = among.length > 0 ? [...among, ...onto.slice(0, ahead)] : onto;
    }
  },
};

/** Those first who can still have the most wins: they say soonest whether a leader stays one. */
function strongest(line: readonly number[], table: readonly { i: number; most: number }[]): number[] {
  const most = new Map(table.map((row) => [row.i, row.most]));
  return [...line].sort((a, b) => (most.get(b) as number) - (most.get(a) as number));
}

/** Those who have not met, two by two, nobody twice. */
function newPairs(line: readonly number[], before: (a: number, b: number) => boolean): Match[] {
  const open = [...line];
  const pairs: Match[] = [];
  for (let a = open.shift(); a !== undefined; a = open.shift()) {
    const at = open.findIndex((b) => !before(a as number, b));
    if (at >= 0) pairs.push([a, open.splice(at, 1)[0] as number]);
  }
  return pairs;
}

/**
 * What each has and can reach, and the most wins of one all of whose pairs are decided: who cannot
 * reach these is out. More outcomes only raise the bar and lower what is in reach; a pair of two
 * who are out does neither for anybody else, since who is out sets no bar that is not set already.
 */
function standingOf({ order, sizes }: Pick<ScheduleInput, "order" | "sizes">, outcomes: Outcomes) {
  const table = order.map((i) => ({ i, ...reachOf(i, order, sizes, outcomes) }));
  const settled = table.filter(({ most, wins }) => most === wins);
  return { table, bar: Math.max(-1, ...settled.map(({ wins }) => wins)) };
}

/** A candidate's wins, and those that it has at most whatever its open pairs come to. */
function reachOf(i: number, order: readonly number[], sizes: readonly number[], outcomes: Outcomes) {
  let wins = 0;
  let most = 0;
  for (const j of order) {
    if (j === i) continue;
    const outcome = outcomes(i, j) ?? null;
    const size = sizes[j] as number;
    if (outcome === null || outcome > 0.5) most += size;
    if (outcome !== null && outcome > 0.5) wins += size;
  }
  return { wins, most };
}
