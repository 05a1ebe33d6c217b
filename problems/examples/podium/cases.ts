// The tests of podium: the shown arguments and the hidden ones. Results come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

type Arguments = [names: string[], scores: number[], k: number];

export const samples: Arguments[] = [
  [["mo", "ada", "lin"], [5, 9, 5], 2],
  [["eve", "bob", "kim", "zoe"], [3, 8, 8, 1], 1],
];

function randomRace(draw: Draw, count: number, low: number, high: number, k: number): Arguments {
  const names = new Set<string>();
  while (names.size < count) names.add(draw.word(draw.int(2, 6), "abcdefghijklmnopqrstuvwxyz"));
  return [[...names], draw.list(count, () => draw.int(low, high)), k];
}

export function hidden(draw: Draw): Arguments[] {
  return [
    [[], [], 1],
    [["amy"], [0], 1],
    [["amy"], [-5], 3],
    [["bo", "al"], [7, 7], 1],
    [["bo", "al"], [7, 7], 5],
    [["cy", "bo", "al"], [1, 2, 3], 3],
    [["cy", "bo", "al"], [10, 9, 8], 1],
    [["cy", "bo", "al"], [100, 20, 3], 2],
    [["cy", "bo", "al", "di"], [-1, -2, -10, 0], 3],
    [["ed", "di", "cy", "bo", "al"], [4, 4, 4, 2, 1], 2],
    [["ed", "di", "cy", "bo", "al"], [1, 2, 1, 2, 1], 2],
    [["ann", "an", "anna"], [6, 6, 6], 1],
    [["low", "mid", "top"], [0, 0, 1], 4],
    randomRace(draw, 6, 0, 9, 3),
    randomRace(draw, 10, 0, 5, 2),
    randomRace(draw, 12, -30, 30, 4),
    randomRace(draw, 20, 0, 200, 7),
    randomRace(draw, 25, -9, 0, 20),
    randomRace(draw, 60, 0, 40, 12),
    randomRace(draw, 150, -100_000, 100_000, 30),
  ];
}
