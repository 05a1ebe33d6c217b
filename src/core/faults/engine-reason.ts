// Sanitizes an engine's error message for users: keeps only numbers and words from a fixed vocabulary,
// because anything else could be part of the prompt. Independent of HTTP and of tenants.

import { ENGINE_WORDS } from "./engine-words.ts";
import { REASON_CHARS } from "./question-fault.ts";

/** Maximum length of the sanitized message, in characters. */
export const ENGINE_REASON_CHARS = 200;

/**
 * Number of consecutive words that, if they also occur in the request, make the message an echo of the
 * request.
 */
const ECHO_WORDS = 4;

/** Fields that hold the error message in replies of OpenAI, older vLLM, FastAPI and TEI. */
const SENTENCE = /"(?:message|detail|error|msg)"\s*:\s*"((?:[^"\\]|\\.)*)/;

/** Everything after the first line or after an opening brace, where validation errors list their input. */
const LISTED = /[\n{].*/s;

const ADDRESS = /\bhttps?:\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gi;
const PATH = /(?<!\w)(?:\/[\w.-]+){2,}/g;
const KEY = /\b(?:sk|bearer|key)[-_: ]+[\w.-]{6,}/gi;

/** A single token: a placeholder, a quotation, a name, a number, or punctuation. */
const PIECE =
  /(?<mark>\[(?:address|path|key|model)\])|(?<![A-Za-z])(?<quote>["'`])(?<inside>[^"'`]*)\k<quote>(?![A-Za-z])|(?<name>[A-Za-z][A-Za-z_']*)(?![A-Za-z0-9_])|(?<number>\d{1,9}(?:\.\d{1,6})?)(?![A-Za-z0-9_])|(?<marks>(?:[\s.,;:!?()<>\]=+*/&%-]|\[(?!(?:address|path|key|model)\]))+)/y;
const HOLE = "[..]";

/** Whether every part of a name, such as max_tokens or BadRequestError, is in the vocabulary. */
const isKnown = (name: string): boolean =>
  name
    .replace(/'[a-z]{1,2}$/i, "")
    .split(/_+|(?<=[a-z])(?=[A-Z])/)
    .every((part) => part === "" || ENGINE_WORDS.has(part.toLowerCase()));

/** Whether a quotation is a parameter's name, possibly with a value. */
const isName = (inside: string): boolean =>
  /^[A-Za-z_]{1,40}(?:=\w{1,16})?$/.test(inside) &&
  inside.split("=").every((part) => /^\d+$/.test(part) || isKnown(part));

/** The words of all strings in a request, and the name of its model. */
interface Sent {
  words: string;
  model: string | null;
}

/**
 * Extracts the error message from an engine's reply. Keeps numbers and known words, up to the first other
 * token. Returns null if the message is missing or echoes the request.
 * @param body body of the error reply, possibly truncated
 * @param sent body of the request
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
 * Returns the message up to the first token that is neither a number nor a known word. An unknown quotation
 * is replaced and the scan continues, because its end is clear.
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

/** Whether ECHO_WORDS consecutive words also occur in the request. */
function repeats(knownText: string, sent: string): boolean {
  const words = wordsOf(knownText);
  return words.some(
    (_, at) => at + ECHO_WORDS <= words.length && sent.includes(` ${words.slice(at, at + ECHO_WORDS).join(" ")} `),
  );
}

/** Collects the words of all strings in the request body, except the model's name, separated by spaces. */
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
 * Whether the status means that the engine rejected the API key, which is a problem of the deployment and not
 * of the question.
 */
export const isKeyRefused = (status: number): boolean => status === 401 || status === 403;

/** Message shown instead of the engine's message if the engine rejected the API key. */
export const keyRefused = (variable: string): string => `key refused: ${variable}`;

/**
 * Name of another setting of the same backend, derived from the name of its key setting: VERIFIER_API_KEY
 * gives VERIFIER_URL.
 */
const settingBeside = (key: string, setting: "model" | "url"): string =>
  key.replace(/api_key$/, setting).replace(/API_KEY$/, setting.toUpperCase());

/**
 * Message for a status that indicates a misconfigured deployment. It contains the status and the setting to
 * fix.
 * @param key name of the setting that holds the backend's key; null if the backend has no key
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
    // The string was cut in the middle of an escape sequence.
    return inner.replace(/\\u?[0-9a-f]*$/i, "").replace(/\\./g, " ");
  }
}
