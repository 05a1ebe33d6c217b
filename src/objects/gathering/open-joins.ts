// Open joins: requests that wait for their sample's answer, with the promises of their replies.
import type { GatheredSample } from "./gathering.ts";
import type { RoomReply } from "./reply.ts";

interface OpenJoin {
  reply: Promise<RoomReply>;
  resolve(reply: RoomReply): void;
  /** Whether the request repeats a sample that another request added. */
  attached: boolean;
  /** The sample while it is undecided whether it is a retry; otherwise null. */
  sample: GatheredSample | null;
}

export class OpenJoins {
  readonly #joins = new Map<string, OpenJoin>();

  /** Returns the request's join, and creates one if there is none. */
  open(waiterId: string): OpenJoin {
    const known = this.#joins.get(waiterId);
    if (known !== undefined) return known;
    const { promise: reply, resolve } = Promise.withResolvers<RoomReply>();
    const join: OpenJoin = { reply, resolve, attached: false, sample: null };
    this.#joins.set(waiterId, join);
    return join;
  }

  get(waiterId: string): OpenJoin | undefined {
    return this.#joins.get(waiterId);
  }

  /** Removes the join of a client that has disconnected. */
  drop(waiterId: string): void {
    this.#joins.delete(waiterId);
  }

  /** Sends the same reply to all open joins. */
  answerAll(reply: RoomReply): void {
    for (const waiterId of [...this.#joins.keys()]) this.answer(waiterId, reply);
  }

  answer(waiterId: string, reply: RoomReply): void {
    this.#joins.get(waiterId)?.resolve(reply);
    this.#joins.delete(waiterId);
  }
}
