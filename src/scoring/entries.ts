// Entries for the questions of a request's groups: which groups with the same prompt share an answer, and
// which group asks.

import type { AskedQuestion } from "../core/asking/asked-questions.ts";
import { generationsOf, type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { OpenSignal } from "../core/reward/group-signals.ts";
import type { KeyedJournal } from "./reading-journal.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/** The result of a question that one group asks, shared by all groups with the same prompt and candidates. */
export interface Shared {
  readings: Reading[];
  /** Questions asked again because `readings` were unreadable. */
  reasked: AskedQuestion[];
  settled: Promise<void>;
}

/** An asked entry, and the shared result of the original question that the entry repeats. */
export interface AskedEntry {
  entry: QuestionEntry;
  root: Shared;
}

/** Records a repeated question with the original question. */
export const recordReask = ({ entry, root }: AskedEntry): void => {
  const { question, charged, shared } = entry;
  root.reasked.push({ question, charged, readings: shared.readings }, ...shared.reasked);
};

export interface QuestionEntry {
  question: Question;
  charged: boolean;
  /** Whether this group entered the question first and so is responsible for asking it. */
  first: boolean;
  /**
   * Whether the question must be sent to the verifier: entered first by this group and not in the journal.
   */
  open: boolean;
  /** Key of the question in the journal; null without a journal. */
  key: string | null;
  shared: Shared;
}

/** State shared by the groups of one prompt: short ids for candidate texts, and the questions asked. */
interface Pool {
  ids: Map<string, number>;
  asked: Map<string, Shared>;
}

/** State shared by all groups of a request. */
export interface Plans {
  journal: KeyedJournal | null;
  pools: Map<string, Pool>;
  /** Short ids for the wording of questions, which may be long and is shared by many questions. */
  words: Map<string, number>;
  /** Generations that a group with a first wave of `size` may ask in later waves. */
  spare(size: number): number;
  /** Extra verifier requests that each signal of a group may send to avoid waiting for a whole wave. */
  early: number;
  /** Collects verdict texts to log; null if the spec does not log them. */
  texts: VerdictTexts | null;
}

/** A signal with its planned first wave, not yet asked. */
export interface Planned extends OpenSignal {
  enter: EnterWave;
  firstWave: QuestionEntry[];
  /** Generations of the first wave, as the limits count them. */
  size: number;
}

/** Number of generations of a wave, as the limits count them. */
export const sizeOf = (wave: readonly QuestionEntry[]) =>
  wave.reduce((sum, { question }) => sum + generationsOf(question), 0);

export type EnterWave = (wave: readonly Question[]) => QuestionEntry[];

/** Looks up each question among those of the same signal and prompt, or enters it as asked by this group. */
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

/** Creates an entry for a question that this group asks, answered at once if the journal knows the answer. */
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

/** Key of a question's backend and wording. */
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

function wordsId(question: Question, words: Map<string, number>): number {
  const text = wordsOf(question);
  const id = words.get(text) ?? words.size;
  words.set(text, id);
  return id;
}
