// Trials: extra questions that identify a candidate that keeps the verifier from answering, for cases in
// which the schedule's questions do not. Their verdicts decide no comparison. Most jammers are identified by
// pairs that were asked anyway, so only two cases need trials: a single list of all candidates, and a single
// readable pair.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { type Presentation, TRIAL_FROM } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { ContentKey } from "../candidate/classes.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { LIMITS } from "../faults/limits.ts";
import { jammers } from "./jamming.ts";
import { seededOrder } from "./match-order.ts";
import { allPairs } from "./schedules/schedule.ts";

/** Verdicts per pair of a list: a single verdict may be unreadable by chance. */
const LIST_PAIR_SAMPLES = 2;
/** Verdicts needed to distinguish jammers from a verifier whose answers are mostly unreadable. */
const LAST_PAIR_SAMPLES = 4;

type Mode = JudgeSettings["mode"];

/** Upper bound of the generations spent on trials for n candidates. */
export function trialsMost(mode: Mode, n: number): number {
  if (mode === "pairwise") return LAST_PAIR_SAMPLES;
  return n <= LIMITS.list_candidates_max ? LIST_PAIR_SAMPLES * allPairs(n) : 0;
}

/**
 * The trials to ask, once per group: if a single list of all candidates is unreadable, each of its pairs; if
 * a group of pairs has all but two candidates under suspicion, the pair of these two.
 * @param keys one content key per candidate
 */
export function trialsOf(
  mode: Mode,
  keys: readonly ContentKey[],
  asked: readonly AskedQuestion[],
  seed: number,
): Presentation[] {
  if (keys.length < 3 || asked.some(({ question }) => question.trial === true)) return [];
  const line = seededOrder([...keys.keys()], keys, seed);
  if (mode === "listwise") return isUnreadableList(keys.length, asked) ? pairsOf(line, LIST_PAIR_SAMPLES) : [];
  const suspects = jammers(keys.length, asked);
  const others = line.filter((v) => !suspects.has(v));
  return others.length === 2 ? pairsOf(others, LAST_PAIR_SAMPLES) : [];
}

/** Whether a list of all n candidates was answered, but never readably. */
function isUnreadableList(n: number, asked: readonly AskedQuestion[]): boolean {
  const lists = asked.filter(({ question }) => new Set(question.shown).size === n);
  const answers = lists.flatMap(({ readings }) => readings.filter(({ status }) => status !== null));
  return answers.length > 0 && answers.every(isUnparsed);
}

const pairsOf = (line: readonly number[], samples: number): Presentation[] =>
  line.flatMap((a, k) =>
    line.slice(k + 1).map((b): Presentation => ({ shown: [a, b], samples, first_sample: TRIAL_FROM, trial: true })),
  );
