// The grades of each kind of verdict for the candidates shown, whole and graded.
import { describe, expect, test } from "vitest";
import { gradesIn, type Verdict, winnerOf } from "../../src/core/judges/verdicts.ts";

const graded = { strength: "graded" } as const;

describe("a verdict", () => {
  test("of a letter names a winner and grades nobody", () => {
    const letter: Verdict = { kind: "letter", place: 1 };
    expect(winnerOf(letter)).toBe(1);
    expect(gradesIn(letter, 2, graded)).toBeUndefined();
  });

  test("of slight preference is a whole win, and 0.75 when graded; of much preference always whole", () => {
    const slight: Verdict = { kind: "preference", strength: -1 };
    expect([winnerOf(slight), gradesIn(slight, 2, {})]).toEqual([1, undefined]);
    expect(gradesIn(slight, 2, graded)).toEqual([0.25, 0.75]);
    expect(gradesIn({ kind: "preference", strength: 2 }, 2, graded)).toBeUndefined();
    expect(winnerOf({ kind: "preference", strength: 0 })).toBeNull();
  });

  test("of two scores is the sign of their difference, and graded (1 + tanh((a - b) / scale)) / 2", () => {
    const scores: Verdict = { kind: "scores", scores: [7, 4] };
    expect([winnerOf(scores), gradesIn(scores, 2, {})]).toEqual([0, undefined]);
    const [first, second] = gradesIn(scores, 2, { ...graded, strength_scale: 3 }) as [number, number];
    expect(first).toBeCloseTo((1 + Math.tanh(1)) / 2, 12);
    expect(first + second).toBeCloseTo(1, 12);
  });

  test("of several scores or a ranking decides all pairs by rank, ties shared", () => {
    expect(gradesIn({ kind: "scores", scores: [3, 9, 3] }, 3, { ranks: true })).toEqual([0.25, 1, 0.25]);
    expect(gradesIn({ kind: "ranking", places: [2, 0, 1] }, 3, {})).toEqual([0.5, 0, 1]);
    expect(gradesIn({ kind: "scores", scores: [3, 9, 3] }, 3, {})).toBeUndefined();
  });

  test("of several right ones sets each above each that is not", () => {
    expect(gradesIn({ kind: "letters", places: [0, 2] }, 3, {})).toEqual([1, 0, 1]);
    expect(gradesIn({ kind: "letters", places: [] }, 3, {})).toEqual([0, 0, 0]);
  });

  test("of a distribution counts as such under a soft vote alone", () => {
    const soft: Verdict = { kind: "distribution", shares: [0.7, 0.3] };
    expect(gradesIn(soft, 2, { vote: "soft" })).toEqual([0.7, 0.3]);
    expect([gradesIn(soft, 2, {}), winnerOf(soft)]).toEqual([undefined, 0]);
  });
});
