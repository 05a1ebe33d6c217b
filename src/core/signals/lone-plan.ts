// Asks about each candidate separately and finds out whether a refusal or an unreadable answer is caused by
// the candidate. If so, the candidate loses; if the backend failed, the value stays null.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Plan, RolloutValue, ShownTexts } from "../asking/plan.ts";
import { generationsOf, type Question } from "../asking/questions.ts";
import { isUnparsed, type Reading } from "../asking/readings.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { BLAMES_CONTENT } from "../faults/question-fault.ts";
import { isSummarised } from "../judges/presets/table.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { hashText } from "../math/random.ts";
import { sumOf } from "../math/stats.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

/** Shown instead of a candidate, to test whether the verifier accepts the question itself. */
export const BARE_TEXT = "No answer.";

/**
 * A candidate may be blamed for jamming only if at most this share of the answers about other candidates is
 * unreadable.
 */
const UNREAD_SHARE = 0.1;
/** Minimum number of answers about a candidate, all of them unreadable, before it counts as jamming. */
const UNREAD_LEAST = 4;
/**
 * Minimum number of other candidates with readable answers; one fewer if the question without a candidate is
 * readable too.
 */
const OTHERS_LEAST = 2;

export interface Lone extends UnreadableRule {
  /** All questions, asked in one batch; each shows one string, usually a candidate. */
  questions: readonly Question[];
  shows?: ShownTexts;
  /** Per rollout: index of the string shown for it; null if none is shown. */
  textIndices: readonly (number | null)[];
  /** Lowest value that the kind gives; default 0. */
  lowest?: number;
  /**
   * Returns the question with `BARE_TEXT` in place of the candidate. If omitted, a candidate never loses
   * because of missing answers.
   */
  bare?(question: Question): Question;
  /**
   * Reads the answers about a rollout, given the index of the string shown for it.
   * @param lost indices of the strings that caused their own missing answers
   */
  read(
    seen: readonly AskedQuestion[],
    lost: ReadonlySet<number>,
  ): (text: number | null, rollout: number) => RolloutValue;
}

/**
 * Deduplicates the strings that are shown in place of candidates. A null entry means that the rollout has no
 * string to show.
 */
export function shownOnce(
  question: string,
  all: readonly (string | null)[],
): Required<Pick<Lone, "shows" | "textIndices">> {
  const texts = [...new Set(all.filter((text) => text !== null))];
  const at = new Map(texts.map((text, i) => [text, i]));
  const indices = all.map((text) => (text === null ? null : (at.get(text) as number)));
  const keys = texts.map((text) => hashText(question, text));
  return { shows: { texts, keys, rolloutIndices: texts.map((text) => all.indexOf(text)) }, textIndices: indices };
}

/** The parsed answers about one string that was shown to the verifier. */
export const readingsOn = (seen: readonly AskedQuestion[], text: number): Reading[] =>
  seen.flatMap(({ question, readings }) => (question.shown[0] === text ? readings : []));

export const verdictsOn = (seen: readonly AskedQuestion[], text: number): Verdict[] =>
  readingsOn(seen, text).flatMap(({ verdict }) => verdict ?? []);

/** The grade given to a shown string; null if there is none. */
export function gradeOn(seen: readonly AskedQuestion[], text: number): number | null {
  const found = verdictsOn(seen, text).find((verdict) => verdict.kind === "grade");
  return found?.grade ?? null;
}

/** Counts of the answers to one wording of the question about one shown string. */
interface TextReadings {
  question: Question;
  read: number;
  unread: number;
  refused: number;
  failed: number;
}

const answered = ({ read, unread: not }: TextReadings): boolean => read + not > 0;
const isRefused = (text: TextReadings): boolean => text.refused > 0 && text.failed === 0 && !answered(text);
const isUnreadAlways = (text: TextReadings): boolean => text.unread > 0 && text.read + text.refused + text.failed === 0;

/** Identifies the wording of a question, without the candidate. */
const wordsOf = ({ to, preset, slots = {} }: Question): string => JSON.stringify([to, preset, slots]);

function readingsByText(asked: readonly AskedQuestion[]): TextReadings[] {
  const byQuestion = Map.groupBy(asked, ({ question }) => `${question.shown[0]}:${wordsOf(question)}`);
  return [...byQuestion.values()].map((entries): TextReadings => {
    const readings = entries.flatMap((entry) => entry.readings).filter(({ saved }) => !saved);
    const count = (holds: (reading: (typeof readings)[number]) => boolean) => readings.filter(holds).length;
    return {
      question: (entries[0] as AskedQuestion).question,
      read: count(({ status }) => status !== null) - count(isUnparsed),
      unread: count(isUnparsed),
      refused: count(({ code }) => BLAMES_CONTENT.has(code)),
      failed: count(({ code }) => code !== null && !BLAMES_CONTENT.has(code)),
    };
  });
}

const isBare = ({ purpose }: Question): boolean => purpose.kind === "bare";
const isAttribution = ({ purpose }: Question): boolean => purpose.kind === "bare" || purpose.kind === "trial";

/**
 * Number of other strings with readable answers to the same wording; 0 if too many of the answers about them
 * were unreadable.
 */
function othersRead(first: readonly TextReadings[], { question }: TextReadings): number {
  const words = wordsOf(question);
  const others = first.filter((other) => other.read > 0 && wordsOf(other.question) === words);
  const [read, not] = [
    others.reduce((sum, other) => sum + other.read, 0),
    others.reduce((sum, other) => sum + other.unread, 0),
  ];
  return not > UNREAD_SHARE * (read + not) ? 0 : others.length;
}

/** Whether the same wording was answered for at least one shown string. */
const isTaken = (first: readonly TextReadings[], { question }: TextReadings): boolean =>
  first.some((other) => answered(other) && wordsOf(other.question) === wordsOf(question));

/**
 * Counts of the answers so far, per shown string: from first attempts, from all attempts, and for the bare
 * question (asked without a candidate).
 */
function learnt(asked: readonly AskedQuestion[]) {
  const shownTexts = asked.filter(({ question }) => !isBare(question));
  const [bare = null] = readingsByText(asked.filter(({ question }) => isBare(question)));
  return { first: readingsByText(firstOf(shownTexts)), all: readingsByText(shownTexts), bare };
}

const firstOf = (asked: readonly AskedQuestion[]) => asked.filter(({ question }) => !isAttribution(question));

/**
 * Indices of the strings that caused their own missing answers. A string caused a refusal if the verifier
 * accepted the same question about another string of the group, or about `BARE_TEXT`. A string caused
 * unreadable answers if at least four arrived, none was readable, and at least two other strings were read
 * with at most one in ten answers unreadable; one other string suffices if the question about `BARE_TEXT` was
 * read.
 */
function lostIn(asked: readonly AskedQuestion[]): ReadonlySet<number> {
  const { first, all, bare } = learnt(asked);
  const minOthers = (bare?.read ?? 0) > 0 ? OTHERS_LEAST - 1 : OTHERS_LEAST;
  const lost = all.filter(
    (text) =>
      (isRefused(text) && (isTaken(first, text) || (bare !== null && answered(bare)))) ||
      (isUnreadAlways(text) && text.unread >= UNREAD_LEAST && othersRead(first, text) >= minOthers),
  );
  return new Set(lost.map(({ question }) => question.shown[0] as number));
}

/**
 * Trial questions that are needed before a string can be blamed: one question about `BARE_TEXT`, built from
 * the longest wording that needs it, and extra samples so that each suspected string has four answers.
 */
function asideOf(asked: readonly AskedQuestion[], bareOf: NonNullable<Lone["bare"]>): Question[] {
  if (asked.some(({ question }) => isAttribution(question))) return [];
  const { first } = learnt(asked);
  const jams = first.filter((text) => isUnreadAlways(text) && othersRead(first, text) > 0);
  const open = [
    ...first.filter((text) => isRefused(text) && !isTaken(first, text)),
    ...jams.filter((jam) => othersRead(first, jam) < OTHERS_LEAST),
  ].sort((a, b) => wordsOf(b.question).length - wordsOf(a.question).length);
  const bare = open[0] === undefined ? null : bareOf(open[0].question);
  const trials = jams.flatMap(({ question, unread: count }): Question[] => {
    const samples = UNREAD_LEAST - count;
    if (samples <= 0) return [];
    const trial = (from: number, count: number): Question => ({
      ...question,
      samples: count,
      purpose: { kind: "trial", from },
    });
    // The bare question has the first sample number.
    if (!isSummarised(question.preset)) return [trial(1, samples)];
    // If candidates are summarised first, each sample needs a separate summary to count, and thus a separate
    // question.
    return Array.from({ length: samples }, (_, i) => trial(1 + i, 1));
  });
  return [...(bare === null ? [] : [{ ...bare, samples: 1 }]), ...trials];
}

/**
 * Upper bound of trial generations, reached if every question was unreadable once and one question about
 * `BARE_TEXT` is asked.
 */
function asideMost(questions: readonly Question[]): number {
  const each = questions.map((question) => generationsOf({ ...question, samples: 1 }));
  return Math.max(0, ...each) + (UNREAD_LEAST - 1) * sumOf(each);
}

/** Error codes of missing values that the candidate may have caused. */
const BY_TEXT: ReadonlySet<ItemErrorCode | null> = new Set([...BLAMES_CONTENT, "unparsed"]);

/** The plan for a kind that judges each candidate separately. */
export function lonePlan({ questions, shows, textIndices, lowest, unreadable, bare, read }: Lone): Plan {
  const loses = bare !== undefined && unreadable !== "null";
  return {
    ...(shows !== undefined && { shows }),
    ...(loses && { maxAttributionGenerations: asideMost(questions) }),
    next: (seen) => (seen.length === 0 ? questions : loses ? asideOf(seen, bare) : []),
    result(seen) {
      const lost: ReadonlySet<number> = loses ? lostIn(seen) : new Set();
      const rowOf = read(firstOf(seen), lost);
      const rows = textIndices.map((text, r): RolloutValue => {
        const { value, detail } = rowOf(text, r);
        if (text === null || value.value !== null || !lost.has(text) || !BY_TEXT.has(value.code))
          return { value, detail };
        const failure = unread({ unreadable }, value.code, lowest);
        return { ...failure, detail: { ...detail, ...failure.detail } };
      });
      return { scores: rows.map(({ value }) => value), details: rows.map(({ detail }) => detail) };
    },
  };
}

/**
 * The bare question for a kind whose prompt slots do not contain the candidate: the candidate is replaced by
 * `BARE_TEXT`.
 */
export const bareQuestion = (question: Question): Question => ({
  ...question,
  purpose: { kind: "bare", text: BARE_TEXT },
});
