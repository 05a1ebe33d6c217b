// Unified diffs of two texts within a budget of work steps. Computes the shortest edit script (Myers 1986,
// greedy) while the budget lasts. Beyond the budget, splits the texts at lines that are unique in both
// (patience diff) and replaces everything between as a whole. The diff is always correct; the budget affects
// only its length.

/**
 * A run of lines that are kept in both texts, removed from the base, or added by the new text. `to` is
 * exclusive.
 */
interface Run {
  kind: "kept" | "removed" | "added";
  from: number;
  to: number;
}

/** A half-open range of lines in each text. */
interface Range {
  base: readonly [from: number, to: number];
  text: readonly [from: number, to: number];
}

/**
 * Maximum number of edits in a shortest script, because the memory of the search grows with the square of
 * this number.
 */
const EDITS_MAX = 1_000;
const CONTEXT_LINES = 3;
/** Number of work steps between two yields. */
const STEPS_YIELDED = 10_000;

/** Cost of reading, numbering and writing one line, in work steps. */
const STEPS_LINE = 10;

/** Splits a string into lines, including their line feeds. An empty string has no lines. */
function* linesOf(text: string): Generator<number, string[]> {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
    if ((lines.length * STEPS_LINE) % STEPS_YIELDED === 0) yield STEPS_YIELDED;
  }
  return lines;
}

/** One edit of a path, linked to the previous edit. */
interface Edit {
  kind: "removed" | "added";
  /** Index of the line: in the base for a removed line, in the new text for an added line. */
  at: number;
  before: Edit | null;
}

/** The number of work steps left. */
interface DiffBudget {
  steps: number;
}

class LineDiff {
  private readonly base: Int32Array;
  private readonly text: Int32Array;
  private readonly budget: DiffBudget;
  private unyielded = 0;
  readonly runs: Run[] = [];

  constructor(base: readonly string[], text: readonly string[], budget: DiffBudget) {
    const ids = new Map<string, number>();
    const numbered = (lines: readonly string[]) =>
      Int32Array.from(lines, (line) => {
        const id = ids.get(line) ?? ids.size;
        ids.set(line, id);
        return id;
      });
    this.base = numbered(base);
    this.text = numbered(text);
    this.budget = budget;
  }

  *compare(): Generator<number, void> {
    const whole: Range = { base: [0, this.base.length], text: [0, this.text.length] };
    if (!(yield* this.shortest(whole, this.budget.steps))) yield* this.split(whole);
    if (this.unyielded > 0) yield this.unyielded;
  }

  private *spent(steps: number): Generator<number, void> {
    this.budget.steps -= steps;
    this.unyielded += steps;
    if (this.unyielded < STEPS_YIELDED) return;
    yield this.unyielded;
    this.unyielded = 0;
  }

  private add(kind: Run["kind"], from: number, to: number): void {
    if (from === to) return;
    const last = this.runs.at(-1);
    if (last?.kind === kind && last.to === from) last.to = to;
    else this.runs.push({ kind, from, to });
  }

  /**
   * Adds the runs of the shortest script. Returns false if that script needs more edits or steps than
   * allowed.
   */
  private *shortest({ base: [baseFrom, baseTo], text: [textFrom, textTo] }: Range, maxSteps: number) {
    const { base, text } = this;
    const [baseLines, textLines] = [baseTo - baseFrom, textTo - textFrom];
    const editsMost = Math.min(EDITS_MAX, baseLines + textLines);
    // For each diagonal k (lines removed minus lines added): the furthest base line that any path has
    // reached, or -1, and the edits of that path.
    const zero = editsMost + 1;
    const past = new Int32Array(2 * zero + 1).fill(-1);
    const paths = new Array<Edit | null>(2 * zero + 1).fill(null);
    let [lowest, highest] = [-editsMost, editsMost];
    let steps = 0;
    for (let edits = 0; edits <= editsMost; edits++) {
      const before = steps;
      const last = Math.min(highest, edits);
      const first = Math.max(lowest, -edits);
      for (let k = first + ((first + edits) & 1); k <= last; k += 2) {
        steps++;
        const removing = past[zero + k - 1] as number;
        const adding = past[zero + k + 1] as number;
        const canAdd = adding >= 0 && adding - k > 0 && adding - k <= textLines;
        const canRemove = removing >= 0 && removing < baseLines;
        let at = 0;
        if (edits > 0) {
          past[zero + k] = -1;
          if (!canAdd && !canRemove) continue;
          // Extends the path of the neighbouring diagonal that got further, by one edit.
          const adds = canAdd && (!canRemove || removing < adding);
          at = adds ? adding : removing + 1;
          paths[zero + k] = adds
            ? { kind: "added", at: textFrom + adding - k - 1, before: paths[zero + k + 1] as Edit | null }
            : { kind: "removed", at: baseFrom + removing, before: paths[zero + k - 1] as Edit | null };
        }
        const from = at;
        while (at < baseLines && at - k < textLines && base[baseFrom + at] === text[textFrom + at - k]) at++;
        steps += at - from;
        if (at >= baseLines && at - k >= textLines) {
          yield* this.spent(steps - before);
          this.addPath(paths[zero + k] as Edit | null, { base: [baseFrom, baseTo], text: [textFrom, textTo] });
          return true;
        }
        past[zero + k] = at;
        if (at >= baseLines) highest = Math.min(highest, k - 1);
        if (at - k >= textLines) lowest = Math.max(lowest, k + 1);
      }
      yield* this.spent(steps - before);
      if (steps > maxSteps) return false;
    }
    return false;
  }

  private addPath(last: Edit | null, { base: [from, to], text: [textFrom] }: Range): void {
    const edits: Edit[] = [];
    for (let edit = last; edit !== null; edit = edit.before) edits.push(edit);
    let [base, text] = [from, textFrom];
    for (const { kind, at } of edits.reverse()) {
      const unchanged = at - (kind === "removed" ? base : text);
      this.add("kept", base, base + unchanged);
      base += unchanged;
      text += unchanged;
      this.add(kind, at, at + 1);
      if (kind === "removed") base++;
      else text++;
    }
    this.add("kept", base, to);
  }

  /**
   * Splits a range at its common head and tail, and at lines that are unique in both texts. The gaps between
   * get a shortest script if the budget allows.
   */
  private *split({ base: [baseFrom, baseTo], text: [textFrom, textTo] }: Range): Generator<number, void> {
    const { base, text } = this;
    let head = 0;
    const maxCommon = Math.min(baseTo - baseFrom, textTo - textFrom);
    while (head < maxCommon && base[baseFrom + head] === text[textFrom + head]) head++;
    let tail = 0;
    while (tail < maxCommon - head && base[baseTo - 1 - tail] === text[textTo - 1 - tail]) tail++;
    const inner: Range = { base: [baseFrom + head, baseTo - tail], text: [textFrom + head, textTo - tail] };
    this.add("kept", baseFrom, baseFrom + head);
    yield* this.spent(baseTo - baseFrom + textTo - textFrom);
    const anchors = [...this.anchors(inner), [inner.base[1], inner.text[1]] as const];
    let [atBase, atText] = [inner.base[0], inner.text[0]];
    let lines = inner.base[1] - atBase + inner.text[1] - atText;
    for (const [nextBase, nextText] of anchors) {
      const gap: Range = { base: [atBase, nextBase], text: [atText, nextText] };
      const size = nextBase - atBase + nextText - atText;
      // Each gap gets a proportional share of the remaining budget.
      const share = Math.max(0, this.budget.steps) * (size / Math.max(1, lines));
      lines -= size + 2;
      if (anchors.length === 1 || !(yield* this.shortest(gap, share))) {
        this.add("removed", ...gap.base);
        this.add("added", ...gap.text);
      }
      if (nextBase < inner.base[1]) this.add("kept", nextBase, nextBase + 1);
      [atBase, atText] = [nextBase + 1, nextText + 1];
    }
    this.add("kept", baseTo - tail, baseTo);
  }

  /** Finds the longest sequence of lines that occur exactly once in each text, in the same order. */
  private anchors({ base: [baseFrom, baseTo], text: [textFrom, textTo] }: Range): (readonly [number, number])[] {
    const once = (lines: Int32Array, from: number, to: number) => {
      const at = new Map<number, number>();
      for (let i = from; i < to; i++) at.set(lines[i] as number, at.has(lines[i] as number) ? -1 : i);
      return at;
    };
    const inText = once(this.text, textFrom, textTo);
    const ends: { base: number; text: number; before: number }[] = [];
    const piles: number[] = [];
    for (const [line, base] of once(this.base, baseFrom, baseTo)) {
      const text = inText.get(line) ?? -1;
      if (base < 0 || text < 0) continue;
      let [low, high] = [0, piles.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[piles[middle] as number] as { text: number }).text < text) low = middle + 1;
        else high = middle;
      }
      ends.push({ base, text, before: low === 0 ? -1 : (piles[low - 1] as number) });
      piles[low] = ends.length - 1;
    }
    const run: (readonly [number, number])[] = [];
    for (let i = piles.at(-1) ?? -1; i >= 0; ) {
      const { base, text, before } = ends[i] as (typeof ends)[number];
      run.push([base, text]);
      i = before;
    }
    return run.reverse();
  }
}

/** A diff line with its sign. The last line of a text may lack a line feed. */
const signed = (sign: string, line: string): string[] =>
  line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];

/** Formats runs as hunks. Changes that are too far apart to share context lines are in separate hunks. */
function hunks(runs: readonly Run[], base: readonly string[], text: readonly string[]): string[] {
  const written: string[] = [];
  let [atBase, atText] = [0, 0];
  /** Index of the open hunk's header; -1 if no hunk is open. */
  let header = -1;
  let [startBase, startText, linesBase, linesText] = [0, 0, 0, 0];
  const keep = (from: number, to: number) => {
    for (let i = from; i < to; i++) written.push(...signed(" ", base[i] as string));
    linesBase += to - from;
    linesText += to - from;
  };
  const close = () => {
    if (header < 0) return;
    const start = (at: number, lines: number) => `${at + (lines === 0 ? 0 : 1)},${lines}`;
    written[header] = `@@ -${start(startBase, linesBase)} +${start(startText, linesText)} @@`;
    header = -1;
    [linesBase, linesText] = [0, 0];
  };
  for (const [i, { kind, from, to }] of runs.entries()) {
    if (kind === "kept") {
      const isOpen = header >= 0;
      const isLast = i === runs.length - 1;
      if (isOpen && !isLast && to - from <= 2 * CONTEXT_LINES) keep(from, to);
      else if (isOpen) {
        keep(from, Math.min(to, from + CONTEXT_LINES));
        close();
      }
      atBase = to;
      atText += to - from;
      continue;
    }
    if (header < 0) {
      header = written.push("") - 1;
      const before = runs[i - 1]?.kind === "kept" ? Math.min(CONTEXT_LINES, atBase - (runs[i - 1] as Run).from) : 0;
      [startBase, startText] = [atBase - before, atText - before];
      keep(atBase - before, atBase);
    }
    const lines = kind === "removed" ? base : text;
    for (let at = from; at < to; at++) written.push(...signed(kind === "removed" ? "-" : "+", lines[at] as string));
    if (kind === "removed") {
      linesBase += to - from;
      atBase = to;
    } else {
      linesText += to - from;
      atText = to;
    }
  }
  close();
  return written;
}

/** Orders each change so that removed lines come before added lines. */
function ordered(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (let i = 0; i < runs.length; ) {
    let end = i;
    while (end < runs.length && (runs[end] as Run).kind !== "kept") end++;
    const change = runs.slice(i, end);
    all.push(...change.filter(({ kind }) => kind === "removed"), ...change.filter(({ kind }) => kind === "added"));
    if (end < runs.length) all.push(runs[end] as Run);
    i = end + 1;
  }
  return all;
}

/**
 * Computes the unified diff from `base` to `text`, without file headers; "" if they are equal. Yields the
 * number of work steps taken and subtracts them from the budget. Beyond the budget, takes only time linear in
 * the number of lines.
 */
export function* unifiedDiff(base: string, text: string, budget: DiffBudget): Generator<number, string> {
  if (base === text) return "";
  const baseLines = yield* linesOf(base);
  const textLines = yield* linesOf(text);
  const diff = new LineDiff(baseLines, textLines, budget);
  yield* diff.compare();
  return hunks(ordered(diff.runs), baseLines, textLines).join("\n");
}
