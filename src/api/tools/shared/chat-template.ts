// Parses conversations that were already rendered by a chat template: finds the start of the last answer and
// removes the markup.

/** Matches the header of an assistant turn in common chat templates, including line breaks after it. */
const ASSISTANT =
  /<\|im_start\|>assistant\n|<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|<start_of_turn>model\n|<[|｜]Assistant[|｜]>|<\|assistant\|>\n?|\[\/INST\]/g;

/** JSON Schema pattern for conversations that can be split, for the API reference. */
export const OPENED_TURN = ASSISTANT.source.replaceAll("\\/", "/");

/** Matches a special token of common chat templates. */
const TOKEN = /<[|｜][^|｜<>\n]{1,64}[|｜]>|<(?:start_of_turn|end_of_turn|bos|eos|s|\/s)>|\[\/?INST\]/g;

interface RenderedTurn {
  /**
   * Everything before the last assistant turn, without special tokens. Role names that the template renders
   * as plain words remain.
   */
  prompt: string;
  /** The last assistant turn, without closing tokens. */
  completion: string;
}

/** Splits a conversation at its last assistant turn; null if no known header is found. Takes linear time. */
export function splitRendered(text: string): RenderedTurn | null {
  let last: RegExpExecArray | null = null;
  for (const found of text.matchAll(ASSISTANT)) last = found;
  if (last === null) return null;
  return {
    prompt: text.slice(0, last.index).replace(TOKEN, "").trim(),
    completion: withoutClosing(text.slice(last.index + last[0].length)),
  };
}

/** Removes the closing tokens of an answer, and the white space between them. */
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
 * Reduces a prompt that a chat template may have rendered to plain text, without an opened assistant turn at
 * its end. Returns plain text unchanged.
 */
export function renderedPrompt(text: string): string {
  const turn = splitRendered(text);
  if (turn === null) return text;
  const opened = turn.completion === "" || turn.completion === "<think>";
  return opened ? turn.prompt : text.replace(TOKEN, "").trim();
}

/**
 * The part of `text` after `prompt` if `text` starts with `prompt` (ignoring special tokens), otherwise the
 * last assistant turn; null if neither is found.
 */
export function answerAfter(text: string, prompt: string): string | null {
  const at = prompt === "" ? -1 : text.indexOf(prompt);
  if (at >= 0 && text.slice(0, at).replace(TOKEN, "").trim() === "")
    return withoutClosing(text.slice(at + prompt.length));
  return splitRendered(text)?.completion ?? null;
}
