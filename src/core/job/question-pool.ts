// The questions of all groups of a request. Groups with the same prompt and candidates share answers, and only
// one of them asks.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { type Question, samplesNamed } from "../asking/questions.ts";
import type { Reading } from "../asking/readings.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { SharedResult } from "./shared-result.ts";

/** A group's use of a question. */
export interface PooledQuestion {
  question: Question;
  charged: boolean;
  /** Whether this group was the first to enter the question and is therefore responsible for asking it. */
  isOwn: boolean;
  /** Key of the question among known answers; null if there are none. */
  key: string | null;
  shared: SharedResult;
}

/** An answer from an earlier batch. */
export interface KnownAnswer {
  readings: readonly Reading[];
  /** Whether the readings are charged to this batch; false if an earlier log entry contains their cost. */
  charged: boolean;
}

/** Answers that are known before a question is asked, by keys that depend on the question's content only. */
interface KnownAnswers {
  keyOf(signal: string, group: Pick<PreparedGroup, "index" | "texts">, question: Question): string;
  known(key: string): KnownAnswer | undefined;
}

/** Enters questions of one signal and group. */
export type Enter = (questions: readonly Question[]) => PooledQuestion[];

/** The questions about one prompt, and short ids for its candidates. */
interface PromptQuestions {
  ids: Map<string, number>;
  asked: Map<string, SharedResult>;
}

export class QuestionPool {
  private readonly answers: KnownAnswers | null;
  private readonly prompts = new Map<string, PromptQuestions>();
  /** Short ids for the wordings of questions; a wording may be long, and many questions share one. */
  private readonly words = new Map<string, number>();

  /** @param answers answers that are known already; null: none */
  constructor(answers: KnownAnswers | null) {
    this.answers = answers;
  }

  /**
   * Returns a function that finds each question among those of the same signal and prompt, or adds it as a new
   * question that this group asks.
   * @param signal the signal's name
   */
  entering(signal: string, group: PreparedGroup): Enter {
    const { question, language, texts } = group;
    const name = JSON.stringify([signal, question, language]);
    const prompt = this.prompts.get(name) ?? { ids: new Map<string, number>(), asked: new Map<string, SharedResult>() };
    this.prompts.set(name, prompt);
    const ids = texts.map((text) => idOf(prompt.ids, text));
    return (questions) =>
      questions.map((question) => {
        const shown = question.shown.map((i) => ids[i]).join(",");
        const key = `${idOf(this.words, wordsOf(question))}:${samplesNamed(question)}:${shown}`;
        const shared = prompt.asked.get(key);
        if (shared !== undefined) return { question, charged: false, isOwn: false, key: null, shared };
        const entry = this.opened(signal, group, question);
        prompt.asked.set(key, entry.shared);
        return entry;
      });
  }

  /** Opens a question that this group asks, without looking for it among other groups' questions. */
  opened(signal: string, group: PreparedGroup, question: Question): PooledQuestion {
    const key = this.answers?.keyOf(signal, group, question) ?? null;
    const shared = { readings: [], others: [], isFinal: false, watchers: [] };
    const entry = { question, charged: true, isOwn: true, key, shared };
    this.fillIn(entry);
    return entry;
  }

  /** Fills in the answer if it is known by now. Returns whether it is. */
  fillIn(entry: PooledQuestion): boolean {
    const known = entry.key === null ? undefined : this.answers?.known(entry.key);
    if (known === undefined) return false;
    entry.shared.readings.push(...known.readings);
    entry.charged = known.charged;
    return true;
  }
}

function idOf(ids: Map<string, number>, text: string): number {
  const id = ids.get(text) ?? ids.size;
  ids.set(text, id);
  return id;
}

/** A string that identifies a question's backend and wording. */
export function wordsOf({ to, preset, slots }: Question): string {
  const asked = `${to}:${preset}`;
  if (slots === undefined) return asked;
  const known = WORDS.get(slots);
  if (known?.asked === asked) return known.words;
  const words = `${asked}:${JSON.stringify(slots)}`;
  WORDS.set(slots, { asked, words });
  return words;
}

/** Cache of the wording by slots, which many questions share. */
const WORDS = new WeakMap<object, { asked: string; words: string }>();

/** Questions with their readings: first the given ones, then the others asked for the same results. */
export function askedBy(entries: readonly PooledQuestion[]): AskedQuestion[] {
  const asked = entries.map(({ question, charged, shared }) => ({ question, charged, readings: shared.readings }));
  const others = entries.flatMap(({ question: { shown }, isOwn, shared }) =>
    // Takes `shown` from this group's question, since another group numbers its candidates differently.
    shared.others.map((other) => ({
      ...other,
      question: { ...other.question, shown },
      charged: isOwn && other.charged,
    })),
  );
  return [...asked, ...others];
}
