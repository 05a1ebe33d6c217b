// Owns how deep a regular expression nests its repetitions, read from its RE2 syntax. Must not know
// limits or what is matched.

/** Nesting of repetition within an expression. */
interface RegexShape {
  /** Unbounded repetitions (`*`, `+`, `{n,}`) within one another: 1 for `a+b+`, 2 for `(a+)+`. */
  starHeight: number;
  /**
   * The largest product of counted repetitions within one another: 6 for `(a{2}b){3}`, at least 1.
   */
  repeat: number;
}

const CLASS_NAME = /\[:\^?[a-z]+:\]/y;
const COUNT = /\{(\d{1,9})(,?)(\d{0,9})\}/y;
const BRACED_ESCAPE = /\\[pPx]\{[^}]*\}/y;

const flat = (): RegexShape => ({ starHeight: 0, repeat: 1 });

function matchAt(pattern: RegExp, regex: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(regex);
}

/**
 * End of the character class that opens at `start`; a `]` in first place is one of its characters.
 */
function classEnd(regex: string, start: number): number {
  let at = start + (regex[start + 1] === "^" ? 2 : 1);
  const first = at;
  while (at < regex.length && (regex[at] !== "]" || at === first)) {
    const name = regex[at] === "[" ? matchAt(CLASS_NAME, regex, at) : null;
    at += name ? name[0].length : regex[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function escapeEnd(regex: string, start: number): number {
  if (regex[start + 1] === "Q") {
    const end = regex.indexOf("\\E", start + 2);
    return end < 0 ? regex.length : end + 2;
  }
  return start + (matchAt(BRACED_ESCAPE, regex, start)?.[0].length ?? 2);
}

/**
 * A quantifier at `at`: its length, its count and whether it is unbounded; null when there is none.
 */
function quantifierAt(regex: string, at: number): { length: number; count: number; unbounded: boolean } | null {
  const c = regex[at];
  if (c === "*" || c === "+") return { length: 1, count: 1, unbounded: true };
  if (c === "?") return { length: 1, count: 1, unbounded: false };
  const [text, least, comma, most] = (c === "{" && matchAt(COUNT, regex, at)) || [];
  if (text === undefined) return null;
  const count = Math.max(1, Number(least), Number(most || 0));
  return { length: text.length, count, unbounded: comma === "," && most === "" };
}

/**
 * Reads the shape of an expression in RE2 syntax. Total: text that is no valid expression gets some
 * shape, for the compiler to refuse.
 */
export function regexShape(regex: string): RegexShape {
  const groups: RegexShape[] = [flat()];
  let atom = flat();
  let at = 0;
  while (at < regex.length) {
    const quantifier = quantifierAt(regex, at);
    if (quantifier) {
      atom = {
        starHeight: atom.starHeight + (quantifier.unbounded ? 1 : 0),
        repeat: atom.repeat * quantifier.count,
      };
      at += quantifier.length;
    } else if (regex[at] === "(") {
      groups.push(flat());
      atom = flat();
      at++;
      continue;
    } else if (regex[at] === ")") {
      atom = (groups.length > 1 ? groups.pop() : undefined) ?? flat();
      at++;
    } else {
      atom = flat();
      at = regex[at] === "[" ? classEnd(regex, at) : regex[at] === "\\" ? escapeEnd(regex, at) : at + 1;
    }
    const group = groups.at(-1) as RegexShape;
    group.starHeight = Math.max(group.starHeight, atom.starHeight);
    group.repeat = Math.max(group.repeat, atom.repeat);
  }
  return groups.reduce((a, b) => ({
    starHeight: Math.max(a.starHeight, b.starHeight),
    repeat: Math.max(a.repeat, b.repeat),
  }));
}
