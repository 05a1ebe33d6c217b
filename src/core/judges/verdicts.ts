// What a verifier's answer can say of the candidates it was shown. Places are those of the order
// shown, 0 under letter A.

export type Verdict =
  /** One is the best. */
  | { kind: "letter"; place: number }
  /** All that are right; may be none. */
  | { kind: "letters"; places: readonly number[] }
  /** Of two: 2 and 1 for the first, by much or a little, 0 for neither, -1 and -2 for the second. */
  | { kind: "preference"; strength: number }
  /** One number a candidate, the more the better. */
  | { kind: "scores"; scores: readonly number[] }
  /** Places, best first. */
  | { kind: "ranking"; places: readonly number[] }
  /** Of one candidate: a number in the preset's scale. */
  | { kind: "grade"; grade: number }
  /** Of one candidate: one of the preset's labels. */
  | { kind: "label"; label: string }
  /** Of one candidate: criteria met, missed, or null where not told, by their ids. */
  | { kind: "criteria"; met: Readonly<Record<string, boolean | null>> }
  /** A probability for each place shown, or for each of the preset's labels, in their order. */
  | { kind: "distribution"; shares: readonly number[] };

/** The one highest entry's place, null when several share it. */
export function soleTop(values: readonly number[]): number | null {
  const top = Math.max(...values);
  const at = values.indexOf(top);
  return at >= 0 && at === values.lastIndexOf(top) ? at : null;
}

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
