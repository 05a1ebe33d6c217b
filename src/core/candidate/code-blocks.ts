// Finds fenced code blocks in what models write: CommonMark's fences, and those that models get wrong. Must
// not know rollouts or specs.
import { canonicalLanguage } from "./languages.ts";

export interface CodeBlock {
  content: string;
  /** The fence's info string, trimmed. */
  info: string;
}

interface CodeBlocks {
  /** Complete blocks in order; an empty one that two closing fences made is none. */
  blocks: CodeBlock[];
  /** The last block was left open with something in it: the text was cut. */
  cut: boolean;
}

interface Fence {
  mark: "`" | "~";
  /** How many marks. */
  length: number;
  /** The blanks before the fence, a list marker counted as blanks. */
  indent: string;
  quoted: boolean;
  info: string;
  /**
   * It may as well be a stray mark: it opens a block only when something closes it before the next
   * fence with a tag.
   */
  doubtful: boolean;
}

/** A line with a fence's marks in it: text[start..end) without its line end. */
interface SourceLine {
  start: number;
  end: number;
  text: string;
}

const TILDES = /^( {0,3})(~{3,})(.*)$/s;
const QUOTE = /^ {0,3}(?:> ?)+/;
const LIST_MARKERS = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+$/;
const LIST_ITEM = /^ *(?:[-*+]|\d{1,9}[.)]) +/;
const BLANK = /^[ \t]*$/;
const PURE = /^([ \t]*)(`{3,})(.*)$/s;
/** A fence that a comment mark takes out of the program's text, alone on its line. */
const COMMENTED = /^[ \t]*(#|\/\/|--|;|%)[ \t]*(`{3,})([\w+#.-]*)[ \t]*$/;
/**
 * Text allowed behind a closing fence on its line: nothing, a tag or a chat token, or words, but not an info
 * string.
 */
const NO_INFO = /^[ \t]*$|^[ \t]*<[/|\w\uff5c]|^[ \t]+\S+[ \t]+\S|^[.,;:!?)*\]]/;
const MID_LINE_INFO = /^(?:[{.]{0,2}[A-Za-z][\w+#.,:=}-]{0,40})?$/;

const isMarkdown = (info: string): boolean => /^(?:markdown|md)$/i.test(info);

/** Whether an info string is one word that names a language (or says `text`). */
const isTag = (info: string): boolean => !/\s/.test(info) && canonicalLanguage(info) !== null;

const isOdd = (runs: RegExpMatchArray | null): boolean => (runs?.length ?? 0) % 2 === 1;

/**
 * The last run of backticks of a line, when it is three or more: what stands before it, how many,
 * and what behind.
 */
function lastRun(line: string): { before: string; length: number; rest: string } | null {
  const end = line.lastIndexOf("`") + 1;
  let start = end;
  while (start > 0 && line[start - 1] === "`") start--;
  return end - start < 3 ? null : { before: line.slice(0, start), length: end - start, rest: line.slice(end) };
}

/** Whether a line belongs to a list item whose text begins at most `indent` columns in. */
type InListItem = (line: SourceLine, indent: number) => boolean;

/** Answers for lines in order, and looks at each character once. */
function listItems(text: string): InListItem {
  let from = 0;
  let column = 0;
  return ({ start }, indent) => {
    for (const line of text.slice(from, start).split("\n")) {
      const item = LIST_ITEM.exec(line);
      const blanks = line.length - line.trimStart().length;
      // An item within an item changes nothing: its lines belong to the outer one too.
      if (item !== null) column = column > 0 && blanks >= column ? column : item[0].length;
      else if (/^\S/.test(line)) column = 0;
    }
    from = start;
    return column > 0 && column <= indent;
  };
}

/**
 * An opening fence before which only blanks, list markers or quote marks stand; null when the line
 * has none.
 */
function leadingFence(
  inListItem: InListItem,
  line: SourceLine,
  run: { before: string; length: number; info: string },
): Fence | null {
  const { before, length, info } = run;
  const fence = { mark: "`", length, indent: before, quoted: false, info, doubtful: false } as const;
  if (QUOTE.exec(before)?.[0] === before) return { ...fence, indent: "", quoted: true };
  if (LIST_MARKERS.test(before)) return { ...fence, indent: before.replace(/[^\t]/g, " ") };
  if (!BLANK.test(before)) return null;
  if (/^ {0,3}$/.test(before) || isTag(info)) return fence;
  return inListItem(line, before.length) ? fence : null;
}

/**
 * The line as an opening fence outside any block: CommonMark's, or in mid-line behind words
 * (`Assistant: ```python`).
 */
function openingFence(inListItem: InListItem, line: SourceLine): Fence | null {
  const tildes = TILDES.exec(line.text);
  if (tildes !== null) {
    const [, indent = "", marks = "", info = ""] = tildes;
    return { mark: "~", length: marks.length, indent, quoted: false, info: info.trim(), doubtful: false };
  }
  const run = lastRun(line.text);
  // Behind an odd number of runs this one closes a code span.
  if (run === null || isOdd(run.before.match(/`{3,}/g))) return null;
  const info = run.rest.trim();
  const leading = leadingFence(inListItem, line, { ...run, info });
  if (leading !== null) return leading;
  if (BLANK.test(run.before) || !MID_LINE_INFO.test(info)) return null;
  return { mark: "`", length: run.length, indent: "", quoted: false, info, doubtful: !isTag(info) };
}

/**
 * Takes the fence's own indentation off each line; less where the first line has less, for then the
 * program is not aligned with its fence.
 */
function unindent(content: string, { indent, quoted }: Fence): string {
  if (quoted) return content.replace(/^ {0,3}(?:> ?)+/gm, "");
  if (indent === "") return content;
  if (indent.includes("\t"))
    return content
      .split("\n")
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join("\n");
  const first = /^(?:[ \t\r]*\n)*( *)/.exec(content)?.[1]?.length ?? 0;
  const width = Math.min(indent.length, first);
  return width === 0 ? content : content.replace(new RegExp(`^ {1,${width}}`, "gm"), "");
}

/** Walks a text's fences once. */
class BlockFinder {
  readonly blocks: CodeBlock[] = [];
  readonly #text: string;
  readonly #inListItem: InListItem;
  #open: Fence | null = null;
  #contentStart = 0;
  /** Behind the last closing fence; -1 before the first. */
  #closedAt = -1;
  /** Marks of a `markdown` block around blocks; 0 outside one. */
  #wrapper = 0;
  /** In a comment's own example, between two commented fences. */
  #inComment = false;

  constructor(text: string) {
    this.#text = text;
    this.#inListItem = listItems(text);
  }

  line(line: SourceLine): void {
    if (this.#open === null) this.#outside(line);
    else if (this.#open.mark === "~") this.#inTildes(line, this.#open);
    else this.#inBackticks(line, this.#open);
  }

  /**
   * Whether the last block was left open. A fence that nothing follows, and a doubtful one, opened
   * nothing.
   */
  isCut(): boolean {
    if (this.#open === null || this.#open.doubtful) return false;
    return this.#open.info !== "" || !BLANK.test(this.#text.slice(this.#contentStart).replace(/[\r\n]/g, ""));
  }

  #outside(line: SourceLine): void {
    const fence = openingFence(this.#inListItem, line);
    if (fence === null) return;
    if (fence.info === "" && fence.mark === "`") {
      if (this.#wrapper > 0 && fence.length >= this.#wrapper) {
        this.#wrapper = 0;
        this.#closedAt = line.end;
        return;
      }
      // Right behind a closing fence it is more likely that one doubled than a block without a tag.
      const between = this.#closedAt < 0 ? null : this.#text.slice(this.#closedAt, line.start);
      if (between !== null && between.length < 64 && between.trim() === "") fence.doubtful = true;
    }
    this.#enter(fence, line);
  }

  #enter(fence: Fence, line: SourceLine): void {
    this.#open = fence;
    this.#contentStart = Math.min(line.end + 1, this.#text.length);
    if (this.#text[line.end] === "\r") this.#contentStart++;
    this.#inComment = false;
  }

  /** Ends the open block with the content text[..end). */
  #close(open: Fence, end: number, line: SourceLine): void {
    const content = unindent(this.#text.slice(this.#contentStart, Math.max(end, this.#contentStart)), open);
    if (!(open.doubtful && content.trim() === "")) this.blocks.push({ content, info: open.info });
    this.#open = null;
    this.#closedAt = line.end;
  }

  /** The end of the line before this one, without its line end. */
  #endBefore({ start }: SourceLine): number {
    const end = start - 1;
    return this.#text[end - 1] === "\r" ? end - 1 : end;
  }

  #inTildes(line: SourceLine, open: Fence): void {
    const [, , marks = "", rest = ""] = TILDES.exec(line.text) ?? [];
    if (marks.length >= open.length && rest.trim() === "") this.#close(open, this.#endBefore(line), line);
  }

  #inBackticks(line: SourceLine, open: Fence): void {
    const shown = open.quoted ? line.text.replace(QUOTE, "") : line.text;
    const [, indent = "", marks = "", rest = ""] = PURE.exec(shown) ?? [];
    const isNear = indent.replace(/\t/g, "    ").length <= open.indent.length + 3;
    if (marks !== "" && !rest.includes("`") && isNear) {
      this.#fenceInside(line, open, marks.length, rest);
      return;
    }
    const commented = COMMENTED.exec(shown);
    if (commented !== null) this.#commentedFence(line, open, commented);
    else if (marks === "") this.#closedInLine(line, open);
  }

  /**
   * A line within a block that begins with a fence: the closing one, or the next block's where this
   * one's was forgotten.
   */
  #fenceInside(line: SourceLine, open: Fence, length: number, rest: string): void {
    const info = rest.trim();
    const wraps = isMarkdown(open.info);
    if (info !== "" && isTag(info) && (length >= open.length || wraps)) {
      if (wraps) this.#wrapper = open.length;
      else if (!open.doubtful) this.#close(open, this.#endBefore(line), line);
      const next = openingFence(this.#inListItem, line);
      if (next !== null) this.#enter(next, line);
    } else if (length >= open.length && NO_INFO.test(rest)) {
      this.#close(open, this.#endBefore(line), line);
    }
  }

  /** `# ```: the end of the block, unless the comment goes on: then it is an example within one. */
  #commentedFence(line: SourceLine, open: Fence, [, mark = "", marks = "", tag = ""]: RegExpExecArray): void {
    if (marks.length < open.length) return;
    const next = this.#text
      .slice(line.end, line.end + 64)
      .replace(/^\r?\n/, "")
      .trimStart();
    const goesOn = next.startsWith(mark);
    if (this.#inComment || goesOn) this.#inComment = !this.#inComment;
    else if (tag === "") this.#close(open, this.#endBefore(line), line);
  }

  /** `return x```: the closing fence at the end of the program's last line. */
  #closedInLine(line: SourceLine, open: Fence): void {
    const run = lastRun(line.text);
    if (run === null || run.length < open.length || isOdd(run.before.match(/`{3,}/g))) return;
    if (/^[ \t]*(?:<[/|\uff5c].*)?$/s.test(run.rest)) this.#close(open, line.start + run.before.length, line);
  }
}

/**
 * The fenced blocks of a text, linear in it. CommonMark's rules, and what models write beside them:
 * an opening fence in mid-line, a closing one at the end of the last line, doubled, behind a
 * comment mark, or followed by a tag or words; blocks inside a `markdown` block.
 */
export function codeBlocks(text: string): CodeBlocks {
  const finder = new BlockFinder(text);
  let tick = text.indexOf("```");
  let tilde = text.indexOf("~~~");
  while (tick >= 0 || tilde >= 0) {
    const at = tick < 0 || (tilde >= 0 && tilde < tick) ? tilde : tick;
    const start = text.lastIndexOf("\n", at) + 1;
    const feed = text.indexOf("\n", at);
    const stop = feed < 0 ? text.length : feed;
    const end = text[stop - 1] === "\r" && stop > start ? stop - 1 : stop;
    finder.line({ start, end, text: text.slice(start, end) });
    if (tick >= 0 && tick < stop) tick = text.indexOf("```", stop);
    if (tilde >= 0 && tilde < stop) tilde = text.indexOf("~~~", stop);
  }
  return { blocks: finder.blocks, cut: finder.isCut() };
}
