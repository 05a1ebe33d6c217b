// A clock that tests move: timers run in the order of their times, as soon as everything that they set off
// has come to rest. What is to run by it is given its `clock`; no global is replaced while a test waits.
import { createHash } from "node:crypto";
import type { Clock } from "../../src/ports/ports.ts";
import type { StartTimer } from "../../src/verifier/fan-out/stall-watchdog.ts";

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

/** Turns of the event loop in which work without I/O comes to rest: promises, streams in memory. */
const QUIET_TURNS = 4;
/** Turns after which nothing can happen any more if no timer is left. */
const IDLE_TURNS = 10_000;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Digests are made by other threads, of which the event loop shows nothing. */
async function digestAtOnce(_: unknown, bytes: BufferSource): Promise<ArrayBuffer> {
  const digest = createHash("sha256").update(bytes as Uint8Array);
  return new Uint8Array(digest.digest()).buffer;
}

const { digest } = crypto.subtle;
let waiting = 0;

/** Time that runs only inside `until`, and only while all work waits for it. */
export class VirtualTime {
  now: number;
  readonly #timers: Timer[] = [];
  readonly #cancelled = new Set<number>();
  #orders = 0;

  constructor(now = 1_700_000_000_000) {
    this.now = now;
  }

  readonly schedule: StartTimer = (run, ms) => {
    const order = this.#orders++;
    this.#push({ at: this.now + Math.max(0, ms), order, run });
    return () => void this.#cancelled.add(order);
  };

  readonly clock: Clock = {
    now: () => this.now,
    date: () => new Date(this.now),
    after: (ms, run) => this.schedule(run, ms),
    every: (ms, run) => {
      let cancel = () => {};
      const arm = () => {
        cancel = this.schedule(() => {
          arm();
          run();
        }, ms);
      };
      arm();
      return () => cancel();
    },
  };

  /** The parts of an app or a judgement that hold its time. */
  readonly ports = { clock: this.clock, timers: this.clock };

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.filter(({ order }) => !this.#cancelled.has(order)).length;
  }

  /** Resolves after `ms` of this time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(resolve, ms));
  }

  /**
   * Lets time run until the work is done. `turns` of the event loop pass before each timer: more where work
   * between timers takes several, such as reading a Response.
   * @throws Error if no timer is left and the work is not done
   */
  async until<T>(work: Promise<T> | (() => Promise<T>), turns = QUIET_TURNS): Promise<T> {
    let settled = false;
    const end = () => {
      settled = true;
    };
    waiting++;
    crypto.subtle.digest = digestAtOnce as typeof digest;
    try {
      const promise = typeof work === "function" ? work() : work;
      promise.then(end, end);
      for (let idle = 0; ; ) {
        for (let i = 0; i < turns; i++) await turn();
        if (settled) return await promise;
        const next = this.#next();
        if (next === undefined) {
          if (++idle > IDLE_TURNS) throw new Error("nothing is left to happen, and somebody still waits");
          continue;
        }
        idle = 0;
        this.now = Math.max(this.now, next.at);
        next.run();
      }
    } finally {
      if (--waiting === 0) crypto.subtle.digest = digest;
    }
  }

  /** Lets `ms` pass, with all that is due within them. */
  async advance(ms: number): Promise<void> {
    const end = Promise.withResolvers<void>();
    // After all that is due at the same time, also what is yet to be set for then.
    this.#push({ at: this.now + ms, order: Number.POSITIVE_INFINITY, run: end.resolve });
    await this.until(end.promise);
  }

  #push(timer: Timer): void {
    const timers = this.#timers;
    let place = timers.push(timer) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!before(timers[place] as Timer, timers[parent] as Timer)) break;
      swap(timers, place, parent);
      place = parent;
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

/** The result of work that waits for nothing but the time it is given, and reads no Response. */
export function inVirtualTime<T>(work: (time: VirtualTime) => Promise<T>): Promise<T> {
  const time = new VirtualTime();
  return time.until(() => work(time), 1);
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
