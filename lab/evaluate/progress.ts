// The progress line: rewritten in place on a terminal, now and then elsewhere.
import type { Progress } from "./asking/runner.ts";

const REWRITE_MS = 200;
const LOG_MS = 10_000;

interface Sink {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** How far it is, and how long what is left takes at the pace of what this run has asked. */
function lineOf({ done, total, failed, cell }: Progress, before: number, seconds: number): string {
  const share = total === 0 ? 100 : Math.floor((100 * done) / total);
  const pace = (done - before) / seconds;
  const left = done < total && pace > 0 ? `, about ${durationOf((total - done) / pace)} left` : "";
  return `${done} of ${total} lists evaluated (${share} %; ${cell}), ${failed} failed, ${durationOf(seconds)}${left}`;
}

/** `42 s`, `12 min`, `3.5 h`. */
function durationOf(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/**
 * @returns a reporter, what says the same again with a later time when a line is due (nothing may
 * come for minutes), and how to end its line
 */
export function progressLine(sink: Sink, now: () => number) {
  const started = now();
  let written = Number.NEGATIVE_INFINITY;
  let open = false;
  let last: Progress | null = null;
  let before = 0;
  const write = (progress: Progress) => {
    written = now();
    const line = lineOf(progress, before, (written - started) / 1_000);
    sink.write(sink.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    open = sink.isTTY === true;
  };
  const isDue = () => now() - written >= (sink.isTTY ? REWRITE_MS : LOG_MS);
  return {
    report(progress: Progress): void {
      if (last === null) before = progress.done;
      const isNewEnd = progress.done >= progress.total && last?.done !== progress.done;
      last = { ...progress };
      if (isDue() || isNewEnd) write(last);
    },
    tick(): void {
      if (last !== null && last.done < last.total && isDue()) write(last);
    },
    end(): void {
      if (open) sink.write("\n");
      open = false;
      last = null;
    },
  };
}
