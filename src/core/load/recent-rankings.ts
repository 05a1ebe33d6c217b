// Remembers which documents a query was recently ranked with, to detect a client that splits one query into
// several requests, whose relative scores cannot be merged. Best effort, since each isolate knows only the
// requests that it handled.
import { hashText } from "../math/random.ts";

const WINDOW_MS = 60_000;
/** Maximum number of queries to remember; a new query evicts the oldest. */
const QUERIES_MAX = 1_024;

interface Ranking {
  documents: string;
  at: number;
}

const digest = (...texts: string[]): string => hashText(...texts).join(".");

export class RecentRankings {
  readonly #rankings = new Map<string, Ranking>();

  /**
   * Records a ranking.
   * @param now current time in ms, always from the same clock
   * @returns time in ms since the same API key ranked the same query with other documents; null if that did
   *   not happen within the last minute
   */
  note(now: number, key_name: string | null, query: string, documents: readonly string[]): number | null {
    const name = digest("query", key_name ?? "", query);
    const ranked = documents
      .map((text) => digest("document", text))
      .sort()
      .join(",");
    const before = this.#rankings.get(name);
    this.#rankings.delete(name);
    const [oldest] = this.#rankings.keys();
    if (oldest !== undefined && this.#rankings.size >= QUERIES_MAX) this.#rankings.delete(oldest);
    this.#rankings.set(name, { documents: digest(ranked), at: now });
    if (before === undefined || now - before.at >= WINDOW_MS || before.documents === digest(ranked)) return null;
    return Math.max(0, now - before.at);
  }
}
