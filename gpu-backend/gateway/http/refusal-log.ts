// The log lines of what engines refused: each sentence once in a while, however often it is said. Must not
// know requests.

/** Between two lines of one sentence. */
const EVERY_MS = 60_000;
/** Sentences kept in mind; a new one takes the oldest's place. */
const SENTENCES_MAX = 32;

export class RefusalLog {
  readonly #print: (line: Record<string, unknown>) => void;
  readonly #now: () => number;
  readonly #logged = new Map<string, { at: number; count: number }>();

  constructor(print: (line: Record<string, unknown>) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  /** An engine refused a question. @param reason its sentence, fit for people */
  note(reason: string): void {
    const now = this.#now();
    const before = this.#logged.get(reason);
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.count++;
      return;
    }
    this.#logged.delete(reason);
    const [oldest] = this.#logged.keys();
    if (oldest !== undefined && this.#logged.size >= SENTENCES_MAX) this.#logged.delete(oldest);
    this.#logged.set(reason, { at: now, count: 0 });
    this.#print({ level: "warn", event: "engine_refused", reason, ...(before && { more: before.count }) });
  }
}
