// Cuts what the environment wrote until it fits: by equal levels, each text keeping its head and its tail.

const said = (left: number): string => `[${left.toLocaleString("en-US")} characters left out]`;
const between = (left: number): string => ` .. ${said(left)} .. `;

/** Half of a surrogate pair says nothing. */
const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** What is left of a text: its beginning, the words that tell of the cut, its end. */
export interface CutText {
  head: string;
  mark: string;
  tail: string;
  left_out: number;
}

/** A text within this many characters, the mark included; at the least its mark, or all of it. */
export function cutTo(text: string, chars: number): CutText {
  if (text.length <= chars || text.length <= said(text.length).length) {
    return { head: text, mark: "", tail: "", left_out: 0 };
  }
  const keptChars = chars - between(text.length).length;
  if (keptChars <= 0) return { head: "", mark: said(text.length), tail: "", left_out: text.length };
  let head = Math.ceil(keptChars / 2);
  let tail = text.length - Math.floor(keptChars / 2);
  if (isLow(text, head)) head--;
  if (isLow(text, tail)) tail++;
  const left_out = tail - head;
  return { head: text.slice(0, head), mark: between(left_out), tail: text.slice(tail), left_out };
}

/** The least that a text of that length can be cut to. */
export const leastOf = (length: number): number => Math.min(length, said(length).length);

/**
 * How much each of the lengths gets of `room`: all the same level, those below it all they have,
 * what is over to the first. None gets less than its least, even beyond the room.
 * @param minLengths of each, where a length is that of a part
 */
export function shares(lengths: readonly number[], room: number, minLengths = lengths.map(leastOf)): number[] {
  const at = (level: number) => lengths.map((length, i) => Math.max(minLengths[i] as number, Math.min(length, level)));
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  let [low, high] = [0, lengths.reduce((max, length) => Math.max(max, length), 0)];
  if (sum(at(high)) <= room) return at(high);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sum(at(middle)) <= room) low = middle;
    else high = middle;
  }
  const level = at(low);
  let over = room - sum(level);
  return level.map((share, i) => {
    const more = over > 0 && share === low && (lengths[i] as number) > share ? 1 : 0;
    over -= more;
    return share + more;
  });
}
