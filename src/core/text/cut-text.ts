// Shortens a long text to its head and tail.

/** Share of the head. The tail gets more, because it contains the verdict. */
const HEAD_SHARE = 0.25;

/**
 * The head and tail of a text, `chars` characters together, with a note about the omitted characters between
 * them.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Math.floor(chars * HEAD_SHARE);
  const left = text.length - chars;
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(head + left)}`.toWellFormed();
}
