// Verdicts of a verifier about the candidates that a question showed. A place is an index in the order shown,
// so place 0 has the letter A.
import { tanh } from "../math/elementary.ts";
import { SCORE_RANGE } from "./verdict.ts";

export type Verdict =
  /** The best candidate. */
  | { kind: "letter"; place: number }
  /** All correct candidates; may be empty. */
  | { kind: "letters"; places: readonly number[] }
  /**
   * Comparison of two candidates: 2 if the first is much better, 1 if it is slightly better, 0 for a tie, and
   * -1 or -2 if the second is better. `scores` is set if the answer also gave equal scores.
   */
  | { kind: "preference"; strength: number; scores?: readonly number[] }
  /** A number for each candidate; higher is better. */
  | { kind: "scores"; scores: readonly number[] }
  /** Places in order, best first. */
  | { kind: "ranking"; places: readonly number[] }
  /** Grade of a single candidate, on the preset's scale. */
  | { kind: "grade"; grade: number }
  /** Label of a single candidate, from the preset's labels. */
  | { kind: "label"; label: string }
  /**
   * Decision about each criterion for a single candidate: met, not met, the number of a choice, or null if
   * undecided. `evidence` quotes the words of the candidate that decide each criterion; it is never logged.
   */
  | {
      kind: "criteria";
      met: Readonly<Record<string, boolean | number | null>>;
      evidence?: Readonly<Record<string, string>>;
    }
  /** For each step of a single solution, the probability that the step is correct; null if unknown. */
  | { kind: "steps"; scores: readonly (number | null)[] }
  /** A probability for each place shown, or for each label of the preset, in the same order. */
  | { kind: "distribution"; shares: readonly number[] };

/** A verdict as stored in the columns of the log: the column that fits is set, and the others are null. */
export interface VerdictColumns {
  letter: string | null;
  scores: readonly number[] | null;
  verdict: Verdict | null;
}

/** Restores the verdict from the log's columns. Returns null if there is none or if it is a tie. */
export function verdictIn({ letter, scores, verdict }: VerdictColumns): Verdict | null {
  if (letter !== null) return { kind: "letter", place: letter.charCodeAt(0) - "A".charCodeAt(0) };
  return scores === null ? verdict : { kind: "scores", scores };
}

/** Place of the highest value; null if several values tie. */
function soleTop(values: readonly number[]): number | null {
  const top = Math.max(...values);
  const at = values.indexOf(top);
  return at >= 0 && at === values.lastIndexOf(top) ? at : null;
}

/** Removes the quotations from a verdict, because they are text from a rollout. */
export const tellable = (verdict: Verdict | null): Verdict | null =>
  verdict?.kind === "criteria" ? { kind: verdict.kind, met: verdict.met } : verdict;

/** Place of the verdict's single winner, or null if there is none. */
export function winnerOf(verdict: Verdict | null): number | null {
  switch (verdict?.kind) {
    case "letter":
      return verdict.place;
    case "letters":
      return verdict.places.length === 1 ? (verdict.places[0] as number) : null;
    case "preference":
      return verdict.strength === 0 ? null : verdict.strength > 0 ? 0 : 1;
    case "scores":
      return soleTop(verdict.scores);
    case "ranking":
      return verdict.places[0] ?? null;
    case "distribution":
      return soleTop(verdict.shares);
    default:
      return null;
  }
}

/** Determines how much of a verdict's strength a tournament uses. */
export interface Weighing {
  /** With `soft`, a distribution counts with its probabilities and not only as a vote for its winner. */
  vote?: "majority" | "soft" | undefined;
  /**
   * Whether scores of several candidates count as ranks (presets) or only identify the best one (templates).
   */
  ranks?: boolean | undefined;
  strength?: "graded" | undefined;
  strength_scale?: number | undefined;
  /** Lowest and highest score of the verdicts; if omitted or null, the range of a score list. */
  range?: readonly [number, number] | null | undefined;
}

/** The default scale for graded scores is the score range divided by this number. */
const SCALE_SHARE = 5;

/**
 * Grades in [0, 1] of the `count` candidates, if a verdict says more than who won. For two candidates they
 * are 1 and 0, or values between that depend on the strength; for several candidates they depend on the rank.
 * Returns undefined if the verdict names only a winner, as a letter does.
 */
export function gradesIn(verdict: Verdict | null, count: number, weighing: Weighing): number[] | undefined {
  switch (verdict?.kind) {
    case "preference": {
      const { strength } = verdict;
      if (weighing.strength !== "graded" || Math.abs(strength) !== 1) return undefined;
      return strength > 0 ? [0.75, 0.25] : [0.25, 0.75];
    }
    case "letters":
      return Array.from({ length: count }, (_, place) => (verdict.places.includes(place) ? 1 : 0));
    case "ranking":
      return verdict.places.length === count
        ? byRank(verdict.places.map((_, i) => -verdict.places.indexOf(i)))
        : undefined;
    case "distribution":
      return weighing.vote === "soft" ? [...verdict.shares] : undefined;
    case "scores":
      return ofScores(verdict.scores, weighing);
    default:
      return undefined;
  }
}

function ofScores(scores: readonly number[], weighing: Weighing): number[] | undefined {
  const { strength, ranks = false } = weighing;
  if (scores.length !== 2) return ranks ? byRank(scores) : undefined;
  if (strength !== "graded") return undefined;
  const [first, second] = scores as [number, number];
  const [low, high] = weighing.range ?? SCORE_RANGE;
  const share = (1 + tanh((first - second) / (weighing.strength_scale ?? (high - low) / SCALE_SHARE))) / 2;
  return [share, 1 - share];
}

/** Share of the other candidates that each candidate beats; a tie counts as one half. */
const byRank = (scores: readonly number[]): number[] =>
  scores.map((score) => {
    const beaten = scores.reduce((sum, other) => sum + (other < score ? 1 : other === score ? 0.5 : 0), -0.5);
    return beaten / (scores.length - 1);
  });
