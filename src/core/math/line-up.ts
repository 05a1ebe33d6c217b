// An order of players by their games alone, whatever numbers they go by.

interface Met {
  i: number;
  j: number;
  score: number;
  times?: number;
}

/** A game as one of its two players sees it, and the other. */
interface Side {
  other: number;
  code: number;
}

/**
 * The players in an order that depends on the games only: colours are refined by what each player met with
 * which colour (Weisfeiler and Leman 1968), and where players stay equal one is set apart and all are refined
 * again. The same games under other numbers give the same line under those numbers, up to players who can be
 * exchanged without changing any game.
 * @param placed who is `i` in a game matters beside the score
 */
export function lineUp(players: number, games: readonly Met[], placed: boolean): number[] {
  const sides: Side[][] = Array.from({ length: players }, () => []);
  for (const { i, j, score, times = 1 } of games) {
    const code = bitsOf(score, times);
    sides[i]?.push({ other: j, code });
    // A tie is the same to both, unless one of them stood first.
    sides[j]?.push({ other: i, code: placed || score !== 0.5 ? ~code : code });
  }
  let colours = refined(new Array<number>(players).fill(0), sides);
  for (;;) {
    const shared = colours.findIndex((colour, i) => colours.indexOf(colour) !== i);
    if (shared < 0) break;
    // Any of the equals of the least colour that several have: they can be exchanged.
    const minColour = Math.min(...colours.filter((colour, i) => colours.indexOf(colour) !== i));
    const apart = colours.indexOf(minColour);
    colours = refined(
      colours.map((colour, i) => 2 * colour + Number(colour > minColour || (colour === minColour && i !== apart))),
      sides,
    );
  }
  return [...colours.keys()].sort((a, b) => (colours[a] as number) - (colours[b] as number));
}

const NUMBERS = new Float64Array(2);
const BITS = new Uint32Array(NUMBERS.buffer);

/** 32 bits of two numbers. */
function bitsOf(score: number, times: number): number {
  NUMBERS[0] = score;
  NUMBERS[1] = times;
  return BITS.reduce((hash, bit) => Math.imul(hash ^ bit, 0x9e3779b1) ^ (hash >>> 15), 0x41c6ce57);
}

/** Colours as ranks, parted until no player of one colour met others than its equals did. */
function refined(given: readonly number[], sides: readonly (readonly Side[])[]): number[] {
  let colours = ranked(
    given,
    given.map(() => [0, 0]),
  );
  for (let count = 0; count < new Set(colours).size; ) {
    count = new Set(colours).size;
    colours = ranked(
      colours,
      sides.map((ofPlayer) => {
        let [a, b] = [0, 0];
        for (const { other, code } of ofPlayer) {
          const met = Math.imul(code ^ Math.imul((colours[other] as number) + 1, 0x9e3779b1), 0x85ebca6b);
          a = (a + (met ^ (met >>> 15))) | 0;
          b = (b + Math.imul(met ^ (met >>> 13), 0xc2b2ae35)) | 0;
        }
        return [a, b];
      }),
    );
  }
  return colours;
}

/** Ranks from 0 by colour, then by what was met. */
function ranked(colours: readonly number[], met: readonly (readonly number[])[]): number[] {
  const compare = (a: number, b: number) =>
    (colours[a] as number) - (colours[b] as number) ||
    (met[a]?.[0] as number) - (met[b]?.[0] as number) ||
    (met[a]?.[1] as number) - (met[b]?.[1] as number);
  const line = [...colours.keys()].sort(compare);
  const ranks = new Array<number>(colours.length);
  let rank = 0;
  for (const [at, i] of line.entries()) {
    if (at > 0 && compare(line[at - 1] as number, i) !== 0) rank = at;
    ranks[i] = rank;
  }
  return ranks;
}
