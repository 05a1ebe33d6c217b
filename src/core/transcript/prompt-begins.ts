// The first words of a logged prompt, by which people tell groups apart in a list.

/** Number of characters at the start of a prompt in which the words are searched. */
export const PROMPT_HEAD_CHARS = 2000;
const WORDS_CHARS = 120;

/**
 * A message's content in the key orders of common clients: a user's first, then anyone's. The end of the head
 * may cut the string.
 */
const CONTENTS = [
  /"role":"user","content":(?:\[\{"type":"(?:input_)?text","text":)?"((?:[^"\\]|\\.)*)/,
  /"content":"((?:[^"\\]|\\.)*)","role":"user"/,
  /"content":(?:\[\{"type":"(?:input_)?text","text":)?"((?:[^"\\]|\\.)*)/,
];

/** The text of the first user message of a serialized chat that may be cut; null if it cannot be found. */
function firstMessage(head: string): string | null {
  for (const pattern of CONTENTS) {
    const [, found] = pattern.exec(head) ?? [];
    if (found === undefined) continue;
    try {
      return JSON.parse(`"${found.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`) as string;
    } catch {
      return null;
    }
  }
  return null;
}

/** The first words of a prompt, or of a chat's first user message, in one line. */
export function promptBegins(prompt: string): string {
  const head = prompt.slice(0, PROMPT_HEAD_CHARS);
  const words = ((head.startsWith("[{") ? firstMessage(head) : null) ?? head).replace(/\s+/g, " ").trim();
  if (words.length <= WORDS_CHARS) return words;
  // A character of two units is left out rather than cut in half.
  return `${words.slice(0, WORDS_CHARS - 1).replace(/[\ud800-\udbff]$/, "")}\u2026`;
}
