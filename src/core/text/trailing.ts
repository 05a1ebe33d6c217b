// Removes a trailing run of one character in linear time. A regular expression such as /x+$/ takes quadratic
// time if another character follows a long run, because the search restarts at every x.

/** Removes all trailing occurrences of `letter`. */
export function withoutTrailing(text: string, letter: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === letter) end--;
  return text.slice(0, end);
}
