// Finds the answer after words that announce it (`Answer: 42`, `The answer is 72.`), in many languages and
// with the usual bold text and headings. Linear time.

import { lazily } from "../../text/lazily.ts";
import { strip } from "../../text/python-text.ts";

/** Bold text, headings, quotes, TeX and HTML around an announcement. */
const DECOR = String.raw`(?:[\s*_~\x60#>|$"'\u201c\u201d\u3010\u3011]|\\(?:text(?:bf|it|rm)?|mathbf|emph|underline|boldsymbol)\s?\{|\}|</?(?:b|i|u|p|em|strong|h[1-6])>)`;
const BOLD = String.raw`[\s*_~\x60]*`;
const KIND = String.raw`(?:(?:final|correct|right|best|short|exact|numerical|numeric|overall|most\s+likely)[\s_\u2010\u2011-]+)`;
const NOUN = String.raw`(?:${KIND}{0,2}(?:answers?|ans\b\.?)(?:\s+(?:choice|option))?|${KIND}(?:option|choice)|final[\s_\u2010\u2011-]+result)`;
/** Nouns that announce an answer in other languages. */
const FOREIGN_NOUN =
  "(?:final\\s+)?(?:antwort|r\u00e9ponse|reponse|respuesta|resposta|risposta|\u043e\u0442\u0432\u0435\u0442|\u0432\u0456\u0434\u043f\u043e\u0432\u0456\u0434\u044c|odpowied\u017a|cevap|yan\u0131t|\u0111\u00e1p\\s+(?:\u00e1n|s\u1ed1)|jawaban|antwoord|svar)(?:\\s+(?:final|finale|correcta|correta|corretta|correcte))?";
const UNSPACED_NOUN =
  "(?:\u6700\u7ec8|\u6700\u7d42|\u6b63\u786e|\u6b63\u78ba|\u6545|\u56e0\u6b64|\u6240\u4ee5)?[\uff0c,]?\\s?(?:\u7b54\u6848|\u7b54\u3048|\u89e3\u7b54|\u56de\u7b54|\u7b54|\uc815\ub2f5|\ub2f5|\u0627\u0644\u0625\u062c\u0627\u0628\u0629|\u0627\u0644\u062c\u0648\u0627\u0628|\u0909\u0924\u094d\u0924\u0930)";
const COPULA = String.raw`(?:is|are|was|be|equals|est|es|ist|lautet|\u00e9|\u00e8)(?![\p{L}\p{N}])`;
const UNSPACED_COPULA = "(?:\u662f|\u4e3a|\u70ba|\u306f|\uc740|\ub294)";
const COLON = "[:\uff1a=\u3011]";
/** A dash surrounded by spaces; unlike a minus sign, it is not directly followed by a number. */
const DASH = "(?:\\s*[\u2013\u2014]|\\s-(?=\\s))";
const TOPIC = String.raw`(?:\s+(?:to|for|of)\s[^.:!?\n]{1,80}?)?`;
const OPENING_WORDS = String.raw`(?:(?:so|thus|hence|therefore|then|and|finally|my|our|the|la|le|die|a)[\s,]+){0,4}`;

/** A line that begins with an announcement and a colon, or that consists of an announcement. */
const LABEL = new RegExp(
  `^(?:${DECOR}|[([{]|[-+\u2022]\\s|\\d{1,2}[.)]\\s)*${OPENING_WORDS}(?:${NOUN}|${FOREIGN_NOUN}|${UNSPACED_NOUN})(?:${DECOR}*\\([^()\\n]{1,20}\\))?(?:${DECOR}*${COLON}|${DECOR}*$|${DASH}|(?<=\\bans\\.)\\s)`,
  "iu",
);
/** An announcement inside a line. */
const SENTENCE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${NOUN}|${FOREIGN_NOUN})${TOPIC}${DECOR}*\\s(?:should\\s|would\\s|must\\s|will\\s|therefore\\s|thus\\s|then\\s){0,2}${COPULA}${BOLD}${COLON}?|${UNSPACED_NOUN}${DECOR}*${UNSPACED_COPULA}${BOLD}${COLON}?|\u6545\u9009${COLON}?|(?<=[.!?;\u3002]\\s{1,4}${DECOR}{0,4})(?:the\\s)?(?:${NOUN}|${FOREIGN_NOUN})${DECOR}*${COLON}|(?<=[.!?;\u3002]\\s{0,4})${UNSPACED_NOUN}${DECOR}*${COLON}`,
  "giu",
);
/** Every announcement contains one of these words. Lines without them are skipped. */
const ANNOUNCES =
  /ans|result|option|choice|antwo|r[e\u00e9]ponse|respuesta|resposta|risposta|\u043e\u0442\u0432\u0435\u0442|\u0432\u0456\u0434\u043f\u043e\u0432\u0456\u0434\u044c|odpowied\u017a|cevap|yan\u0131t|\u0111\u00e1p|jawaban|svar|\u7b54|\u9009|\ub2f5|\u0625\u062c\u0627\u0628\u0629|\u062c\u0648\u0627\u0628|\u0909\u0924\u094d\u0924\u0930/iu;
const UNSEEN = /[\u200b-\u200f\u2060\ufeff]/g;

/** Text that may follow an answer: another sentence, a reason, or the next field of a JSON object. */
const BEHIND = lazily(
  () =>
    /(?<=(?:\p{Ll}{3}|[\d)}\]$%*"]|^["'([*]*\p{L})[.!?])["')\]*_]{0,4}\s+(?=[\p{Lu}\p{Lo}"'(*](?!\.))|(?<=[\d)}\]$%*"][.!?])\s+(?=\p{L})|[\u3002\uff01\uff1f]|[,;:]\s+(?:because|since|as|so|which|where|given)(?!\p{L})|\s+\(?(?:because|since)(?!\p{L})|"?,\s*"\w{1,40}"\s*:/u,
);
const BEFORE = lazily(
  () =>
    /^(?:[\s*_~\x60"'\u201c\u201d\u3010\u3011|>:\uff1a=,}]|\\[ ,;]|\\quad(?![a-z])|(?:therefore|thus|then|simply|just|indeed)(?!\p{L}))+/iu,
);
const AFTER = /(?<![\s*_~\x60"'\u201c\u201d\u3010\u3011|,;])[\s*_~\x60"'\u201c\u201d\u3010\u3011|,;]+$/;
/** Words that continue the sentence without an answer: `the answer is found by ..`. */
const NO_ANSWER =
  /^(?:to|by|found|obtained|given|determined|calculated|computed|derived|expected|supposed|required)\s/i;
/** `The best option is to ..` announces nothing, but `The best option is (B)` does. */
const CHOSEN = lazily(() => /^(?:\W|option|choice)*[A-Z](?![\p{L}\p{N}])/u);
const MARKS_OF_HTML = /<\/?(?:b|i|u|p|em|strong|br|h[1-6])\s?\/?>/gi;
/** Longer lines are skipped, because they do not state an answer that could be compared. */
const LINE_CHARS_MAX = 4096;
/** A line that only opens a formula or a code block; the answer is on the next line. */
const DISPLAY = /^(?:\$\$|\\\[|\x60{3}\w{0,16})$/;

const PAIRS = ["{}", "()", "[]"] as const;

/** Removes a trailing bracket or dollar sign that was opened before the answer. */
function balanced(answer: string): string {
  const count = (sign: string) => answer.split(sign).length;
  const pair = PAIRS.find(([, close]) => answer.endsWith(close as string));
  const isOpen = pair !== undefined && count(pair[1] as string) > count(pair[0] as string);
  return isOpen || (answer.endsWith("$") && count("$") % 2 === 0) ? answer.slice(0, -1) : answer;
}

/** Returns the answer at the beginning of the text after an announcement. */
function answerIn(behind: string): string {
  const text = behind.replace(MARKS_OF_HTML, " ").replace(BEFORE(), "");
  const end = text.search(BEHIND());
  return balanced((end < 0 ? text : text.slice(0, end)).replace(AFTER, "")).replace(AFTER, "");
}

function nextLine(lines: readonly string[], at: number): string {
  const next = lines.slice(at + 1).filter((line) => strip(line) !== "");
  const [first = "", second = ""] = next;
  return DISPLAY.test(strip(first)) ? second : first;
}

/** Returns the answer after the last announcement in a line, or null if there is none. */
function announcedIn(line: string): string | null {
  const label = LABEL.exec(line)?.[0];
  let announced = label === undefined ? null : answerIn(line.slice(label.length));
  for (const found of line.matchAll(SENTENCE)) {
    const answer = answerIn(line.slice(found.index + found[0].length));
    const isChoice = /(?:option|choice)/i.test(found[0]) && !/ans/i.test(found[0]);
    if (!NO_ANSWER.test(answer) && (!isChoice || CHOSEN().test(answer))) announced = answer;
  }
  return announced;
}

/**
 * Returns the answer after the last announcement in the input, from the same line, or from the next one if
 * the line ends with the announcement. Empty if nothing follows; null without an announcement.
 */
export function lastMarked(text: string): string | null {
  const lines = text.replace(UNSEEN, "").split(/\r?\n/);
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as string;
    if (line.length > LINE_CHARS_MAX || !ANNOUNCES.test(line)) continue;
    const announced = announcedIn(line);
    if (announced !== null) return announced === "" ? answerIn(nextLine(lines, at)) : announced;
  }
  return null;
}
