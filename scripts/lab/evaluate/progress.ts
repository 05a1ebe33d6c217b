// Owns the progress line: rewritten in place on a terminal, now and then elsewhere. Knows no work.
import type { Progress } from "./runner.ts";

const REWRITE_MS = 200;
const LOG_MS = 10_000;

interface Sink {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** @returns a reporter, and how to end its line */
export function progressLine(sink: Sink, now: () => number): { report(progress: Progress): void; end(): void } {
  const started = now();
  let written = Number.NEGATIVE_INFINITY;
  let open = false;
  return {
    report: ({ done, total, failed, cell }) => {
      if (now() - written < (sink.isTTY ? REWRITE_MS : LOG_MS) && done < total) return;
      written = now();
      const seconds = Math.round((written - started) / 1_000);
      const line = `${done} of ${total} lists asked (${cell}), ${failed} failed, ${seconds} s`;
      sink.write(sink.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
      open = sink.isTTY === true;
    },
    end: () => {
      if (open) sink.write("\n");
      open = false;
    },
  };
}
