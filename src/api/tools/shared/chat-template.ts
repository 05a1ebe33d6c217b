// Parses a conversation already rendered by a chat template: finds where the last answer starts, and strips
// the markup. Pure.

/** Headers of an assistant turn in common chat templates, including the line breaks after them. */
const ASSISTANT =
  /<\|im_start\|>assistant\n|<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|<start_of_turn>model\n|<[|｜]Assistant[|｜]>|<\|assistant\|>\n?|\[\/INST\]/g;

/** The same as a JSON Schema pattern, for the API reference: matches conversations that can be split. */
export const OPENED_TURN = ASSISTANT.source.replaceAll("\\/", "/");

/** Special tokens of common chat templates. */
const TOKEN = /<[|｜][^|｜<>\n]{1,64}[|｜]>|<(?:start_of_turn|end_of_turn|bos|eos|s|\/s)>|\[\/?INST\]/g;

interface RenderedTurn {
  /**
   * Everything before the last assistant turn, without special tokens; role names that the template writes as
   * words remain.
   */
  prompt: string;
  /** The last assistant turn, without its closing tokens. */
  completion: string;
}

/** Splits at the last assistant turn; null if no known header is found. Takes linear time. */
export function splitRendered(text: string): RenderedTurn | null {
  let last: RegExpExecArray | null = null;
  for (const found of text.matchAll(ASSISTANT)) last = found;
  if (last === null) return null;
  return {
    prompt: text.slice(0, last.index).replace(TOKEN, "").trim(),
    completion: withoutClosing(text.slice(last.index + last[0].length)),
  };
}

/** An answer without its closing tokens and the white space between them. */
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
 * A prompt that a template may have rendered, reduced to its text: cut before an opened assistant turn; plain
 * text is returned unchanged.
 */
export function renderedPrompt(text: string): string {
  const turn = splitRendered(text);
  if (turn === null) return text;
  const opened = turn.completion === "" || turn.completion === "<think>";
  return opened ? turn.prompt : text.replace(TOKEN, "").trim();
}

/**
 * The text after `prompt` if `text` starts with it (ignoring special tokens), otherwise the last assistant
 * turn; null if neither is found.
 */
export function answerAfter(text: string, prompt: string): string | null {
  const at = prompt === "" ? -1 : text.indexOf(prompt);
  if (at >= 0 && text.slice(0, at).replace(TOKEN, "").trim() === "")
    return withoutClosing(text.slice(at + prompt.length));
  return splitRendered(text)?.completion ?? null;
}
