// A journal of a verifier's answers: readings stored under keys that are derived from the questions'
// content. Independent of the storage behind it.

import { type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { shownOfSteps } from "../core/signals/step-texts.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** All readings of one question. None has failed, unless the journal was opened after scoring. */
interface KnownReadings {
  readings: readonly Reading[];
  /** Whether the readings are charged to this batch; false if an earlier log entry contains their cost. */
  charged: boolean;
}

/**
 * Provides known answers, so that a batch need not ask again. Keys depend on content only, so they are valid
 * for any group of any batch.
 */
export interface ReadingJournal {
  known(key: string): KnownReadings | undefined;
  /**
   * Called for each newly asked question as soon as all its readings have arrived. Not called if a reading
   * has failed. The order of questions is arbitrary.
   */
  onReadings(key: string, readings: readonly Reading[]): void;
  /**
   * If another batch with this journal is asking the question, returns a promise that resolves once the
   * answer is known or will not arrive. Omitted if no other batch uses this journal.
   */
  underWay?(key: string): Promise<void> | undefined;
  /** Marks questions as being asked until their answers are known or the returned function is called. */
  asking?(keys: readonly string[]): () => void;
  /** Set for a batch whose failed questions another batch will ask again. */
  early?: true;
  /**
   * Set if the batch must send at least one question even if other batches are already asking all of them. A
   * gateway then raises the priority of all questions with the same `work`.
   */
  hastens?: true;
  /** Called for each newly asked question with a failed reading, when its verifier job has ended. */
  onFailed?(key: string, readings: readonly Reading[]): void;
  /** Called when all groups are scored but none is logged yet, so that a retry arrives at the same result. */
  onScored?(): void;
}

export interface KeyedJournal extends ReadingJournal {
  /** The key of a signal's question about a group or some of its rollouts. */
  key(signal: string, group: Pick<PreparedGroup, "index" | "texts">, question: Question): string;
}

/**
 * Wraps a journal so that it can compute the keys of a batch's questions; null without a journal. A key
 * consists of the spec's hash, the signal's name, the question's backend and wording, digests of prompt,
 * language and candidates in the order shown, and the samples with their token limit. This covers
 * everything that affects a verdict, so equal keys mean equal questions.
 */
export async function keyedJournal(
  journal: ReadingJournal | undefined,
  groups: readonly PreparedGroup[],
  specHash: string,
  { signals }: CompiledSpec,
): Promise<KeyedJournal | null> {
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
      // Anything else that is shown as a candidate is short, so it is used without hashing.
      const digest = (text: string) => texts.get(text) ?? JSON.stringify(text);
      const shown = question.shown.map((i) => digest(candidates[i] as string)).join(",");
      return `${specHash}:${signal}:${to}:${preset}${slots === undefined ? "" : JSON.stringify(slots)}:${prompt}:${shown}:${samplesNamed(question)}`;
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
