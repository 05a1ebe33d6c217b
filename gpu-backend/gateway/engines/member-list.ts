// A list of members that come and go thousands of times a second.

/**
 * A set for short-lived members. A Set that lives on builds its table anew again and again, and
 * every dead table, once it is old, keeps the next one and so all later members alive until a full
 * collection: requests then outlived the young generation, which doubled its pauses. An array has
 * no such chain; its search is a few hundred steps at most.
 */
export class MemberList<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** A member twice is a fault of the caller. */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Does nothing for one who is not there. The order changes. */
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
