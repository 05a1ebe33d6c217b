// The live display on the terminal: one line that is rewritten, or a line a slice without a terminal.
import { performance } from "node:perf_hooks";
import type { SliceRecorder } from "./record.ts";
import type { SliceNote } from "./run.ts";

const REFRESH_MS = 250;
/** Without a terminal. */
const LINE_MS = 10_000;

/** The most that a run will do, for how far it is. */
export interface Planned {
  slices: number;
  slice_s: number;
}

const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

function lineOf({ side, repeat, rate, concurrency }: SliceNote, recorder: SliceRecorder, elapsed_s: number): string {
  const load = rate === null ? `concurrency ${concurrency}` : `${Number(rate.toPrecision(4))}/s`;
  const { latency, rows } = recorder;
  const countWhere = (isOne: (error: string | null) => boolean) => rows.filter(({ error }) => isOne(error)).length;
  const unfinished = countWhere((error) => error === "unfinished");
  const failed = countWhere((error) => error !== null) - unfinished;
  const at = (q: number) => (latency.totalCount === 0 ? "–" : ms(latency.getValueAtPercentile(q) / 1000));
  const others = [
    [failed, "failed"],
    [unfinished, "aborted by the stop"],
  ].flatMap(([count, name]) => (count === 0 ? [] : [`, ${count} ${name}`]));
  const counts = `${rows.length - failed - unfinished} answered${others.join("")}`;
  return `${side} ${load} repeat ${repeat + 1}  ${elapsed_s.toFixed(0).padStart(3)} s  ${counts}  p50 ${at(50)}  p99 ${at(99)}`;
}

/** Shows the slice under way. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #planned: () => Planned | null;
  #timer: NodeJS.Timeout | null = null;
  #started_at = 0;

  /** @param planned null while it is not known */
  constructor(out: NodeJS.WriteStream, planned: () => Planned | null = () => null) {
    this.#out = out;
    this.#planned = planned;
  }

  begin(note: SliceNote, recorder: SliceRecorder): void {
    const start = performance.now();
    this.#started_at = start;
    const show = () => {
      const elapsed_s = (performance.now() - start) / 1000;
      const line = `${lineOf(note, recorder, elapsed_s)}${this.#farText(note, elapsed_s)}`;
      this.#out.write(this.#out.isTTY ? `\r\x1b[2K${line.slice(0, this.#out.columns - 1)}` : `${line}\n`);
    };
    this.#timer = setInterval(show, this.#out.isTTY ? REFRESH_MS : LINE_MS);
  }

  /** Which slice of how many, and how long all take at most from here. */
  #farText({ slice }: SliceNote, elapsed_s: number): string {
    const planned = this.#planned();
    if (planned === null) return "";
    const left_s = Math.max(0, (planned.slices - slice) * planned.slice_s - elapsed_s);
    return `  slice ${slice + 1} of at most ${planned.slices}, at most ${left_s.toFixed(0)} s left`;
  }

  /** @param planned_s how long the slice was to last, of which a stop may have left less */
  end(note: SliceNote, recorder: SliceRecorder, planned_s: number): void {
    const elapsed_s = Math.min(planned_s, (performance.now() - this.#started_at) / 1000);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#out.write(`${this.#out.isTTY ? "\r\x1b[2K" : ""}${lineOf(note, recorder, elapsed_s)}\n`);
  }

  note(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
