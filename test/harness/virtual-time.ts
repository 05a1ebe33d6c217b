// A clock that tests move: timers run in the order of their times, as soon as everything that they set off
// has come to rest.

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

const real = { setTimeout, clearTimeout, setImmediate, now: Date.now };
const turn = () => new Promise<void>((resolve) => real.setImmediate(resolve));

/** A heap of timers in place of the global ones, between `install` and `restore`. */
export class VirtualTime {
  now: number;
  #timers: Timer[] = [];
  #cancelled = new Set<number>();
  #orders = 0;

  constructor(now = 1_700_000_000_000) {
    this.now = now;
  }

  /** @throws where files share the process: vitest.config.ts knows this file's by NEEDS_A_PROCESS */
  install(): void {
    if ("processIsShared" in globalThis) throw new Error("A clock for all needs a separate process.");
    const set = (run: () => void, ms = 0) => this.at(this.now + Math.max(0, Number.isFinite(ms) ? ms : 0), run);
    globalThis.setTimeout = set as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((id: number | null | undefined) => {
      if (id != null) this.#cancelled.add(id);
    }) as unknown as typeof clearTimeout;
    Date.now = () => this.now;
  }

  restore(): void {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    Date.now = real.now;
  }

  at(at: number, run: () => void): number {
    const order = this.#orders++;
    const timers = this.#timers;
    let place = timers.push({ at, order, run }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!before(timers[place] as Timer, timers[parent] as Timer)) break;
      swap(timers, place, parent);
      place = parent;
    }
    return order;
  }

  /**
   * Runs timers until `done`, or until none is left. `turns` of the event loop pass before each timer: more than one
   * where work between timers takes several, such as reading a Response.
   */
  async run(done: () => boolean, turns = 1): Promise<void> {
    const rest = async () => {
      for (let i = 0; i < turns; i++) await turn();
    };
    await rest();
    while (!done()) {
      const next = this.#next();
      if (next === undefined) return;
      this.now = Math.max(this.now, next.at);
      next.run();
      await rest();
    }
  }

  #next(): Timer | undefined {
    for (;;) {
      const timers = this.#timers;
      const first = timers[0];
      if (first === undefined) return undefined;
      const last = timers.pop() as Timer;
      if (timers.length > 0) {
        timers[0] = last;
        sink(timers);
      }
      if (!this.#cancelled.delete(first.order)) return first;
    }
  }
}

const before = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

function swap(timers: Timer[], a: number, b: number): void {
  [timers[a], timers[b]] = [timers[b] as Timer, timers[a] as Timer];
}

function sink(timers: Timer[]): void {
  for (let place = 0; ; ) {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    let least = place;
    if (left < timers.length && before(timers[left] as Timer, timers[least] as Timer)) least = left;
    if (right < timers.length && before(timers[right] as Timer, timers[least] as Timer)) least = right;
    if (least === place) return;
    swap(timers, place, least);
    place = least;
  }
}
