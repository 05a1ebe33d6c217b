// The tests of wax-seal: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const render = (base: number, modulus: number, text: string): string => `${base} ${modulus}\n${text}\n`;

export const samples: string[] = [render(31, 1000, "abc"), render(10, 97, "key")];

function randomSeal(draw: Draw, most: number, length: number): string {
  const modulus = draw.int(Math.floor(most / 2), most);
  return render(draw.int(2, modulus - 1), modulus, draw.word(length, LETTERS));
}

export function hidden(draw: Draw): string[] {
  return [
    render(2, 3, ""),
    render(1_999_999_998, 1_999_999_999, ""),
    render(2, 3, "z"),
    render(26, 27, "a"),
    render(5, 26, "zz"),
    render(2, 1_000_000_007, "letter"),
    render(31, 1_000_000_007, "kingdom"),
    render(131, 999_983, "harbour"),
    render(1_000_003, 1_999_999_973, "quartz"),
    render(1_999_999_972, 1_999_999_973, "zzzzzzzz"),
    render(999_999_936, 1_999_999_873, "amber"),
    render(3, 1_999_999_973, "z".repeat(200)),
    randomSeal(draw, 100, 6),
    randomSeal(draw, 5000, 40),
    randomSeal(draw, 90_000_000, 3),
    randomSeal(draw, 90_000_000, 60),
    randomSeal(draw, 2_000_000_000, 5),
    randomSeal(draw, 2_000_000_000, 30),
    randomSeal(draw, 2_000_000_000, 400),
    randomSeal(draw, 94_000_000, 2000),
  ];
}
