// Removes the end of a text. A pattern such as /x+$/ tries every x anew where another letter follows them:
// its time is the square of their number.

/** The text without the run of this one letter at its end. */
export function withoutTrailing(text: string, letter: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === letter) end--;
  return text.slice(0, end);
}
