// Asks about each candidate alone, and finding whether a refusal or an unreadable answer is caused by the
// candidate: then the candidate loses. A backend's failure stays null.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { generationsOf, type Question, TRIAL_FROM } from "../asking/questions.ts";
import { isUnparsed, type Reading } from "../asking/readings.ts";
import type { Plan, RolloutValue, ShownTexts } from "../asking/signal.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { BLAMES_CONTENT } from "../faults/question-fault.ts";
import { isSummarised } from "../judges/presets/table.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { hashText } from "../math/random.ts";
import { sumOf } from "../math/stats.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

/** What is shown where a candidate stands, to see whether the question itself is taken. */
export const BARE_TEXT = "No answer.";

/** The largest unreadable share of answers about others where one is said to jam. */
const UNREAD_SHARE = 0.1;
/** Answers about a candidate that are all unreadable, before it is found to jam. */
const UNREAD_LEAST = 4;
/** Others that were read, at least; of one less, the bare question must be read too. */
const OTHERS_LEAST = 2;

export interface Lone extends UnreadableRule {
  /** All that is asked, one wave; each shows one text. */
  questions: readonly Question[];
  shows?: ShownTexts;
  /** By rollout: which of the texts shown is of it; null: none. */
  textIndices: readonly (number | null)[];
  /** The lowest value of the kind; default 0. */
  lowest?: number;
  /**
   * A question with `BARE_TEXT` in the candidate's place. Absent: a candidate never loses by missing
   * answers.
   */
  bare?(question: Question): Question;
  /**
   * The answers about a rollout, by its text as shown.
   * @param lost the texts that themselves cause their missing answers
   */
  read(
    seen: readonly AskedQuestion[],
    lost: ReadonlySet<number>,
  ): (text: number | null, rollout: number) => RolloutValue;
}

/** Texts of rollouts that are shown in place of candidates, each once; null: none of that rollout. */
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

/** All that came back about one of the texts. */
export const readingsOn = (seen: readonly AskedQuestion[], text: number): Reading[] =>
  seen.flatMap(({ question, readings }) => (question.shown[0] === text ? readings : []));

export const verdictsOn = (seen: readonly AskedQuestion[], text: number): Verdict[] =>
  readingsOn(seen, text).flatMap(({ verdict }) => verdict ?? []);

/** The number that was said of a text; null where none was. */
export function gradeOn(seen: readonly AskedQuestion[], text: number): number | null {
  const found = verdictsOn(seen, text).find((verdict) => verdict.kind === "grade");
  return found?.grade ?? null;
}

/** The answers about one text in the same words. */
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

/** The question's words, without the candidate. */
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

const isBare = ({ bare }: Question): boolean => bare !== undefined;

/** How many others were read in the same words; 0 where too many of their answers were not. */
function othersRead(first: readonly TextReadings[], { question }: TextReadings): number {
  const words = wordsOf(question);
  const others = first.filter((other) => other.read > 0 && wordsOf(other.question) === words);
  const [read, not] = [
    others.reduce((sum, other) => sum + other.read, 0),
    others.reduce((sum, other) => sum + other.unread, 0),
  ];
  return not > UNREAD_SHARE * (read + not) ? 0 : others.length;
}

/** Whether another was answered in the same words. */
const isTaken = (first: readonly TextReadings[], { question }: TextReadings): boolean =>
  first.some((other) => answered(other) && wordsOf(other.question) === wordsOf(question));

/** The answers so far: of the first askings, of all, and of the bare question. */
function learnt(asked: readonly AskedQuestion[]) {
  const shownTexts = asked.filter(({ question }) => !isBare(question));
  const [bare = null] = readingsByText(asked.filter(({ question }) => isBare(question)));
  return { first: readingsByText(firstOf(shownTexts)), all: readingsByText(shownTexts), bare };
}

const firstOf = (asked: readonly AskedQuestion[]) => asked.filter(({ question }) => question.trial !== true);

/**
 * The texts that themselves cause their missing answers. A refusal is caused by the text where the verifier
 * took the same question about another text of the group, or without one. Unreadable answers are, where at
 * least four came and none was read, and at least two others were read with one in ten unreadable at most;
 * one other is enough where the bare question is read.
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
 * Questions that must be asked before that can be said: one bare question, the longest of those it is needed
 * for, and for each text that may jam enough further samples to make four answers.
 */
function asideOf(asked: readonly AskedQuestion[], bareOf: NonNullable<Lone["bare"]>): Question[] {
  if (asked.some(({ question }) => question.trial === true)) return [];
  const { first } = learnt(asked);
  const jams = first.filter((text) => isUnreadAlways(text) && othersRead(first, text) > 0);
  const open = [
    ...first.filter((text) => isRefused(text) && !isTaken(first, text)),
    ...jams.filter((jam) => othersRead(first, jam) < OTHERS_LEAST),
  ].sort((a, b) => wordsOf(b.question).length - wordsOf(a.question).length);
  const bare = open[0] === undefined ? null : bareOf(open[0].question);
  const { reask: _, ...rest } = bare ?? ({} as Question);
  const probe = { ...rest, bare: bare?.bare ?? BARE_TEXT, samples: 1, first_sample: TRIAL_FROM, trial: true as const };
  const trials = jams.flatMap(({ question: { reask: _again, ...question }, unread: count }): Question[] => {
    const samples = UNREAD_LEAST - count;
    if (samples <= 0) return [];
    const trial = { ...question, samples, first_sample: TRIAL_FROM + 1, trial: true as const };
    if (!isSummarised(question.preset)) return [trial];
    // Where texts are summarised first only answers to separate summaries count.
    return Array.from({ length: samples }, (_, i) => ({ ...trial, samples: 1, first_sample: trial.first_sample + i }));
  });
  return [...(bare === null ? [] : [probe]), ...trials];
}

/** Generations of all that at most: each question was unreadable once, and one stands bare. */
function asideMost(questions: readonly Question[]): number {
  const each = questions.map((question) => generationsOf({ ...question, samples: 1 }));
  return Math.max(0, ...each) + (UNREAD_LEAST - 1) * sumOf(each);
}

/** Codes of a null that may be the candidate's doing. */
const BY_TEXT: ReadonlySet<ItemErrorCode | null> = new Set([...BLAMES_CONTENT, "unparsed"]);

/** The plan of a kind that judges each candidate alone. */
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

/** For a kind whose words hold no candidate. */
export const bareQuestion = (question: Question): Question => ({ ...question, bare: BARE_TEXT });
