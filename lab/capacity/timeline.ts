// Virtual time: what is to happen, in order, as fast as it can be computed.
import { Heap } from "../../gpu-backend/engines/simulator/heap.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Event {
  order: number;
  happen: () => void;
}

/** Seconds from 0 on. What happens at one moment takes no time, and goes in the order asked for. */
export class Timeline {
  readonly #events = new Heap<Event>();
  #now = 0;
  #asked = 0;
  #settling = false;

  get now(): number {
    return this.#now;
  }

  /** @param seconds from now, 0 or more */
  after(seconds: number, happen: () => void): void {
    this.#events.push(this.#now + seconds, { order: this.#asked++, happen });
  }

  wait(seconds: number): Promise<void> {
    if (seconds === 0) return Promise.resolve();
    return new Promise((resolve) => this.after(seconds, () => this.settle(resolve)));
  }

  /** Calls what resolves a promise: what waits for it goes on before time does. */
  settle(resolve: () => void): void {
    this.#settling = true;
    resolve();
  }

  /** Lets time pass until the work is done. @throws Error when nothing is left that could end it */
  async until<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    await turn();
    while (!over) {
      const next = this.#events.peek();
      if (next === null)
        throw new Error(`the simulation has no event after ${this.#now.toFixed(3)} s, but the work is not done`);
      this.#now = next.key;
      for (const { happen } of this.#due()) {
        happen();
        if (!this.#settling) continue;
        this.#settling = false;
        await turn();
      }
    }
    return work;
  }

  /** What is to happen now, taken out. */
  #due(): Event[] {
    const due: Event[] = [];
    while (this.#events.peek()?.key === this.#now) due.push(this.#events.pop() as Event);
    return due.sort((a, b) => a.order - b.order);
  }
}
