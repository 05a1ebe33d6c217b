// Why a question is asked, and the sample numbers that follow from it. A sample's number seeds the engine, and
// the run log stores it, so equal purposes must keep their numbers.

import { LIMITS } from "../faults/limits.ts";

/**
 * Why a question is asked. `from`: samples with lower numbers that were asked for the same purpose before.
 * - `verdict`: decides between its candidates. `round`: how often the schedule repeated the same list before;
 *   `attempt`: how often the question was asked before with unreadable answers.
 * - `fit`: shows copies of one candidate, to test whether they fit into the verifier's context.
 * - `trial`: tests which candidate keeps the verifier from answering.
 * - `bare`: shows `text` instead of a candidate, to test whether the verifier accepts the question itself.
 * - `summary`: the first of two turns, whose answer summarises a candidate for the question with this sample.
 */
export type Purpose =
  | { kind: "verdict"; round: number; attempt: number; from: number }
  | { kind: "fit" }
  | { kind: "trial"; from: number }
  | { kind: "bare"; text: string }
  | { kind: "summary"; sample: number };

/** The purpose of a question that is asked for the first time. */
export const FIRST = { kind: "verdict", round: 0, attempt: 0, from: 0 } as const satisfies Purpose;

/** First sample number of a second attempt. Lower ones: two orders, each with the maximum number of samples. */
const ATTEMPT_FROM = 2 * LIMITS.samples_max;

/**
 * First sample number of a list's second round. The offset is twice as large as necessary, but changing it
 * would change all seeds.
 */
const ROUND_FROM = 2 * ATTEMPT_FROM * (1 + LIMITS.reask_max);

/** First sample number of bare questions and trials, higher than any sample number of a list. */
const TRIAL_FROM = ROUND_FROM * 2 * LIMITS.samples_max;

/** Number of a question's first sample. */
export function firstSampleOf({ purpose }: { purpose: Purpose }): number {
  switch (purpose.kind) {
    case "verdict":
      return purpose.round * ROUND_FROM + purpose.attempt * ATTEMPT_FROM + purpose.from;
    case "fit":
      return 0;
    case "trial":
      return TRIAL_FROM + purpose.from;
    case "bare":
      return TRIAL_FROM;
    case "summary":
      return purpose.sample;
  }
}

/** The purpose of a logged question, from the number of its first sample. */
export function loggedPurpose(sample: number): Purpose {
  if (sample >= TRIAL_FROM) return { kind: "trial", from: sample - TRIAL_FROM };
  const inRound = sample % ROUND_FROM;
  const attempt = Math.floor(inRound / ATTEMPT_FROM);
  return { kind: "verdict", round: Math.floor(sample / ROUND_FROM), attempt, from: inRound % ATTEMPT_FROM };
}

/** The purpose of asking a question again whose answers were unreadable; null if it may not be asked again. */
export const nextAttempt = (purpose: Purpose, attemptMax: number): Purpose | null =>
  purpose.kind === "verdict" && purpose.attempt < attemptMax ? { ...purpose, attempt: purpose.attempt + 1 } : null;

/** Whether a question decides between its candidates. Others only locate the cause of a failure, or summarise. */
export const decides = ({ purpose }: { purpose: Purpose }): boolean => purpose.kind === "verdict";

/** Whether a question's answers are verdicts on the candidates shown, even if they decide nothing. */
export const isJudgement = ({ purpose }: { purpose: Purpose }): boolean =>
  purpose.kind === "verdict" || purpose.kind === "trial";

/** Whether a question decides between its candidates and does not repeat an unreadable question. */
export const isFirst = ({ purpose }: { purpose: Purpose }): boolean =>
  purpose.kind === "verdict" && purpose.attempt === 0;
