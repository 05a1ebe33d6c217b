// Orders players only by their games, independent of how they are numbered.

interface Met {
  i: number;
  j: number;
  score: number;
  times?: number;
}

/** A game from the perspective of one player, with the opponent's index. */
interface Side {
  other: number;
  code: number;
}

/**
 * Orders the players only by their games. Uses colour refinement (Weisfeiler and Leman 1968): a player's
 * colour is refined by the results against opponents of each colour. If players still share a colour, one of
 * them gets a new colour and the refinement is repeated. Renumbering the players renumbers the order in the
 * same way, except for players who can be exchanged without changing any game.
 * @param placed whether it matters which player of a game is `i`
 */
export function lineUp(players: number, games: readonly Met[], placed: boolean): number[] {
  const sides: Side[][] = Array.from({ length: players }, () => []);
  for (const { i, j, score, times = 1 } of games) {
    const code = bitsOf(score, times);
    sides[i]?.push({ other: j, code });
    // A tie is the same for both players, unless the order within a game matters.
    sides[j]?.push({ other: i, code: placed || score !== 0.5 ? ~code : code });
  }
  let colours = refined(new Array<number>(players).fill(0), sides);
  for (;;) {
    const shared = colours.findIndex((colour, i) => colours.indexOf(colour) !== i);
    if (shared < 0) break;
    // Takes any player of the smallest shared colour, because players of the same colour are interchangeable.
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

/** A 32-bit hash of two numbers. */
function bitsOf(score: number, times: number): number {
  NUMBERS[0] = score;
  NUMBERS[1] = times;
  return BITS.reduce((hash, bit) => Math.imul(hash ^ bit, 0x9e3779b1) ^ (hash >>> 15), 0x41c6ce57);
}

/**
 * Refines colours, represented as ranks, until players of the same colour have the same results against the
 * same colours.
 */
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

/** Ranks, counted from 0, ordered by colour and then by the hashes of the games. */
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
