// Rate-limited log of questions that engines rejected: each distinct message is logged at most once per
// minute.

/** Minimum time between two log lines with the same message. */
const EVERY_MS = 60_000;
/** Distinct messages remembered; a new message evicts the oldest. */
const SENTENCES_MAX = 32;

export class RefusalLog {
  readonly #print: (line: Record<string, unknown>) => void;
  readonly #now: () => number;
  readonly #logged = new Map<string, { at: number; count: number }>();

  constructor(print: (line: Record<string, unknown>) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  /** Records that an engine rejected a question. @param reason the engine's message in human-readable form */
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
