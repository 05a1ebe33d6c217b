// A journal of a verifier's answers: content keys of questions, and the readings known for them. Must not
// know storage.

import { type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import { type CompiledSpec, hasSignals } from "../core/reward/compiled-spec.ts";
import { shownOfSteps } from "../core/signals/step-texts.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** All readings of one question. No reading has failed, unless the journal was opened after scoring. */
interface KnownReadings {
  readings: readonly Reading[];
  /**
   * Whether the readings are charged to this batch; false if an earlier log entry already holds their cost.
   */
  charged: boolean;
}

/**
 * A source of known answers, so that a batch need not ask again. Keys depend on content only, so they are
 * valid for any group of any batch.
 */
export interface ReadingJournal {
  known(key: string): KnownReadings | undefined;
  /**
   * Called for each newly asked question as soon as all its readings are in, in any order; never with a
   * failed reading.
   */
  onReadings(key: string, readings: readonly Reading[]): void;
  /**
   * For a question that another batch with this journal is asking: resolves when the answer is known or will
   * not arrive. Omitted: no other batch asks.
   */
  underWay?(key: string): Promise<void> | undefined;
  /** Marks questions as being asked, until they are known or the returned function is called. */
  asking?(keys: readonly string[]): () => void;
  /** Set for a batch whose failed questions another batch will ask again. */
  early?: true;
  /**
   * If other batches are asking all first questions of this batch, it asks one of them too, so that a gateway
   * raises the priority of the same work.
   */
  hastens?: true;
  /** Called for each newly asked question with a failed reading, when its wave is complete. */
  onFailed?(key: string, readings: readonly Reading[]): void;
  /**
   * Called when all groups are scored, before any is logged, so that a retry of the work comes to the same
   * outcome.
   */
  onScored?(): void;
}

export interface KeyedJournal extends ReadingJournal {
  /** The key of a signal's question about a group or some of its rollouts. */
  key(signal: string, group: Pick<PreparedGroup, "index" | "texts">, question: Question): string;
}

/**
 * Adds a batch's keys to a journal. A key consists of the spec's hash, the backend and the wording of the
 * question, digests of question, language and candidates in the order shown, and the samples with their token
 * limit. It contains everything that decides a verdict's meaning, so that equal keys mean equal questions;
 * with signals also the signal's name, as each may have another judge. Null without a journal.
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
      // Other texts in a candidate's place are short, so they are used without hashing.
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
