// A verifier's answers, remembered: content keys of questions, and the readings known by them. Must not know
// storage.

import { type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import { type CompiledSpec, hasSignals } from "../core/reward/compiled-spec.ts";
import { shownOfSteps } from "../core/signals/step-texts.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** All readings of one question; none of them failed, unless the journal was opened after scoring. */
interface KnownReadings {
  readings: readonly Reading[];
  /** Whether they count as this batch's own cost; false when an earlier log entry holds it. */
  charged: boolean;
}

/**
 * Questions that a batch need not ask again. Keys are of content, so that they hold for any group of any
 * batch.
 */
export interface ReadingJournal {
  known(key: string): KnownReadings | undefined;
  /**
   * Called for each newly asked question as soon as all its readings are in, in no certain order;
   * never with a failed one.
   */
  onReadings(key: string, readings: readonly Reading[]): void;
  /**
   * For a question that another batch with this journal asks right now: resolves when it is known, or will
   * not be. Absent: none.
   */
  underWay?(key: string): Promise<void> | undefined;
  /** These are asked from now on; each until it is known, or until the function returned is called. */
  asking?(keys: readonly string[]): () => void;
  /** For a batch for whose failures another will ask again. */
  early?: true;
  /**
   * Where all that this batch wants first is being asked by others, it asks one of it too: at a
   * gateway that hastens what is of the same work.
   */
  hastens?: true;
  /** Called for each newly asked question of which a reading has failed, when its wave is over. */
  onFailed?(key: string, readings: readonly Reading[]): void;
  /**
   * Called when all is scored, before any of it is logged: who does the work once more must come to
   * the same outcome.
   */
  onScored?(): void;
}

export interface KeyedJournal extends ReadingJournal {
  /** The key of what a signal asks of a group, or of some of its rollouts. */
  key(signal: string, group: Pick<PreparedGroup, "index" | "texts">, question: Question): string;
}

/**
 * Gives a journal the keys of a batch: the spec's hash, the backend and the words of the question, then
 * digests of question, language and candidates in the order shown, then which samples with how many tokens.
 * Whatever decides a verdict's meaning is in it, so that equal keys mean equal questions: with signals the
 * signal's name too, as each may have another judge. Null without a journal.
 */
export async function keyedJournal(
  journal: ReadingJournal | undefined,
  groups: readonly PreparedGroup[],
  specHash: string,
  { spec, signals }: CompiledSpec,
): Promise<KeyedJournal | null> {
  const named = hasSignals(spec);
  if (journal === undefined) return null;
  const summarised = signals.some(({ judge }) => judge !== null && isSummarised(judge.prompt));
  const digests = await Promise.all(
    groups.map(async ({ question, language, texts, group, evidence }) => ({
      prompt: await sha256Hex(JSON.stringify([question, language])),
      texts: new Map(
        await Promise.all(
          [...texts, ...shownOfSteps({ group, ...(evidence && { evidence }) }, summarised)].map(
            async (text) => [text, await sha256Hex(text)] as const,
          ),
        ),
      ),
    })),
  );
  return {
    key(signal, { index, texts: candidates }, question) {
      const { prompt, texts } = digests[index] as (typeof digests)[number];
      const { to, preset, slots } = question;
      // Other texts in a candidate's place are short, and used as they are.
      const digest = (text: string) => texts.get(text) ?? JSON.stringify(text);
      const shown = question.shown.map((i) => digest(candidates[i] as string)).join(",");
      return `${named ? `${specHash}:${signal}` : specHash}:${to}:${preset}${slots === undefined ? "" : JSON.stringify(slots)}:${prompt}:${shown}:${samplesNamed(question)}`;
    },
    known: (key) => journal.known(key),
    onReadings: (key, readings) => journal.onReadings(key, readings),
    ...(journal.early && { early: true }),
    ...(journal.hastens && { hastens: true }),
    ...(journal.underWay && { underWay: (key: string) => journal.underWay?.(key) }),
    asking: (keys) => journal.asking?.(keys) ?? (() => {}),
    onFailed: (key, readings) => journal.onFailed?.(key, readings),
  };
}
