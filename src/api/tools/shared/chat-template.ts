// Reads a conversation that a chat template has already rendered: where the last answer begins, and what is
// only markup. Pure.

/**
 * The texts that the usual templates put in front of an assistant's turn; each runs to the end of its line
 * breaks.
 */
const ASSISTANT =
  /<\|im_start\|>assistant\n|<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|<start_of_turn>model\n|<[|｜]Assistant[|｜]>|<\|assistant\|>\n?|\[\/INST\]/g;

/** The same as an expression for the document: what a conversation holds that can be split. */
export const OPENED_TURN = ASSISTANT.source.replaceAll("\\/", "/");

/** Tokens of the usual templates that are not part of what anyone said. */
const TOKEN = /<[|｜][^|｜<>\n]{1,64}[|｜]>|<(?:start_of_turn|end_of_turn|bos|eos|s|\/s)>|\[\/?INST\]/g;

interface RenderedTurn {
  /**
   * All before the last assistant turn, without the template's tokens; roles stay where the
   * template writes them as words.
   */
  prompt: string;
  /** The last assistant turn, without the tokens that close it. */
  completion: string;
}

/**
 * Splits at the last assistant turn; null when the text has none that is known. Linear in the text.
 */
export function splitRendered(text: string): RenderedTurn | null {
  let last: RegExpExecArray | null = null;
  for (const found of text.matchAll(ASSISTANT)) last = found;
  if (last === null) return null;
  return {
    prompt: text.slice(0, last.index).replace(TOKEN, "").trim(),
    completion: withoutClosing(text.slice(last.index + last[0].length)),
  };
}

/** An answer without the tokens that close it, and the blanks between them. */
export function withoutClosing(text: string): string {
  let rest = text.trimEnd();
  for (;;) {
    const open = rest.lastIndexOf("<");
    const token = open < 0 ? "" : rest.slice(open);
    if (!/^(?:<[|｜][^|｜<>\n]{1,64}[|｜]>|<(?:end_of_turn|eos|\/s)>)$/.test(token)) return rest;
    rest = rest.slice(0, open).trimEnd();
  }
}

/**
 * A prompt that a template may have rendered, as what was said: with an opening for the answer it
 * is cut there, a bare text is left alone.
 */
export function renderedPrompt(text: string): string {
  const turn = splitRendered(text);
  if (turn === null) return text;
  const opened = turn.completion === "" || turn.completion === "<think>";
  return opened ? turn.prompt : text.replace(TOKEN, "").trim();
}

/**
 * The text behind `prompt` in a text that begins with it (special tokens before it aside), else the last
 * assistant turn; null when neither is found.
 */
export function answerAfter(text: string, prompt: string): string | null {
  const at = prompt === "" ? -1 : text.indexOf(prompt);
  if (at >= 0 && text.slice(0, at).replace(TOKEN, "").trim() === "")
    return withoutClosing(text.slice(at + prompt.length));
  return splitRendered(text)?.completion ?? null;
}
