// Registers the questions of all groups of a request, so that groups with the same prompt and candidates
// share answers and only one of them asks. A wave is a list of questions that are planned and asked together.

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
  /** Repetitions of the question, asked because `readings` were unreadable. */
  reasked: AskedQuestion[];
  settled: Promise<void>;
}

/** An entry, and the shared result of the original question if the entry repeats one. */
export interface AskedEntry {
  entry: QuestionEntry;
  root: Shared;
}

/** Records the repetition of a question in the result of the original question. */
export const recordReask = ({ entry, root }: AskedEntry): void => {
  const { question, charged, shared } = entry;
  root.reasked.push({ question, charged, readings: shared.readings }, ...shared.reasked);
};

export interface QuestionEntry {
  question: Question;
  charged: boolean;
  /** Whether this group was the first to enter the question and is therefore responsible for asking it. */
  first: boolean;
  /** Whether this group must send the question to the verifier: it is `first` and not in the journal. */
  open: boolean;
  /** Key of the question in the journal; null without a journal. */
  key: string | null;
  shared: Shared;
}

/** State shared by the groups with the same prompt: short ids for candidates, and the questions asked. */
interface Pool {
  ids: Map<string, number>;
  asked: Map<string, Shared>;
}

/** State shared by all groups of a request. */
export interface Plans {
  journal: KeyedJournal | null;
  pools: Map<string, Pool>;
  /** Short ids for the wordings of questions; a wording may be long, and many questions share one. */
  words: Map<string, number>;
  /** Number of generations available for later waves to a group whose first wave has `size` generations. */
  spare(size: number): number;
  /** Number of extra requests that each signal of a group may send instead of waiting for a whole wave. */
  early: number;
  /** Collects the verifier's answers for the log; null if the spec does not log answers. */
  texts: VerdictTexts | null;
}

/** A signal with its planned first wave, not yet asked. */
export interface Planned extends OpenSignal {
  enter: EnterWave;
  firstWave: QuestionEntry[];
  /** Number of generations of the first wave, as the limits count them. */
  size: number;
}

/** Number of generations of a wave, as the limits count them. */
export const sizeOf = (wave: readonly QuestionEntry[]) =>
  wave.reduce((sum, { question }) => sum + generationsOf(question), 0);

export type EnterWave = (wave: readonly Question[]) => QuestionEntry[];

/**
 * Returns a function that finds each question among those of the same signal and prompt, or enters it as a
 * new question that this group asks.
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

/** Creates an entry for a question that this group asks. If the journal has the answer, fills it in. */
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

function wordsId(question: Question, words: Map<string, number>): number {
  const text = wordsOf(question);
  const id = words.get(text) ?? words.size;
  words.set(text, id);
  return id;
}
