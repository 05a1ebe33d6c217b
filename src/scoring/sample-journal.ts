// Owns remembering what a verifier has answered: content keys of comparisons, and which samples are
// known by them. Knows no storage.

import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { Sample } from "../core/judges/samples.ts";
import type { Ask } from "../core/tournament/schedule.ts";
import { sha256Hex } from "./digest.ts";

/**
 * All samples of one comparison; none of them failed, unless the journal was told that all is
 * scored.
 */
export interface KnownSamples {
  samples: readonly Sample[];
  /** Whether they count as this batch's own cost; false when an earlier log entry holds it. */
  own: boolean;
}

/**
 * What a batch need not ask again. Keys are of content, so that they hold for any group of any
 * batch.
 */
export interface SampleJournal {
  known(key: string): KnownSamples | undefined;
  /**
   * Called for each newly asked comparison as soon as all its samples are in, in no certain order;
   * never with a failed sample.
   */
  onSamples(key: string, samples: readonly Sample[]): void;
  /** Called for each newly asked comparison of which a sample has failed, when its wave is over. */
  onFailed?(key: string, samples: readonly Sample[]): void;
  /**
   * Called when all is scored, before any of it is logged: who does the work once more must come to
   * the same outcome.
   */
  onScored?(): void;
}

export interface KeyedJournal extends SampleJournal {
  /** The key of what a signal asks of a group, or of some of its rollouts. */
  key(signal: string, group: Pick<PreparedGroup, "index" | "texts">, ask: Ask): string;
}

/**
 * Gives a journal the keys of a batch: the spec's hash, then digests of question, language and
 * candidates in the order shown, then which samples. Whatever decides a verdict's meaning is in it,
 * so that equal keys mean equal questions: of a spec with signals the signal's name too (`named`),
 * as each may have a judge of its own.
 */
export async function keyedJournal(
  journal: SampleJournal,
  groups: readonly PreparedGroup[],
  specHash: string,
  named: boolean,
): Promise<KeyedJournal> {
  const digests = await Promise.all(
    groups.map(async ({ question, language, texts }) => ({
      prompt: await sha256Hex(JSON.stringify([question, language])),
      texts: new Map(await Promise.all(texts.map(async (text) => [text, await sha256Hex(text)] as const))),
    })),
  );
  return {
    key(signal, { index, texts: candidates }, ask) {
      const { prompt, texts } = digests[index] as (typeof digests)[number];
      const shown = ask.order.map((i) => texts.get(candidates[i] as string)).join(",");
      return `${named ? `${specHash}:${signal}` : specHash}:${prompt}:${shown}:${ask.first_sample ?? 0}+${ask.samples}`;
    },
    known: (key) => journal.known(key),
    onSamples: (key, samples) => journal.onSamples(key, samples),
    onFailed: (key, samples) => journal.onFailed?.(key, samples),
  };
}
