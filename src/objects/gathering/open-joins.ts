// The joins that are not answered yet: their promises, and what is held back until a request's place shows.
import type { GatheredSample } from "./gathering.ts";
import type { RoomReply } from "./reply.ts";

interface OpenJoin {
  reply: Promise<RoomReply>;
  resolve(reply: RoomReply): void;
  /** It repeats a sample that another request brought. */
  attached: boolean;
  /** The sample, where its place is undecided. */
  sample: GatheredSample | null;
}

export class OpenJoins {
  readonly #joins = new Map<string, OpenJoin>();

  /** The waiter's join; opened when it is new. */
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

  /** Its client has gone: the answer is dropped. */
  drop(waiterId: string): void {
    this.#joins.delete(waiterId);
  }

  /** Everybody who waits gets the same. */
  answerAll(reply: RoomReply): void {
    for (const waiterId of [...this.#joins.keys()]) this.answer(waiterId, reply);
  }

  answer(waiterId: string, reply: RoomReply): void {
    this.#joins.get(waiterId)?.resolve(reply);
    this.#joins.delete(waiterId);
  }
}
