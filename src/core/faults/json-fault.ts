// Explains where and why a string is not valid JSON, by field path and without quoting the string. Runs only
// after JSON.parse has failed.

interface JsonFault {
  /** A path such as `groups[0].rollouts[1].pass_rate`; `$` for the document itself. */
  path: string;
  message: string;
  detail: string;
}

/** An open object or array. `key` is null until the object's first key has been read. */
type Frame = { kind: "object"; key: string | null } | { kind: "array"; index: number };

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACES = " \t\n\r";
const NON_FINITE = /[+-]?(?:NaN|Infinity|inf|nan)\b/y;
const KEY_CHARS_MAX = 64;
const FRAMES_SHOWN_MAX = 12;

/** Formats a field path. Keys that are not identifiers are quoted; long keys are truncated. */
export function fieldPath(parts: readonly (string | number)[]): string {
  let path = "";
  for (const part of parts) {
    if (typeof part === "number") path += `[${part}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(part)) path += path === "" ? part : `.${part}`;
    else path += `[${JSON.stringify(part.slice(0, KEY_CHARS_MAX))}]`;
  }
  return path === "" ? "$" : path;
}

/**
 * Whether a character can be part of a number, `true`, `false` or `null`: letters, digits, `_`, `.`, `+`,
 * `-`.
 */
function isOfWord(code: number): boolean {
  const letter = code | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || "_.+-".includes(String.fromCharCode(code))
  );
}

class Locator {
  private readonly text: string;
  private at = 0;
  private readonly frames: Frame[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Scans to the first position that is not valid JSON. */
  locate(): { at: number; parts: (string | number)[]; message: string } {
    const message = this.document();
    const parts = this.frames.slice(0, FRAMES_SHOWN_MAX).map((f) => (f.kind === "object" ? f.key : f.index));
    return { at: this.at, parts: parts.filter((part) => part !== null), message };
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  /**
   * Reads a string without a regular expression, because one could overflow the stack on megabytes of input.
   */
  private string(): string | null {
    if (this.text[this.at] !== '"') return null;
    const start = this.at;
    for (let i = start + 1; i < this.text.length; ) {
      const code = this.text.charCodeAt(i);
      if (code === 0x22) {
        this.at = i + 1;
        return this.text.slice(start, this.at);
      }
      ESCAPE.lastIndex = i;
      if (code < 0x20 || (code === 0x5c && !ESCAPE.test(this.text))) return null;
      i += code === 0x5c ? ESCAPE.lastIndex - i : 1;
    }
    return null;
  }

  private space(): void {
    while (this.at < this.text.length && SPACES.includes(this.text.charAt(this.at))) this.at++;
  }

  /** Reads a number, a boolean or null. Like `string`, avoids a regular expression. */
  private word(): boolean {
    let end = this.at;
    while (end < this.text.length && isOfWord(this.text.charCodeAt(end))) end++;
    try {
      JSON.parse(this.text.slice(this.at, end));
    } catch {
      return false;
    }
    this.at = end;
    return true;
  }

  private eat(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private document(): string {
    for (;;) {
      const fault = this.value() ?? this.close();
      if (fault !== null) return fault;
      if (this.frames.length === 0) {
        this.space();
        return "unexpected text after the end of the JSON value";
      }
    }
  }

  /** Reads a scalar, or opens nested objects and arrays until it reaches the first scalar. */
  private value(): string | null {
    for (;;) {
      if (this.eat("[")) {
        this.frames.push({ kind: "array", index: 0 });
        if (this.peek() === "]") return null;
      } else if (this.eat("{")) {
        this.frames.push({ kind: "object", key: null });
        if (this.peek() === "}") return null;
        const fault = this.key();
        if (fault !== null) return fault;
      } else {
        return this.scalar();
      }
    }
  }

  private peek(): string | undefined {
    this.space();
    return this.text[this.at];
  }

  private scalar(): string | null {
    if (this.string() !== null || this.word()) return null;
    if (this.at >= this.text.length) return "the text ends in the middle of a value";
    if (this.take(NON_FINITE) !== null) return "NaN and Infinity are not JSON numbers; send null or omit the field";
    if (this.text[this.at] === '"')
      return "a string is not closed, or contains a raw control character or an invalid escape";
    return "not a JSON value";
  }

  private key(): string | null {
    this.space();
    const key = this.string();
    if (key === null) return "expected a key in double quotes";
    this.frames[this.frames.length - 1] = { kind: "object", key: JSON.parse(key) };
    return this.eat(":") ? null : "expected a colon after the key";
  }

  /** Closes the objects and arrays that end after a value, or moves to the next property or element. */
  private close(): string | null {
    for (let frame = this.frames.at(-1); frame !== undefined; frame = this.frames.at(-1)) {
      if (this.eat(frame.kind === "array" ? "]" : "}")) {
        this.frames.pop();
      } else if (this.eat(",")) {
        if (frame.kind === "object") return this.key();
        frame.index++;
        return null;
      } else {
        return `expected a comma or the end of the ${frame.kind}`;
      }
    }
    return null;
  }
}

/** Returns the path and cause of the first error in a string that JSON.parse has rejected. */
export function describeJsonFault(text: string): JsonFault {
  if (text.trim() === "")
    return { path: "$", message: "the body is empty", detail: "The body is empty; JSON is expected." };
  const { at, parts, message } = new Locator(text).locate();
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const path = fieldPath(parts);
  return { path, message, detail: `Not JSON at ${path} (line ${line}, column ${column}): ${message}.` };
}
