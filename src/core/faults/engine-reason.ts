// Owns what people may be told of why an engine refused: its own sentence, without texts, addresses
// and keys, cut to a bound. Must not know HTTP or who asked.

import { REASON_CHARS } from "./question-fault.ts";

/** Characters of an engine's sentence that are passed on. */
export const ENGINE_REASON_CHARS = 200;

/** A run of so many characters that was also sent is an echo of somebody's text. */
const ECHO_CHARS = 24;

/** What servers put their sentence under: OpenAI's way, vLLM's older one, FastAPI's, TEI's. */
const SENTENCE = /"(?:message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)/;

/** Behind the first line, and in braces, validators list what they were given. */
const LISTED = /[\n{].*/s;

/** In this order: what a later one would cut in two is gone before. */
const REDACTED: readonly (readonly [RegExp, string])[] = [
  [LISTED, ""],
  [/\s+/g, " "],
  // It may stand in a header.
  [/[^\x20-\x7e]+/g, "?"],
  [/\bhttps?:\S+/gi, "[address]"],
  [/"[^"]{25,}"|'[^']{25,}'|`[^`]{25,}`/g, "[..]"],
  [/(?:\/[\w.-]+){2,}/g, "[path]"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]"],
  [/\b(?:sk|bearer|key)[-_: ]+[\w.-]{6,}/gi, "[key]"],
  [/[\w+=-]{25,}/g, "[..]"],
];

/**
 * An engine's own sentence; null where it has none, or where it repeats what it was sent.
 * @param said the refusal's body, or what of it is there
 * @param sent the request's body
 */
export function engineReason(said: string, sent: string): string | null {
  const quoted = SENTENCE.exec(said.slice(0, REASON_CHARS))?.[1];
  if (quoted === undefined) return null;
  let text = unquoted(quoted);
  for (const [pattern, instead] of REDACTED) text = text.replace(pattern, instead);
  text = text.trim();
  for (let at = 0; at + ECHO_CHARS <= text.length; at += ECHO_CHARS / 2) {
    if (sent.includes(text.slice(at, at + ECHO_CHARS))) return null;
  }
  if (text === "") return null;
  return text.length <= ENGINE_REASON_CHARS ? text : `${text.slice(0, ENGINE_REASON_CHARS - 2).trimEnd()}..`;
}

/**
 * Whether a status says that the key is not good: a matter of the deployment, not of the question.
 */
export const isKeyRefused = (status: number): boolean => status === 401 || status === 403;

/** What is told instead of an engine's sentence where it refused the key. */
export const keyRefused = (variable: string): string => `key refused: ${variable}`;

function unquoted(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    // Broken off within an escape.
    return inner.replace(/\\u?[0-9a-f]*$/i, "").replace(/\\./g, " ");
  }
}
