// Trials: extra questions that identify a candidate that keeps the verifier from answering, for cases in
// which the schedule's questions do not. Their verdicts decide no comparison. Most jammers are identified by
// pairs that were asked anyway, so only three cases need trials: a single list of all candidates, a list of a
// decision model, and a single readable pair.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn, type Presentation } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { isDecision } from "../contract/prompt-name.ts";
import { LIMITS } from "../faults/limits.ts";
import { BLAMES_CONTENT } from "../faults/question-fault.ts";
import { jammers } from "./jamming.ts";
import { seededOrder } from "./match-order.ts";
import { allPairs } from "./schedules/schedule.ts";

/** Verdicts per part of a list: a single verdict may be unreadable by chance. */
const LIST_PART_SAMPLES = 2;
/** Verdicts needed to distinguish jammers from a verifier whose answers are mostly unreadable. */
const LAST_PAIR_SAMPLES = 4;

type TrialJudge = Pick<JudgeSettings, "mode" | "prompt">;

/** Whether failed lists are asked again in parts, because a decision model's lists are too long for all pairs. */
export const asksInParts = ({ mode, prompt }: TrialJudge, n: number): boolean =>
  mode === "listwise" && n > 2 && isDecision(prompt);

/** Upper bound of the generations spent on trials for n candidates. */
export function trialsMost(judge: TrialJudge, n: number): number {
  if (judge.mode === "pairwise") return LAST_PAIR_SAMPLES;
  const pairs = LIST_PART_SAMPLES * allPairs(Math.min(n, LIMITS.list_candidates_max));
  if (asksInParts(judge, n)) return pairs + LIST_PART_SAMPLES * 2 * n;
  return n <= LIMITS.list_candidates_max ? pairs : 0;
}

/**
 * The trials to ask: if a single list of all candidates is unreadable, each of its pairs; if a decision model
 * failed on a list, parts of the list (see `partsOf`); if a group of pairs has all but two candidates under
 * suspicion, the pair of these two. Except for parts of lists, trials are asked once per group.
 * @param group one content key and one text per candidate
 */
export function trialsOf(
  judge: TrialJudge,
  group: Pick<PreparedGroup, "keys" | "texts">,
  asked: readonly AskedQuestion[],
  seed: number,
): Presentation[] {
  const { keys, texts } = group;
  const n = keys.length;
  const before = asked.filter(({ question }) => question.purpose.kind === "trial");
  const line = seededOrder([...keys.keys()], keys, seed);
  if (asksInParts(judge, n)) {
    // Refusals are not random, but answers may be unreadable by chance.
    const samples = asked.some(({ readings }) => readings.some(isUnparsed)) ? LIST_PART_SAMPLES : 1;
    const parts = partsOf(line, texts, asked).map((shown) => trial(shown, samples));
    const spent = [...before.map(({ question }) => question), ...parts].reduce((sum, part) => sum + part.samples, 0);
    return spent > trialsMost(judge, n) ? [] : parts;
  }
  if (n < 3 || before.length > 0) return [];
  if (judge.mode === "listwise") return isUnreadableList(n, asked) ? pairsOf(line, LIST_PART_SAMPLES) : [];
  const suspects = jammers(n, asked);
  const others = line.filter((v) => !suspects.has(v));
  return others.length === 2 ? pairsOf(others, LAST_PAIR_SAMPLES) : [];
}

/** Whether a list of all n candidates was answered, but never readably. */
function isUnreadableList(n: number, asked: readonly AskedQuestion[]): boolean {
  const lists = asked.filter(({ question }) => new Set(question.shown).size === n);
  const answers = lists.flatMap(({ readings }) => readings.filter(({ status }) => status !== null));
  return answers.length > 0 && answers.every(isUnparsed);
}

const trial = (shown: readonly number[], samples: number): Presentation => ({
  ...{ shown, samples, purpose: { kind: "trial", from: 0 } },
});

const pairsOf = (line: readonly number[], samples: number): Presentation[] =>
  line.flatMap((a, k) => line.slice(k + 1).map((b) => trial([a, b], samples)));

/**
 * By set of candidates: whether it was read at least once, or failed for a reason that a candidate may cause;
 * `none` for other failures.
 */
function outcomesBySet(asked: readonly AskedQuestion[]): ReadonlyMap<string, "read" | "failed" | "none"> {
  const outcomes = new Map<string, "read" | "failed" | "none">();
  for (const { question, readings } of asked) {
    if (question.purpose.kind === "fit") continue;
    const name = comparedIn(question);
    if (readings.some((reading) => reading.status !== null && !isUnparsed(reading))) outcomes.set(name, "read");
    else if (outcomes.get(name) !== "read") {
      const failed = readings.some((reading) => isUnparsed(reading) || BLAMES_CONTENT.has(reading.code));
      outcomes.set(name, failed ? "failed" : (outcomes.get(name) ?? "none"));
    }
  }
  return outcomes;
}

/**
 * The parts of failed lists to ask next: the halves of a list, the halves of each half that fails, and so on.
 * Finally, each candidate of a pair that fails is asked with the shortest candidate of the readable parts, so
 * that one spoiler of a list of n takes about 2 log2 n small questions. If no part is readable, all pairs of a
 * short list are asked, and a longer list is given up.
 * @param line all candidates, in the order in which lists are halved
 */
function partsOf(line: readonly number[], texts: readonly string[], asked: readonly AskedQuestion[]): number[][] {
  const outcomes = outcomesBySet(asked);
  const outcomeOf = (shown: readonly number[]) => outcomes.get(comparedIn({ shown }));
  const read = [...outcomes].flatMap(([name, outcome]) => (outcome === "read" ? name.split(",").map(Number) : []));
  const cleared = new Set(read);
  const lengthOf = (candidate: number) => (texts[candidate] as string).length;
  const [helper] = line.filter((candidate) => cleared.has(candidate)).sort((a, b) => lengthOf(a) - lengthOf(b));
  const parts = new Map<string, number[]>();
  const ask = (shown: number[]) => {
    if (outcomeOf(shown) === undefined) parts.set(comparedIn({ shown }), shown);
  };
  const descend = (list: number[]): void => {
    const [suspect] = list as [number];
    if (list.length > 1) {
      ask(list);
      if (outcomeOf(list) === "failed") halve(list);
    } else if (helper !== undefined && !cleared.has(suspect)) ask([suspect, helper]);
  };
  const halve = (list: number[]): void => {
    const middle = list.length >> 1;
    descend(list.slice(0, middle));
    descend(list.slice(middle));
  };
  const failed = asked.filter(
    ({ question }) => question.purpose.kind !== "trial" && outcomeOf(question.shown) === "failed",
  );
  for (const { question } of failed) halve(line.filter((candidate) => question.shown.includes(candidate)));
  const isShort = line.length <= LIMITS.list_candidates_max;
  if (parts.size === 0 && failed.length > 0 && helper === undefined && isShort)
    for (const { shown } of pairsOf(line, 1)) ask([...shown]);
  return [...parts.values()];
}
