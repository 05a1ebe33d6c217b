// Owns what is asked to tell who keeps the verifier from answering, where the schedule's own
// questions leave it open. Its answers decide nothing else.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn, isProbe, type Presentation, TRIAL_FROM } from "../asking/questions.ts";
import { isUnread } from "../asking/readings.ts";
import type { ContentKey } from "../candidate/classes.ts";
import { compareKeys } from "../candidate/classes.ts";
import { hashText } from "../math/random.ts";
import { SURE, suspicion, verdictsAmong } from "./jamming.ts";

/** Pairs asked where nobody is known to be read. */
const BLIND_MAX = 12;
/** How often whom nobody is sure of is shown beside one who is read. */
const TRIES = 4;
/** Of those who are read, verdicts at least, and how often one pair of them is asked for more. */
const READ_LEAST = 8;
const READ_AGAIN = 7;
/** Log odds from which on somebody may jam, and from which on somebody surely is read. */
const MAY = -0.5;
const CLEAR = -2;

/** Generations of trials of n candidates at most. */
export const trialsMost = (n: number): number => TRIES * n + READ_AGAIN + BLIND_MAX;

/**
 * What to ask next: where nobody is known to be read, as in one list or all against one, some pairs
 * that were not asked; then whoever may jam beside those who are read, and these among themselves.
 * Nothing where nobody may jam, or it is known as surely as need be.
 * @param keys one a candidate
 */
export function trialsOf(keys: readonly ContentKey[], asked: readonly AskedQuestion[], seed: number): Presentation[] {
  const { odds, jams, subsets } = suspicion(keys.length, asked);
  const unread = unreadProbes(asked);
  const may = (v: number) => (odds[v] as number) > MAY || unread.has(v);
  if (!keys.some((_, v) => may(v))) return [];
  const line = seededLine(keys, seed);
  const read = (v: number) => subsets.some((subset) => subset.answered > subset.unread && subset.members.includes(v));
  const clear = line.filter((v) => (odds[v] as number) <= CLEAR && read(v));
  const known = asked.filter(({ question }) => !isProbe(question));
  const tried = known.flatMap(({ question }) => (question.trial === true ? [question] : []));
  if (clear.length === 0) return tried.length > 0 ? [] : blindly(line, known);
  const subjects = new Set(tried.flatMap(({ shown, first_sample = 0 }) => (first_sample > TRIAL_FROM ? shown[0] : [])));
  const open = line.filter((v) => may(v) && (odds[v] as number) < SURE && !subjects.has(v));
  const trials = open.flatMap((v, k) =>
    Array.from({ length: TRIES }, (_, time) => trial(v, clear[(k + time) % clear.length] as number, 1 + time)),
  );
  const [a, b] = clear;
  const rest = verdictsAmong(subsets, (v) => jams[v] === false);
  if (a === undefined || b === undefined || subjects.has(a) || rest.answered >= READ_LEAST) return trials;
  return [...trials, ...Array.from({ length: READ_AGAIN }, (_, time) => trial(a, b, 1 + time))];
}

/**
 * Who was refused, and could not be read beside copies of itself: a judge may be at a loss between
 * copies of anything, so this alone finds nobody.
 */
const unreadProbes = (asked: readonly AskedQuestion[]): ReadonlySet<number | undefined> =>
  new Set(
    asked.flatMap(({ question, readings }) => (isProbe(question) && isUnread(readings) ? question.shown[0] : [])),
  );

const trial = (v: number, beside: number, number: number): Presentation => ({
  ...{ shown: [v, beside], samples: 1, first_sample: TRIAL_FROM + number, trial: true },
});

/**
 * Pairs that were not asked: all within each of so few even parts of the line as they may be. More
 * candidates that do not jam than there are parts have a pair in one (Turán), so at most 12 pairs
 * find two of 5 in a list, any three of 8, any four of 9.
 */
function blindly(line: readonly number[], known: readonly AskedQuestion[]): Presentation[] {
  const names = new Set(known.map(({ question }) => comparedIn(question)));
  const pairs = line
    .flatMap((a, k) => line.slice(k + 1).map((b, ahead) => ({ shown: [a, b] as const, gap: ahead + 1 })))
    .filter(({ shown }) => !names.has(comparedIn({ shown })));
  for (let parts = 1; ; parts++) {
    const within = pairs.filter(({ gap }) => gap % parts === 0);
    if (within.length <= BLIND_MAX) return within.map(({ shown: [a, b] }) => trial(a, b, 0));
  }
}

/** The candidates in an order that hangs on the seed and their contents only. */
function seededLine(keys: readonly ContentKey[], seed: number): number[] {
  const hashed = keys.map((key, i) => ({ i, key: hashText("trial", seed, ...key) }));
  return hashed.sort((a, b) => compareKeys(a.key, b.key)).map(({ i }) => i);
}
