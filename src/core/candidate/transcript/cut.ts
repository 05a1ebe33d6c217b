// Cuts text from the environment to a length budget. Long strings are cut to the same length and keep their
// beginning and end.

const said = (left: number): string => `[${left.toLocaleString("en-US")} characters left out]`;
const between = (left: number): string => ` .. ${said(left)} .. `;

/**
 * Whether the code unit is the second half of a surrogate pair, which must not be separated from the first
 * half.
 */
const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** The rest of a string after a cut: its beginning, a note that reports the cut, and its end. */
export interface CutText {
  head: string;
  mark: string;
  tail: string;
  left_out: number;
}

/**
 * Cuts a string to this many characters, including the note that reports the cut. At least the note is always
 * kept, and a string shorter than the note is not cut.
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

/** The minimum length to which a string of the given length can be cut. */
export const leastOf = (length: number): number => Math.min(length, said(length).length);

/**
 * Divides `room` characters among texts of the given lengths. Long texts get an equal share, shorter texts
 * their full length, and the remainder goes to the first texts. Every text gets at least its minimum, even if
 * that exceeds `room`.
 * @param minLengths minimum for each text; must be given if a length is that of only a part of the text
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
