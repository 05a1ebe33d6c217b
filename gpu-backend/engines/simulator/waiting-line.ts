// A waiting queue ordered by priority, then by arrival.

export class WaitingLine<T extends { readonly priority: number }> {
  readonly #items: T[] = [];

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Inserts an item after all items with the same or a better priority. */
  join(item: T): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1] as T).priority > item.priority) at--;
    this.#items.splice(at, 0, item);
  }

  /** Inserts a preempted item before all items with the same priority, because it arrived earlier. */
  rejoin(item: T): void {
    const at = this.#items.findIndex(({ priority }) => priority >= item.priority);
    this.#items.splice(at < 0 ? this.#items.length : at, 0, item);
  }

  shift(): T | undefined {
    return this.#items.shift();
  }

  leave(item: T): void {
    const at = this.#items.indexOf(item);
    if (at >= 0) this.#items.splice(at, 1);
  }
}
