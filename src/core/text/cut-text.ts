// How a text that is too long is shown: by its head and its end.

/** The end of a text that is too long says more: it holds the verdict. */
const HEAD_SHARE = 0.25;

/** A text's head and end, together `chars` long, with what is said of the rest between them. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Math.floor(chars * HEAD_SHARE);
  const left = text.length - chars;
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(head + left)}`.toWellFormed();
}
