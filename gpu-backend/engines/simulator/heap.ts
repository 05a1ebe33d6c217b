// A binary min-heap of items with fixed numeric keys.

export class Heap<T> {
  readonly #keys: number[] = [];
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item with the smallest key, together with its key. */
  peek(): { key: number; item: T } | null {
    return this.#items.length === 0 ? null : { key: this.#keys[0] as number, item: this.#items[0] as T };
  }

  push(key: number, item: T): void {
    let at = this.#items.length;
    this.#keys.push(key);
    this.#items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#keys[parent] as number) <= key) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#set(at, key, item);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    const key = this.#keys.pop() as number;
    const item = this.#items.pop() as T;
    const size = this.#items.length;
    if (size === 0) return top;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (this.#keys[child + 1] as number) < (this.#keys[child] as number)) child++;
      if ((this.#keys[child] as number) >= key) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, key, item);
    return top;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#keys[from] as number, this.#items[from] as T);
  }

  #set(at: number, key: number, item: T): void {
    this.#keys[at] = key;
    this.#items[at] = item;
  }
}
