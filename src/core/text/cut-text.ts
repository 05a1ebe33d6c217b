// Shortens a long string to its head and tail.

/** Share of the head. The tail is larger, because it contains the verdict. */
const HEAD_SHARE = 0.25;

/**
 * Returns the head and tail of a string, `chars` characters in total, with a note between them about the
 * omitted characters.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Math.floor(chars * HEAD_SHARE);
  const left = text.length - chars;
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(head + left)}`.toWellFormed();
}
