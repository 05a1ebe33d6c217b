// Finds the strings that an engine's tokenizer treats as special, in engine replies and tokenizer files.

export interface Vocabulary {
  /** Added tokens and the chat template's delimiters, as strings. */
  tokens: readonly string[];
}

/** Upper bounds of a plausible tokenizer's list and tokens. */
const TOKENS_MAX = 65_536;
const TOKEN_CHARS_MAX = 256;

/** Added tokens of some tokenizers (Gemma's) that are ordinary HTML and may occur in legitimate programs. */
const HTML =
  /^<\/?(?:a|abbr|article|aside|b|blockquote|body|br|button|caption|code|col|dd|div|dl|dt|em|footer|form|h[1-6]|head|header|hr|html|i|input|label|li|link|main|meta|nav|ol|option|p|pre|script|section|select|small|span|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul)>$/;
/** Characters that mark an added token. Runs of spaces, words and punctuation are ordinary vocabulary. */
const MARK = /[<>[\]|｜◁▷{}#]/;
const NAME = /[\p{L}\p{N}"]/u;
/** A single character or a word, which a tokenizer does not treat as special. */
const PLAIN = /^(?:.|[\s\p{L}\p{N}]*)$/u;

/** Whether a token that is not marked as special still acts as markup. */
const structural = (token: string) => MARK.test(token) && NAME.test(token) && !HTML.test(token);

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The content of a token, which is a string or an object with a `content`. */
const contentOf = (value: unknown): string | null => {
  const content = isObject(value) ? value.content : value;
  return typeof content === "string" && content !== "" && content.length <= TOKEN_CHARS_MAX ? content : null;
};

/**
 * Reads the tokens from a document: vLLM's `/tokenizer_info`, llama.cpp's `/props`, a
 * `tokenizer_config.json`, a `tokenizer.json`, or a list of tokens (every entry is used). Null if the
 * document names no tokens and has no chat template.
 */
export function vocabularyOf(document: unknown): Vocabulary | null {
  const tokens = new Set<string>();
  const special = (value: unknown) => {
    const token = contentOf(value);
    if (token !== null) tokens.add(token);
  };
  // llama.cpp's `/props` names an ordinary token, such as a comma, if the model has none of that kind.
  const ofTokenizer = isObject(document) && ("tokenizer_class" in document || "added_tokens_decoder" in document);
  const named = (value: unknown) => {
    if (ofTokenizer || !PLAIN.test(contentOf(value) ?? "")) special(value);
  };
  const added = (value: unknown) => {
    const token = contentOf(value);
    if (token !== null && ((isObject(value) && value.special === true) || structural(token))) tokens.add(token);
  };
  if (Array.isArray(document)) document.forEach(special);
  if (isObject(document)) {
    for (const [name, value] of Object.entries(document)) {
      if (/^(?:bos|eos|eot|pad|unk|sep|cls|mask)_token$/.test(name)) named(value);
      else if (/^(?:additional|extra)_special_tokens$/.test(name)) listOf(value).forEach(special);
      else if (name === "added_tokens_decoder" || name === "added_tokens") listOf(value).forEach(added);
      else if (name.startsWith("chat_template")) {
        for (const template of templatesOf(value)) for (const mark of templateMarks(template)) tokens.add(mark);
      }
    }
  }
  if (tokens.size === 0) return null;
  return { tokens: [...tokens].slice(0, TOKENS_MAX) };
}

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

/** A single template, or named templates: `[{name, template}]`. */
const templatesOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : listOf(value).flatMap((entry) => (isObject(entry) && typeof entry.template === "string" ? [entry.template] : []));

const JINJA = /\{#[\s\S]*?#\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}/g;
const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;
const MARKS = /<[^<>\s]{1,64}>|\[\/?[A-Z][^[\]\s]{1,64}\]|◁[^▷\s]{1,64}▷/g;
/** A piece that is only a role label: `USER: `, `### Instruction:`. */
const LABEL = /^(?:#{2,4} ?)?[A-Z][A-Za-z]{1,15}(?: [A-Z][a-z]{1,15})?:$/;

/** The delimiters that a Jinja chat template writes around messages. */
export function templateMarks(template: string): string[] {
  const pieces = template.split(JINJA);
  for (const [code] of template.matchAll(JINJA)) {
    if (code.startsWith("{#")) continue;
    for (const [, single, double] of code.matchAll(LITERAL)) {
      pieces.push((single ?? double ?? "").replaceAll("\\n", "\n"));
    }
  }
  return pieces.flatMap((piece) => {
    const marks: string[] = piece.match(MARKS)?.filter(structural) ?? [];
    const last =
      piece
        .trim()
        .split("\n")
        .at(-1)
        ?.replace(/^(?:<[^<>\s]+>)+/, "") ?? "";
    return LABEL.test(last) ? [...marks, last] : marks;
  });
}
