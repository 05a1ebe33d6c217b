// The order in which sequences wait: by priority, then by arrival. Knows nothing else of them.

export class WaitingLine<T extends { readonly priority: number }> {
  readonly #items: T[] = [];

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Behind all with its priority or a lower number. */
  join(item: T): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1] as T).priority > item.priority) at--;
    this.#items.splice(at, 0, item);
  }

  /** In front of all with its priority: it was here before them. */
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
