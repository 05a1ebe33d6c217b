// The verdicts of a verifier's answer about the candidates it was shown. Places are those of the order shown,
// 0 under letter A.
import { tanh } from "../math/elementary.ts";
import { SCORE_RANGE } from "./verdict.ts";

export type Verdict =
  /** One is the best. */
  | { kind: "letter"; place: number }
  /** All that are right; may be none. */
  | { kind: "letters"; places: readonly number[] }
  /**
   * About two: 2 and 1 for the first, by much or a little, 0 for neither, -1 and -2 for the second. With the
   * scores that were given too, where these are equal.
   */
  | { kind: "preference"; strength: number; scores?: readonly number[] }
  /** One number a candidate, the more the better. */
  | { kind: "scores"; scores: readonly number[] }
  /** Places, best first. */
  | { kind: "ranking"; places: readonly number[] }
  /** About one candidate: a number in the preset's scale. */
  | { kind: "grade"; grade: number }
  /** About one candidate: one of the preset's labels. */
  | { kind: "label"; label: string }
  /**
   * About one candidate: criteria met, missed, the number of a choice, or null where undecided; and the words
   * of the candidate that decide it, which no log keeps.
   */
  | {
      kind: "criteria";
      met: Readonly<Record<string, boolean | number | null>>;
      evidence?: Readonly<Record<string, string>>;
    }
  /** About one solution: the probability that each of its steps is right; null: unknown. */
  | { kind: "steps"; scores: readonly (number | null)[] }
  /** A probability for each place shown, or for each of the preset's labels, in their order. */
  | { kind: "distribution"; shares: readonly number[] };

/** A verdict as the log's columns hold it: in the one that fits, null in the others. */
export interface VerdictColumns {
  letter: string | null;
  scores: readonly number[] | null;
  verdict: Verdict | null;
}

/** The verdict out of the columns; null where there is none, or where it is that two are equal. */
export function verdictIn({ letter, scores, verdict }: VerdictColumns): Verdict | null {
  if (letter !== null) return { kind: "letter", place: letter.charCodeAt(0) - "A".charCodeAt(0) };
  return scores === null ? verdict : { kind: "scores", scores };
}

/** The one highest entry's place, null when several share it. */
function soleTop(values: readonly number[]): number | null {
  const top = Math.max(...values);
  const at = values.indexOf(top);
  return at >= 0 && at === values.lastIndexOf(top) ? at : null;
}

/** The verdict without what it quotes, which is a rollout's text. */
export const tellable = (verdict: Verdict | null): Verdict | null =>
  verdict?.kind === "criteria" ? { kind: verdict.kind, met: verdict.met } : verdict;

/** The place that a verdict names above all others, or null. */
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

/** How much of a verdict's strength a tournament takes over. */
export interface Weighing {
  /** `soft`: distributions count as such, and not as their winner. */
  vote?: "majority" | "soft" | undefined;
  /** A preset's scores of several give their ranks; a template's name the best. */
  ranks?: boolean | undefined;
  strength?: "graded" | undefined;
  strength_scale?: number | undefined;
  /** Lowest and highest of the verdicts' scores; absent or null: those of a score list. */
  range?: readonly [number, number] | null | undefined;
}

/** The part of a range that stands for the scale of graded scores where none is named. */
const SCALE_SHARE = 5;

/**
 * A verdict's share for each of `count` candidates, in [0, 1], where it says more than a winner: for two, 1
 * and 0 or by strength between; for several, by their ranks. undefined where it names only a winner, as a
 * letter does.
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

/** The share of the others that each beats, half a one for a tie. */
const byRank = (scores: readonly number[]): number[] =>
  scores.map((score) => {
    const beaten = scores.reduce((sum, other) => sum + (other < score ? 1 : other === score ? 0.5 : 0), -0.5);
    return beaten / (scores.length - 1);
  });
