// The part of an engine's refusal that people may read: numbers, and words that such sentences are made of.
// Anything else may be text that the engine was sent. Must not know HTTP or who asked.

import { ENGINE_WORDS } from "./engine-words.ts";
import { REASON_CHARS } from "./question-fault.ts";

/** Characters of an engine's sentence that are passed on. */
export const ENGINE_REASON_CHARS = 200;

/** This many words in a row that were also sent are an echo of a caller's text. */
const ECHO_WORDS = 4;

/** Keys under which servers put their sentence: OpenAI's, vLLM's older one, FastAPI's, TEI's. */
const SENTENCE = /"(?:message|detail|error|msg)"\s*:\s*"((?:[^"\\]|\\.)*)/;

/** Behind the first line, and in braces, validators list what they were given. */
const LISTED = /[\n{].*/s;

const ADDRESS = /\bhttps?:\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gi;
const PATH = /(?<!\w)(?:\/[\w.-]+){2,}/g;
const KEY = /\b(?:sk|bearer|key)[-_: ]+[\w.-]{6,}/gi;

/** Piece by piece: what was put in another's place, a quotation, a name, a number, marks. */
const PIECE =
  /(?<mark>\[(?:address|path|key|model)\])|(?<![A-Za-z])(?<quote>["'`])(?<inside>[^"'`]*)\k<quote>(?![A-Za-z])|(?<name>[A-Za-z][A-Za-z_']*)(?![A-Za-z0-9_])|(?<number>\d{1,9}(?:\.\d{1,6})?)(?![A-Za-z0-9_])|(?<marks>(?:[\s.,;:!?()<>\]=+*/&%-]|\[(?!(?:address|path|key|model)\]))+)/y;
const HOLE = "[..]";

/** Whether each part of a name, such as max_tokens or BadRequestError, is an engine's word. */
const isKnown = (name: string): boolean =>
  name
    .replace(/'[a-z]{1,2}$/i, "")
    .split(/_+|(?<=[a-z])(?=[A-Z])/)
    .every((part) => part === "" || ENGINE_WORDS.has(part.toLowerCase()));

/** A quotation that is a parameter's name, or with its value. */
const isName = (inside: string): boolean =>
  /^[A-Za-z_]{1,40}(?:=\w{1,16})?$/.test(inside) &&
  inside.split("=").every((part) => /^\d+$/.test(part) || isKnown(part));

/** The texts among what was sent, and its model's name. */
interface Sent {
  words: string;
  model: string | null;
}

/**
 * An engine's own sentence, of which only numbers and an engine's words are kept, up to the first
 * thing that is neither; null where it has none, or where it repeats what it was sent.
 * @param body the refusal's body, or what of it is there
 * @param sent the request's body
 */
export function engineReason(body: string, sent: string): string | null {
  const quoted = SENTENCE.exec(body.slice(0, REASON_CHARS))?.[1];
  if (quoted === undefined) return null;
  const { words, model } = sentOf(sent);
  let text = unquoted(quoted).replace(LISTED, "");
  if (model !== null)
    text = text.replace(new RegExp(`(?<!\\w)${model.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?!\\w)`, "g"), "[model]");
  text = text.replace(ADDRESS, "[address]").replace(PATH, "[path]").replace(KEY, "[key]");
  const knownText = knownPart(text, words).replace(/\s+/g, " ").trim();
  if (!/[a-z]/i.test(knownText.replaceAll(HOLE, "")) || repeats(knownText, words)) return null;
  return knownText.length <= ENGINE_REASON_CHARS
    ? knownText
    : `${knownText.slice(0, ENGINE_REASON_CHARS - 2).trimEnd()}..`;
}

/**
 * The text up to the first piece that is neither a number nor an engine's word. A closed quotation is left
 * out and the rest is read on: its bounds are known.
 */
function knownPart(text: string, sent: string): string {
  let knownText = "";
  for (PIECE.lastIndex = 0; PIECE.lastIndex < text.length; ) {
    const { mark, inside, name, number, marks, quote = "" } = PIECE.exec(text)?.groups ?? {};
    if (inside !== undefined)
      knownText += isName(inside) ? quote + inside + quote : inside === "[model]" ? inside : HOLE;
    else if (number !== undefined) knownText += number.length > 1 && sent.includes(` ${number} `) ? HOLE : number;
    else if (mark !== undefined || marks !== undefined) knownText += mark ?? marks;
    else if (name !== undefined && isKnown(name)) knownText += name;
    else return knownText + HOLE;
  }
  return knownText;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether this many words in a row were also sent. */
function repeats(knownText: string, sent: string): boolean {
  const words = wordsOf(knownText);
  return words.some(
    (_, at) => at + ECHO_WORDS <= words.length && sent.includes(` ${words.slice(at, at + ECHO_WORDS).join(" ")} `),
  );
}

/** All texts of a request's body but its model's name, as words between blanks. */
function sentOf(body: string): Sent {
  const texts: string[] = [];
  const gather = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null) for (const field of Object.values(value)) gather(field);
  };
  let model: string | null = null;
  try {
    const { model: named, ...rest } = JSON.parse(body) as { model?: unknown };
    if (typeof named === "string" && named !== "") model = named;
    gather(rest);
  } catch {
    texts.push(body);
  }
  return { words: ` ${texts.flatMap(wordsOf).join(" ")} `, model };
}

/**
 * Whether a status says that the key is not good: a matter of the deployment, not of the question.
 */
export const isKeyRefused = (status: number): boolean => status === 401 || status === 403;

/** Told instead of an engine's sentence where it refused the key. */
export const keyRefused = (variable: string): string => `key refused: ${variable}`;

/** The name of a backend's other setting, by that of its key: VERIFIER_API_KEY, VERIFIER_URL. */
const settingBeside = (key: string, setting: "model" | "url"): string =>
  key.replace(/api_key$/, setting).replace(/API_KEY$/, setting.toUpperCase());

/**
 * Told where a status says that the deployment is wrong: the number, and what to set.
 * @param key the name of the setting that holds the backend's key; null where it has none
 */
export function misconfigured(status: number, key: string | null): string {
  const said = `status ${status}`;
  if (key === null) return said;
  if (isKeyRefused(status)) return `${said}, ${keyRefused(key)}`;
  if (status === 402) return `${said}, account without credit: ${key}`;
  const url = settingBeside(key, "url");
  if (status !== 404) return `${said}, wrong address: ${url}`;
  return `${said}, no such model or path: ${settingBeside(key, "model")} or ${url}`;
}

function unquoted(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    // Broken off within an escape.
    return inner.replace(/\\u?[0-9a-f]*$/i, "").replace(/\\./g, " ");
  }
}
