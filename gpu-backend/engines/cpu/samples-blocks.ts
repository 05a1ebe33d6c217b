// Finds input/output pairs in a problem statement: labels, code fences and tables.

export interface Pair {
  input: string;
  output: string;
}

interface Label {
  kind: "input" | "output" | "example" | "end";
  /**
   * Whether the label's wording marks a sample (Sample Input, Input 2, ..) rather than a section of the
   * description.
   */
  sure: boolean;
  /** Text after the colon on the label's line. */
  rest: string;
}

const ORDINAL = String.raw`(?:(?:#\s*)?\d{1,3}|#\s*[A-Z])`;
const INPUT_OUTPUT = new RegExp(
  String.raw`^(?<before>(?:sample|example|test(?:\s*case)?|standard)s?\s*(?:test\s*)?(?:${ORDINAL}\s*)?(?:[:.\-–]\s*)?)?(?<kind>inputs?|outputs?|expected\s+outputs?)\s*(?:copy\s*)?(?:(?<after>(?:for\s+)?(?:sample|example)s?)\s*)?(?:(?<number>${ORDINAL})\s*)?(?:\(\s*(?:stdin|stdout)\s*\)\s*)?(?:[:=：]\s*(?<rest>(?:\S.*)?))?$`,
  "i",
);
const EXAMPLE = new RegExp(
  String.raw`^(?:samples?|examples?|sample\s+(?:tests?|cases?)|test\s*cases?)\s*(?:${ORDINAL}\s*)?[:.]?$`,
  "i",
);
const END =
  /^(?:explanations?|notes?|constraints?|hints?|scoring|subtasks?|follow[- ]?up|limits?|tags?|source|time limit|memory limit|function signature|task|your task|description|problem|statement)\b[^\n]{0,40}?(?::|$)/i;

/**
 * Maximum length of a label. Longer lines are data or prose; the limit also bounds the work of the patterns.
 */
const LABEL_LINE_CHARS = 400;

/** All input/output pairs that are clearly samples, in order. */
export function inputOutputPairs(statement: string): Pair[] {
  const lines = statement
    .replace(/<\/?(?:pre|code|samp)>/gi, "```")
    .replace(GLUED, "\n")
    .split("\n")
    .flatMap(splitGluedOutput)
    .flatMap(splitSameLine);
  return [...tablePairs(lines), ...labelledPairs(lines)];
}

const SAMPLE = String.raw`(?:Sample|Example|SAMPLE|EXAMPLE)\s+(?:[Tt]est\s+)?`;
/**
 * Matches a label directly after a sentence or a value, as in `…their sum.Sample Input 1:`, where a page has
 * lost its line breaks.
 */
const GLUED = new RegExp(
  String.raw`(?=${SAMPLE}(?:Input|Output|INPUT|OUTPUT)s?(?:\s*${ORDINAL})?[ \t]*(?::|$))(?<=[.!?:;)\]}"'\`$][ \t]*|\S)`,
  "gm",
);
const GLUED_OUTPUT = new RegExp(
  String.raw`(?=${SAMPLE}(?:Input|Output|INPUT|OUTPUT)s?\s*(?:${ORDINAL}\s*)?(?::|$)|(?:Explanation|Note)s?\s*(?:\d+\s*)?:)`,
);

/**
 * Splits a line that starts with a sample's input and also contains its output, its explanation or the next
 * sample.
 */
function splitGluedOutput(line: string): string[] {
  if (!new RegExp(`^${SAMPLE}(?:In|Out|IN|OUT)put`, "i").test(line.trim())) return [line];
  return line
    .trim()
    .split(GLUED_OUTPUT)
    .map((part) => part.trimEnd())
    .filter((part) => part !== "");
}

const INPUT = /\binput\b[^:]{0,12}:/gi;
/** Matches only at the start of a run of separators, so that no separator is scanned twice. */
const TO_OUTPUT = /(?<=[^\s,;|→])[\s,;|→]+(?=\W{0,3}(?:expected )?output\b[^:]{0,12}:)/gi;

/** Splits `Input: 3, Output: 6` into two lines, at the first output after the last input. */
function splitSameLine(line: string): string[] {
  if (line.length > LABEL_LINE_CHARS) return [line];
  const outputs = [...line.matchAll(TO_OUTPUT)];
  const last = outputs.at(-1)?.index ?? 0;
  const input = [...line.matchAll(INPUT)].findLast((found) => found.index + found[0].length < last);
  if (input === undefined) return [line];
  const after = input.index + input[0].length;
  const cut = outputs.find(({ index }) => index > after) as RegExpExecArray;
  return [line.slice(0, cut.index), line.slice(cut.index + cut[0].length)];
}

/** Removes heading marks, emphasis and list markers from a line. */
function bare(line: string): string {
  const text = line
    .trim()
    .replace(/^(?:#{1,6}|[-*+>]|\d{1,2}[.)])\s+/, "")
    .replace(/^(?:\*\*|__|\*|_)(.*?)(?:\*\*|__|\*|_)(\s*:?)/, "$1$2")
    .replace(/^<(\w{1,16})\b[^>]*>(.*?)<\/\1>/, "$2");
  return (/^--.*--$/.test(text) ? text.replace(/^-+|(?<!-)-+$/g, "") : text).trim();
}

function labelOf(line: string): Label | null {
  const text = line.length > LABEL_LINE_CHARS ? "" : bare(line);
  if (text === "") return null;
  if (EXAMPLE.test(text)) return { kind: "example", sure: true, rest: "" };
  const match = INPUT_OUTPUT.exec(text)?.groups;
  if (match) {
    const kind = /in/i.test((match.kind as string).slice(0, 2)) ? "input" : "output";
    const sure = match.before !== undefined || match.after !== undefined || match.number !== undefined;
    return { kind, sure, rest: (match.rest ?? "").trim() };
  }
  if (END.test(text) || /^#{1,6}\s/.test(line.trim())) return { kind: "end", sure: true, rest: "" };
  return null;
}

interface Block {
  text: string;
  /** Whether the block was in a code fence or on the label's line. */
  marked: boolean;
  next: number;
}

function labelledPairs(lines: readonly string[], within = false): Pair[] {
  const pairs: Pair[] = [];
  let inExample = within;
  let input: { block: Block; sure: boolean } | null = null;
  for (let i = 0; i < lines.length; ) {
    const label = fenceAt(lines, i) ? null : labelOf(lines[i] as string);
    const fenced = fenceAt(lines, i);
    if (label === null) {
      // A code fence without a label may contain a whole example with its labels.
      if (fenced && !within) pairs.push(...labelledPairs(fenced.text.split("\n").flatMap(splitSameLine), true));
      i = fenced ? fenced.next : i + 1;
      continue;
    }
    if (label.kind === "example" || label.kind === "end") {
      inExample = label.kind === "example" || (inExample && isAside(lines[i] as string));
      if (label.kind === "example") input = null;
      i++;
      continue;
    }
    const block = blockAfter(lines, i, label);
    const sure = label.sure || inExample;
    if (label.kind === "input") input = { block, sure };
    else if (input !== null) {
      if (isSample(input.block, input.sure) && isSample(block, sure) && block.text !== "") {
        pairs.push({ input: input.block.text, output: block.text });
      }
      input = null;
    }
    i = block.next;
  }
  return pairs;
}

/** Explanations may appear between the samples of a section; other headings end the section. */
const isAside = (line: string) => /^(?:explanations?|notes?)\b/i.test(bare(line));

/** Filters out the description's Input section, which is unmarked prose. */
function isSample(block: Block, sure: boolean): boolean {
  return sure || (block.marked ? !isProse(block.text) : block.text !== "" && !isProse(block.text));
}

function isProse(text: string): boolean {
  return text.split("\n").some((line) => (line.match(/\b[A-Za-z]{2,}\b/g) ?? []).length >= 5 && /[a-z]/.test(line));
}

function blockAfter(lines: readonly string[], at: number, label: Label): Block {
  if (label.rest !== "") {
    const next = nextLabel(lines, at + 1);
    const more = lines.slice(at + 1, next);
    const blank = more.findIndex((line) => line.trim() === "");
    const taken = blank === -1 ? more : more.slice(0, blank);
    const text = [unquote(label.rest), ...(label.kind === "input" ? taken : taken.filter((l) => !isProse(l)))].join(
      "\n",
    );
    return { text: clean(text), marked: true, next };
  }
  let i = at + 1;
  while (i < lines.length && (lines[i] as string).trim() === "") i++;
  const fenced = fenceAt(lines, i);
  if (fenced) return { text: clean(fenced.text), marked: true, next: fenced.next };
  const next = nextLabel(lines, i);
  const block = lines.slice(i, next);
  const blank = block.findIndex((line) => line.trim() === "");
  const taken = label.kind === "output" && blank !== -1 ? block.slice(0, blank) : block;
  const indented = taken.filter((l) => l.trim() !== "").every((l) => /^(?: {4}|\t)/.test(l));
  return {
    text: clean((indented ? taken.map((l) => l.replace(/^(?: {4}|\t)/, "")) : taken).join("\n")),
    marked: false,
    next,
  };
}

function nextLabel(lines: readonly string[], from: number): number {
  let i = from;
  while (i < lines.length && labelOf(lines[i] as string) === null && !/^\s*(?:`{3,}|~{3,})/.test(lines[i] as string))
    i++;
  return i;
}

/** The code fence that starts on this line, if any. */
function fenceAt(lines: readonly string[], at: number): { text: string; next: number } | null {
  const open = /^\s*(`{3,}|~{3,}(?!~))([^`]*)$/.exec(lines[at] ?? "");
  const single = /^\s*`{3,}([^`]+)`{3,}\s*$/.exec(lines[at] ?? "");
  if (single) return { text: single[1] as string, next: at + 1 };
  if (!open) return null;
  const fence = open[1] as string;
  let end = at + 1;
  while (end < lines.length && !(lines[end] as string).trim().startsWith(fence)) end++;
  const info = (open[2] as string).trim();
  // On pages where `<pre>` opens on the line of the first value, the fence's tag is data.
  const first = /^\d|\s/.test(info) ? [info] : [];
  return { text: [...first, ...lines.slice(at + 1, end)].join("\n"), next: end + 1 };
}

const unquote = (text: string) => /^`([^`]*)`$/.exec(text)?.[1] ?? text;

const clean = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd();

/** Pairs from tables whose header names input and output. */
function tablePairs(lines: readonly string[]): Pair[] {
  const cells = (line: string) =>
    /^\s*\|.*\|\s*$/.test(line)
      ? line
          .trim()
          .slice(1, -1)
          .split("|")
          .map((c) => c.trim())
      : null;
  const pairs: Pair[] = [];
  for (let i = 0; i < lines.length; i++) {
    const header = cells(lines[i] as string)?.map((c) => bare(c).toLowerCase());
    const at = {
      input: header?.findIndex((c) => /\binput\b/.test(c)) ?? -1,
      output: header?.findIndex((c) => /\boutput\b/.test(c)) ?? -1,
    };
    if (at.input < 0 || at.output < 0 || !/^[\s|:-]+$/.test(lines[i + 1] ?? "")) continue;
    // Rows are not checked as headers of another table, so that no row is scanned twice.
    i += 2;
    for (let row = cells(lines[i] ?? ""); row; row = cells(lines[++i] ?? "")) {
      const text = (index: number) => clean(unquote(row?.[index] ?? "").replace(/`?<br\s*\/?>`?/gi, "\n"));
      pairs.push({ input: text(at.input), output: text(at.output) });
    }
  }
  return pairs.filter((pair) => pair.output !== "");
}
