// Finds fenced code blocks in model output, by CommonMark's rules and with tolerance for common mistakes of
// models. Must not depend on rollouts or specs.
import { canonicalLanguage } from "./languages.ts";

export interface CodeBlock {
  content: string;
  /** The info string of the fence, trimmed. */
  info: string;
}

interface CodeBlocks {
  /** Complete blocks in order, without the empty blocks that a doubled closing fence would produce. */
  blocks: CodeBlock[];
  /** Whether the text was cut off: the last block has content and is not closed. */
  cut: boolean;
}

interface Fence {
  mark: "`" | "~";
  /** Number of fence characters. */
  length: number;
  /** Indentation of the fence, as spaces; a list marker is replaced by spaces. */
  indent: string;
  quoted: boolean;
  info: string;
  /**
   * Whether the fence may be a stray mark. Such a fence opens a block only if the block is closed before the
   * next fence that has a tag.
   */
  doubtful: boolean;
}

/** A line that contains fence characters: text[start..end), without its line end. */
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
/** A fence inside a line comment, with nothing else on the line. */
const COMMENTED = /^[ \t]*(#|\/\/|--|;|%)[ \t]*(`{3,})([\w+#.-]*)[ \t]*$/;
/** Text that may follow a closing fence: nothing, a tag, a chat token, or words, but not an info string. */
const NO_INFO = /^[ \t]*$|^[ \t]*<[/|\w\uff5c]|^[ \t]+\S+[ \t]+\S|^[.,;:!?)*\]]/;
const MID_LINE_INFO = /^(?:[{.]{0,2}[A-Za-z][\w+#.,:=}-]{0,40})?$/;

const isMarkdown = (info: string): boolean => /^(?:markdown|md)$/i.test(info);

/** Whether an info string is a single word that names a language, or `text`. */
const isTag = (info: string): boolean => !/\s/.test(info) && canonicalLanguage(info) !== null;

const isOdd = (runs: RegExpMatchArray | null): boolean => (runs?.length ?? 0) % 2 === 1;

/** Finds the last run of three or more backticks in a line, and what comes before and after it. */
function lastRun(line: string): { before: string; length: number; rest: string } | null {
  const end = line.lastIndexOf("`") + 1;
  let start = end;
  while (start > 0 && line[start - 1] === "`") start--;
  return end - start < 3 ? null : { before: line.slice(0, start), length: end - start, rest: line.slice(end) };
}

/** Whether a line belongs to a list item whose text begins at column `indent` or before it. */
type InListItem = (line: SourceLine, indent: number) => boolean;

/**
 * Tracks list items. Must be called for lines in ascending order, so that each character is read only once.
 */
function listItems(text: string): InListItem {
  let from = 0;
  let column = 0;
  return ({ start }, indent) => {
    for (const line of text.slice(from, start).split("\n")) {
      const item = LIST_ITEM.exec(line);
      const blanks = line.length - line.trimStart().length;
      // A nested item changes nothing, because its lines belong to the outer item too.
      if (item !== null) column = column > 0 && blanks >= column ? column : item[0].length;
      else if (/^\S/.test(line)) column = 0;
    }
    from = start;
    return column > 0 && column <= indent;
  };
}

/** Returns an opening fence that follows only spaces, list markers or quote marks; null if there is none. */
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
 * Returns the opening fence on a line outside any block: one that CommonMark accepts, or one in mid-line
 * after words (`Assistant: ```python`).
 */
function openingFence(inListItem: InListItem, line: SourceLine): Fence | null {
  const tildes = TILDES.exec(line.text);
  if (tildes !== null) {
    const [, indent = "", marks = "", info = ""] = tildes;
    return { mark: "~", length: marks.length, indent, quoted: false, info: info.trim(), doubtful: false };
  }
  const run = lastRun(line.text);
  // After an odd number of runs, this run closes a code span.
  if (run === null || isOdd(run.before.match(/`{3,}/g))) return null;
  const info = run.rest.trim();
  const leading = leadingFence(inListItem, line, { ...run, info });
  if (leading !== null) return leading;
  if (BLANK.test(run.before) || !MID_LINE_INFO.test(info)) return null;
  return { mark: "`", length: run.length, indent: "", quoted: false, info, doubtful: !isTag(info) };
}

/**
 * Removes the fence's indentation from each line, but not more than the first line has. A program that is
 * indented less than its fence is not aligned with it.
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

/** Processes the fences of the model output in a single pass. */
class BlockFinder {
  readonly blocks: CodeBlock[] = [];
  readonly #text: string;
  readonly #inListItem: InListItem;
  #open: Fence | null = null;
  #contentStart = 0;
  /** Offset after the last closing fence; -1 before the first one. */
  #closedAt = -1;
  /** Fence length of the enclosing `markdown` block; 0 outside of one. */
  #wrapper = 0;
  /** Whether the position is inside an example in a comment, between two commented fences. */
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
   * Whether the last block is unclosed. A doubtful fence, or a fence without content after it, does not open
   * a block.
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
      // Directly after a closing fence, a duplicate fence is more likely than a block without a tag.
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

  /** Closes the open block, whose content ends at text[..end). */
  #close(open: Fence, end: number, line: SourceLine): void {
    const content = unindent(this.#text.slice(this.#contentStart, Math.max(end, this.#contentStart)), open);
    if (!(open.doubtful && content.trim() === "")) this.blocks.push({ content, info: open.info });
    this.#open = null;
    this.#closedAt = line.end;
  }

  /** Offset where the previous line ends, excluding its line end. */
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
   * Handles a line inside a block that begins with a fence. It is the closing fence, or the opening fence of
   * the next block if the closing fence was forgotten.
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

  /**
   * Handles a commented fence (`# ```). It closes the block, unless the comment continues on the next line;
   * in that case the fence delimits an example inside the comment.
   */
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

  /** Handles a closing fence at the end of the program's last line: `return x```. */
  #closedInLine(line: SourceLine, open: Fence): void {
    const run = lastRun(line.text);
    if (run === null || run.length < open.length || isOdd(run.before.match(/`{3,}/g))) return;
    if (/^[ \t]*(?:<[/|\uff5c].*)?$/s.test(run.rest)) this.#close(open, line.start + run.before.length, line);
  }
}

/**
 * Finds the fenced blocks of model output in linear time. Accepts CommonMark's rules and common mistakes of
 * models: an opening fence in mid-line; a closing fence that is at the end of the last line, doubled,
 * commented out, or followed by a tag or words; and blocks inside a `markdown` block.
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
