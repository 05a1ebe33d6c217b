// A journal of a verifier's answers: readings stored under keys that are derived from the questions'
// content. Independent of the storage behind it.

import { type Question, samplesNamed } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { KnownAnswer } from "../core/job/question-pool.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { shownOfSteps } from "../core/signals/step-texts.ts";
import { sha256Hex } from "../platform/sha256.ts";

/**
 * Answers that outlive a batch, so that a restarted or a later batch need not ask again. Keys depend on content
 * only (`questionKeys`), so they are valid for any group of any batch.
 */
export interface ReadingJournal {
  /** All readings of a question. None has failed, unless the journal was opened after scoring. */
  known(key: string): KnownAnswer | undefined;
  /**
   * Called for each newly asked question as soon as all its readings have arrived. Not called if a reading
   * has failed. The order of questions is arbitrary.
   */
  onReadings(key: string, readings: readonly Reading[]): void;
  /** Called for each newly asked question with a failed reading, when its verifier job has ended. */
  onFailed(key: string, readings: readonly Reading[]): void;
  /** Marks questions as being asked until their answers are known or the returned function is called. */
  asking(keys: readonly string[]): () => void;
  /**
   * If another batch with this journal is asking the question, returns a promise that resolves once the
   * answer is known or will not arrive.
   */
  underWay(key: string): Promise<void> | undefined;
  /** Called when all groups are scored but none is logged yet, so that a retry arrives at the same result. */
  onScored(): void;
}

/** The key of a signal's question about a group or some of its rollouts. */
type KeyOfQuestion = (signal: string, group: Pick<PreparedGroup, "index" | "texts">, question: Question) => string;

/** How a batch uses a journal. */
export interface JournalUse {
  journal: ReadingJournal;
  keyOf: KeyOfQuestion;
  /** Whether the batch asks questions that another batch left unanswered, instead of counting them as failed. */
  asksUnanswered: boolean;
  /**
   * Whether the batch sends at least one question even if other batches are already asking all of them. A
   * gateway then raises the priority of all questions with the same `work`.
   */
  hastens: boolean;
}

/**
 * Computes the keys of a batch's questions. A key consists of the spec's hash, the signal's name, the question's
 * backend and wording, digests of prompt, language and candidates in the order shown, and the samples with
 * their token limit. This covers everything that affects a verdict, so equal keys mean equal questions.
 */
export async function questionKeys(
  groups: readonly PreparedGroup[],
  specHash: string,
  { signals }: CompiledSpec,
): Promise<KeyOfQuestion> {
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
  return (signal, { index, texts: candidates }, question) => {
    const { prompt, texts } = digests[index] as (typeof digests)[number];
    const { to, preset, slots } = question;
    // Anything else that is shown as a candidate is short, so it is used without hashing.
    const digest = (text: string) => texts.get(text) ?? JSON.stringify(text);
    const shown = question.shown.map((i) => digest(candidates[i] as string)).join(",");
    return `${specHash}:${signal}:${to}:${preset}${slots === undefined ? "" : JSON.stringify(slots)}:${prompt}:${shown}:${samplesNamed(question)}`;
  };
}
