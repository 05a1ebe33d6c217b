// The questions of a request's groups before and after they are asked: which groups of one prompt share an
// answer, and who still wants it.

import type { AskedQuestion } from "../core/asking/asked-questions.ts";
import { generationsOf, type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { OpenSignal } from "../core/reward/group-signals.ts";
import type { KeyedJournal } from "./reading-journal.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/** The result of a question asked by one group, for all with the same prompt and candidates. */
export interface Shared {
  readings: Reading[];
  /** Repeated questions because `readings` were unreadable. */
  reasked: AskedQuestion[];
  settled: Promise<void>;
}

/** An entry that was asked, and the question that it asks again: itself at first. */
export interface AskedEntry {
  entry: QuestionEntry;
  root: Shared;
}

/** A repeated question is recorded with the one that it repeats. */
export const recordReask = ({ entry, root }: AskedEntry): void => {
  const { question, charged, shared } = entry;
  root.reasked.push({ question, charged, readings: shared.readings }, ...shared.reasked);
};

export interface QuestionEntry {
  question: Question;
  charged: boolean;
  /** Entered by this group, which sees to it that it is answered. */
  first: boolean;
  /** The first, and not known from before: to be put to the verifier. */
  open: boolean;
  /** The journal's key; null without a journal. */
  key: string | null;
  shared: Shared;
}

/** The shared parts of the groups of one prompt: short ids for candidate texts, and the questions asked. */
interface Pool {
  ids: Map<string, number>;
  asked: Map<string, Shared>;
}

/** The shared parts of all groups of a request. */
export interface Plans {
  journal: KeyedJournal | null;
  pools: Map<string, Pool>;
  /** Short ids for the words of questions, which may be long and are those of many. */
  words: Map<string, number>;
  /** Generations beyond the first waves that a group may ask whose own first wave has `size`. */
  spare(size: number): number;
  /**
   * Requests to the verifier that each signal of each group may spend on not waiting for a whole
   * wave.
   */
  early: number;
  /** Keeps what the verifier writes; null where the spec does not ask for it. */
  texts: VerdictTexts | null;
}

/** A signal with its first wave: planned, not asked. */
export interface Planned extends OpenSignal {
  enter: EnterWave;
  firstWave: QuestionEntry[];
  /** Its share of the limit. */
  size: number;
}

/** Generations of a wave, as limits count them. */
export const sizeOf = (wave: readonly QuestionEntry[]) =>
  wave.reduce((sum, { question }) => sum + generationsOf(question), 0);

export type EnterWave = (wave: readonly Question[]) => QuestionEntry[];

/**
 * Finds each question among those of the same signal and prompt, or enters it there as this group's
 * own.
 */
export function waveEntry({ name, group }: OpenSignal, { pools, words, journal }: Plans): EnterWave {
  const { question, language, texts } = group;
  const prompt = JSON.stringify([name, question, language]);
  const pool = pools.get(prompt) ?? { ids: new Map<string, number>(), asked: new Map<string, Shared>() };
  pools.set(prompt, pool);
  const ids = texts.map((text) => {
    const id = pool.ids.get(text) ?? pool.ids.size;
    pool.ids.set(text, id);
    return id;
  });
  return (wave) =>
    wave.map((question) => {
      const { shown } = question;
      const key = `${wordsId(question, words)}:${samplesNamed(question)}:${shown.map((i) => ids[i]).join(",")}`;
      const asked = pool.asked.get(key);
      if (asked !== undefined) {
        return { question, charged: false, first: false, open: false, key: null, shared: asked };
      }
      const entry = openEntry(question, name, group, journal);
      pool.asked.set(key, entry.shared);
      return entry;
    });
}

/** An entry of this group's own, answered already where the journal knows it. */
export function openEntry(
  question: Question,
  name: string,
  group: PreparedGroup,
  journal: KeyedJournal | null,
): QuestionEntry {
  const key = journal?.key(name, group, question) ?? null;
  const known = key === null ? undefined : journal?.known(key);
  const readings = [...(known?.readings ?? [])];
  const shared: Shared = { readings, reasked: [], settled: Promise.resolve() };
  return { question, charged: known?.charged ?? true, first: true, open: known === undefined, key, shared };
}

/** Whom a question goes to and in whose words, as a key. */
export function wordsOf({ to, preset, slots }: Question): string {
  const asked = `${to}:${preset}`;
  if (slots === undefined) return asked;
  const known = WORDS.get(slots);
  if (known?.asked === asked) return known.words;
  const words = `${asked}:${JSON.stringify(slots)}`;
  WORDS.set(slots, { asked, words });
  return words;
}

/** The words of slots that many questions share, for all of them once. */
const WORDS = new WeakMap<object, { asked: string; words: string }>();

function wordsId(question: Question, words: Map<string, number>): number {
  const text = wordsOf(question);
  const id = words.get(text) ?? words.size;
  words.set(text, id);
  return id;
}
