// Owns how model text is made harmless for a prompt, and how the text is had back. Knows no template.

const JOINER = "\u2060";

/**
 * What a reader does not see: controls but tab and line ends, soft hyphen, bidirectional marks, zero-width characters, variation
 * selectors, tag characters. They hide text from people and show it to models, or split a word that a filter looks for.
 */
const HIDDEN_CLASS =
  "\\0-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u115f\\u1160\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2061-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e01ef}";
const HIDDEN = new RegExp(`^[${HIDDEN_CLASS}]$`, "u");
const HIDDEN_OR_SHOWN = new RegExp(`[${HIDDEN_CLASS}]|<${JOINER}*U\\+[0-9A-F]{4,6}>`, "gu");
const SHOWN = new RegExp(`<${JOINER}*U\\+([0-9A-F]{4,6})>`, "g");

/** A hidden character as `<U+202E>`; text that looks like that already takes a word joiner, so that it can be told apart. */
function showHidden(text: string): string {
  return text.replace(HIDDEN_OR_SHOWN, (match) => {
    if (match.endsWith(">")) return `<${JOINER}${match.slice(1)}`;
    const code = (match.codePointAt(0) as number).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });
}

function hideShown(text: string): string {
  return text.replace(SHOWN, (match, hex: string) => {
    if (match[1] === JOINER) return `<${match.slice(2)}`;
    const code = Number.parseInt(hex, 16);
    const character = code > 0x10ffff ? "" : String.fromCodePoint(code);
    return HIDDEN.test(character) ? character : match;
  });
}

/** Cyrillic and Greek letters that look like a Latin one. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{
    A: "АΑ",
    B: "ВΒ",
    C: "СϹ",
    E: "ЕΕ",
    H: "НΗ",
    I: "ІΙ",
    K: "КΚ",
    M: "МΜ",
    N: "Ν",
    O: "ОΟ",
    P: "РΡ",
    S: "Ѕ",
    T: "ТΤ",
  },
  ...{ X: "ХΧ", Y: "ҮΥ", Z: "Ζ", a: "аα", c: "с", e: "е", i: "іι", k: "к", o: "оο", p: "р", s: "ѕ", x: "х", y: "у" },
};

type Case = "upper" | "lower";

/** A pattern for words separated by `|`, in the cases given, in full-width and in look-alike letters. */
function seeming(words: string, ...cases: Case[]): string {
  return words.replace(/[a-z]/gi, (letter) => {
    const cased = cases.map((c) => (c === "upper" ? letter.toUpperCase() : letter.toLowerCase()));
    const wide = cased.map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
    return `[${[...cased, ...wide, ...cased.map((c) => LOOKALIKES[c] ?? "")].join("")}]`;
  });
}
const anyCase = (words: string) => seeming(words, "upper", "lower");

const BLANKS = "\\s{0,4}";
const SLASH = `${BLANKS}[/／]${BLANKS}`;
const TAGS = "QUESTION|INST|SYSTEM_PROMPT|GMASK|THINK|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT";
/** What a special token may be named. Nothing in it can open another danger, which would else be passed over. */
const MARK_TEXT = "[^|｜<>[\\]\\\\＜＞［］＼\\n]{1,64}";
const LETTER = "(?:[_＿ ]\\p{L})?";
const THOUGHTS = anyCase("THINK|THINKING");
const ANGLED = "THOUGHT|REASONING|ANSWER|TOOL_CALL|TOOL_RESPONSE|START_OF_TURN|END_OF_TURN";
const SHORT =
  "s|bos|eos|pad|unk|sop|eop|[A-Z]{3,4}_TOKEN|SPECIAL_\\d{1,4}|unused_?\\d{1,4}|reserved_\\d{1,4}|extra_id_\\d{1,4}|seed:\\w{1,24}";

/**
 * What must not reach a prompt raw from model text: our own block tags, think and answer tags, the special tokens of the usual
 * model families' chat templates, and a box. In each the first character is one of `[ < ] \` or its full-width form; word
 * joiners may follow it. Case counts where a program may well write the word: `x[question]`, `List<Answer>`, `Set<S>`.
 */
const DANGER = new RegExp(
  [
    `[[［]${JOINER}*${BLANKS}(?:${seeming(TAGS, "upper")}|gMASK|${seeming("CANDIDATE", "upper")}${LETTER})${BLANKS}[\\]］]`,
    `[[［]${JOINER}*${SLASH}(?:${anyCase(TAGS)}|${anyCase("CANDIDATE")}${LETTER})${BLANKS}[\\]］]`,
    `[[［]${JOINER}*[|｜]${MARK_TEXT}[|｜][\\]］]`,
    `[<＜]${JOINER}*${BLANKS}(?:${THOUGHTS}|${seeming(ANGLED, "upper")}|${seeming(ANGLED, "lower")}|${SHORT})${BLANKS}[>＞]`,
    `[<＜]${JOINER}*${SLASH}(?:${THOUGHTS}|${anyCase(ANGLED)}|${SHORT})${BLANKS}[>＞]`,
    `[<＜]${JOINER}*[|｜]${MARK_TEXT}[|｜][>＞]`,
    `[<＜]${JOINER}*[<＜][/／]?${anyCase("SYS")}[>＞][>＞]`,
    // MiniMax's marks.
    `\\]${JOINER}*~(?:!b\\[|b\\])`,
    `\\[${JOINER}*e~\\[`,
    `[\\\\＼]${JOINER}*${anyCase("boxed")}`,
  ].join("|"),
  "gu",
);

/** Some character without which nothing needs escaping. */
const SUSPECT = new RegExp(`[[<\\]\\\\［＜＼${HIDDEN_CLASS}]`, "u");

/**
 * Makes model text unable to close its block, to pose as a chat or verdict token, or to hide. A word joiner breaks what is
 * dangerous behind its first character; hidden characters are written out. Exact inverse: `unescapeText`. Linear time.
 */
export function escapeText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return showHidden(text).replace(DANGER, (match) => `${match[0]}${JOINER}${match.slice(1)}`);
}

/** The text that `escapeText` was given. */
export function unescapeText(text: string): string {
  if (!text.includes("<") && !text.includes(JOINER)) return text;
  return hideShown(text.replace(DANGER, (match) => (match[1] === JOINER ? match[0] + match.slice(2) : match)));
}
