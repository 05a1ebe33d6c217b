// Cuts environment text to a length budget: long texts are cut to a common level and keep their beginning and
// end.

const said = (left: number): string => `[${left.toLocaleString("en-US")} characters left out]`;
const between = (left: number): string => ` .. ${said(left)} .. `;

/**
 * Whether the character is the second half of a surrogate pair, which must not be separated from the first.
 */
const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** What is left of a text after a cut: its beginning, a mark that reports the cut, and its end. */
export interface CutText {
  head: string;
  mark: string;
  tail: string;
  left_out: number;
}

/**
 * Cuts a text to this many characters, including the mark. A cut text consists of its mark at least; a text
 * shorter than its mark is kept.
 */
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

/** The minimum length to which a text of the given length can be cut. */
export const leastOf = (length: number): number => Math.min(length, said(length).length);

/**
 * Divides `room` among texts of the given lengths: long texts get an equal share, shorter texts their full
 * length, and the remainder goes to the first ones. Each text gets at least its minimum, even if that exceeds
 * the room.
 * @param minLengths minimum per text; must be given if a length is that of a part of the text
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
