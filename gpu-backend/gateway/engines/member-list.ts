// A list for members that are added and removed thousands of times per second, such as requests.

/**
 * A set for short-lived members. A long-lived Set rebuilds its table again and again; each dead table, once
 * in the old generation, keeps the next table and all its members alive until a full collection. Requests
 * then outlived the young generation, which doubled its pauses. An array has no such chain, and its search
 * takes at most a few hundred steps.
 */
export class MemberList<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The caller must not add a member twice. */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Does nothing if the member is missing. Changes the order of the other members. */
  delete(member: T): void {
    const at = this.#members.indexOf(member);
    if (at < 0) return;
    const last = this.#members.pop() as T;
    if (at < this.#members.length) this.#members[at] = last;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#members[Symbol.iterator]();
  }
}
