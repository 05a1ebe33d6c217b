// Owns `judge.think`: asking with few tokens first, and with all of them what brought no verdict or
// a close one. Knows no schedule.
import type { Spec } from "../contract/spec.ts";
import { LIMITS } from "../faults/limits.ts";
import { comparedIn, isShort, REASK_FROM, type Showing } from "../judges/questions.ts";
import { isUnparsed, type Reading } from "../judges/readings.ts";
import type { Answered, Unread } from "./answered.ts";
import type { AskedQuestion } from "./asked-questions.ts";

type Judge = Spec["judge"];

/**
 * What is added to the number of a sample that ended by itself when it is asked again: under its
 * own number it would say the same. No asking again of any first asking reaches it.
 */
const FRESH_FROM = REASK_FROM * (1 + LIMITS.reask_max);

/** The first questions as the judge asks them: with fewer tokens where it thinks in two steps. */
export function shortened(showings: readonly Showing[], { think }: Judge): Showing[] {
  if (think === undefined) return [...showings];
  // Whether a pair is close hangs on all of its answers: none is left out.
  return showings.map(({ stop: _, ...showing }) => ({ ...showing, max_tokens: think.first }));
}

/** Askings of one sample: the first, and the one with all tokens. */
export const askingsOf = ({ think }: Judge): number => (think === undefined ? 1 : 2);

/** Tokens that one sample may take in all its askings. */
export const tokensOf = ({ think, max_tokens }: Judge): number => max_tokens + (think?.first ?? 0);

/** What a question may come to, its asking with all tokens included: generations, tokens. */
export function worstOf({ samples, ...showing }: Showing, judge: Judge): { generations: number; tokens: number } {
  if (!isShort(showing)) return { generations: samples, tokens: samples * judge.max_tokens };
  return { generations: samples * askingsOf(judge), tokens: samples * tokensOf(judge) };
}

/**
 * The short questions of a match that no question with all tokens has followed yet: each is
 * followed once at most.
 */
function open(answered: readonly Answered[]): readonly Answered[] {
  const last = answered.findLastIndex(({ showing }) => showing.longer === true);
  return answered.slice(last + 1).filter(({ showing }) => isShort(showing));
}

/** With all tokens, those samples of the open questions that could not be read. */
export function unreadAgain(answered: readonly Answered[]): Showing[] {
  return open(answered).flatMap(({ showing, unread = [] }) =>
    longer(
      showing,
      unread.map(({ sample, cut }) => (cut ? sample : sample + FRESH_FROM)),
    ),
  );
}

/**
 * The open questions of a match that is close, with all tokens: the samples that could not be
 * read, or where all could, as many new ones.
 * @param most new samples of each order at most
 */
export function closeAgain(answered: readonly Answered[], most: number): Showing[] {
  const unread = unreadAgain(answered);
  if (unread.length > 0) return unread;
  const left = new Map<number | undefined, number>();
  return open(answered).flatMap(({ showing }) => {
    const { shown, samples, first_sample = 0 } = showing;
    const room = left.get(shown[0]) ?? most;
    const count = Math.min(samples, room);
    left.set(shown[0], room - count);
    return longer(
      showing,
      Array.from({ length: count }, (_, k) => first_sample + k + FRESH_FROM),
    );
  });
}

/** Questions for samples of these numbers, one for each run of them. */
function longer({ shown }: Showing, numbers: readonly number[]): Showing[] {
  const runs: Showing[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && number === (last.first_sample ?? 0) + last.samples) last.samples++;
    else runs.push({ shown, samples: 1, ...(number > 0 && { first_sample: number }), longer: true });
  }
  return runs;
}

const isRead = (reading: Reading): boolean => reading.status !== null && !isUnparsed(reading);

/**
 * The same without the short answers that could not be read, where their match was asked with all
 * tokens or has a verdict: they count neither as unparsed nor as anything else.
 * @param nameOf whose question it is, where several signals asked
 */
export function withoutUnheard<T extends AskedQuestion>(
  asked: readonly T[],
  nameOf: (one: T) => string = () => "",
): readonly T[] {
  if (!asked.some(({ question }) => isShort(question))) return asked;
  const keyOf = (one: T) => `${nameOf(one)}:${comparedIn(one.question)}`;
  const told = new Set(
    asked.flatMap((one) => (one.question.longer === true || one.readings.some(isRead) ? [keyOf(one)] : [])),
  );
  return asked.map((one) =>
    isShort(one.question) && told.has(keyOf(one))
      ? { ...one, readings: one.readings.filter((reading) => !isUnparsed(reading)) }
      : one,
  );
}

/** The samples of a question that were answered and could not be read. */
export const unreadOf = ({ readings }: AskedQuestion): Unread[] =>
  readings.flatMap((reading) =>
    isUnparsed(reading) ? [{ sample: reading.sample, cut: reading.finish_reason === "length" }] : [],
  );
