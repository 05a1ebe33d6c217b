// The state of one Idempotency-Key: the request that computes the reply, the requests that wait for it, and
// the stored reply.

import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import { getPieces, joined, piecesOf, putPieces, type Values } from "../storage/values.ts";
import { Waiters } from "../storage/waiters.ts";
import type { Begun, KeptReply } from "./reply.ts";

interface ReplyHead {
  fingerprint: string;
  /** Id of the request that computes the reply; null once the reply is stored. */
  owner: string | null;
  leased_until: number;
  request_id: string;
  kept_until: number;
  reply: Omit<KeptReply, "body"> | null;
}

const HEAD = "head";
const BODY = "body";

export class IdempotentEntry {
  readonly #values: Values;
  readonly #timers: Timers;
  readonly #waiters: Waiters;

  constructor(values: Values, timers: Timers) {
    this.#values = values;
    this.#timers = timers;
    this.#waiters = new Waiters(timers);
  }

  get isEmpty(): boolean {
    return this.#head() === undefined;
  }

  /** Gives `owner` the lease to compute the reply, or returns the reason why not. Idempotent. */
  begin(owner: string, fingerprint: string): Begun {
    const head = this.#head();
    // An expired entry may still exist, because the alarm that deletes it may be late.
    if (head === undefined || head.kept_until <= this.#timers.now()) return this.#begin(owner, fingerprint, owner);
    if (head.fingerprint !== fingerprint) return { state: "mismatch" };
    if (head.reply !== null) return { state: "done", reply: this.#withBody(head.reply) };
    if (head.owner === owner || head.leased_until <= this.#timers.now())
      return this.#begin(owner, fingerprint, head.request_id);
    return { state: "running" };
  }

  /** Renews the owner's lease, unless the owner has lost the lease. */
  renew(owner: string): void {
    const head = this.#head();
    if (head === undefined || head.owner !== owner) return;
    this.#values.set(HEAD, { ...head, leased_until: this.#timers.now() + LIMITS.idempotency_lease_ms });
  }

  /**
   * Stores the reply unless another is already stored. The first request to finish wins, even if its lease
   * has expired. Returns the reply to send.
   */
  complete(fingerprint: string, reply: KeptReply): KeptReply {
    const head = this.#head();
    if (head !== undefined && head.fingerprint !== fingerprint) return reply;
    if (head !== undefined && head.reply !== null) return this.#withBody(head.reply);
    const { body, ...rest } = reply;
    const { request_id } = reply;
    putPieces(this.#values, BODY, piecesOf(body));
    this.#save({ fingerprint, owner: null, leased_until: 0, request_id, kept_until: 0, reply: rest });
    this.#waiters.notify();
    return reply;
  }

  /** Releases the lease without a reply, so that the next request with the key computes its own. */
  async release(owner: string): Promise<void> {
    const head = this.#head();
    if (head === undefined || head.owner !== owner) return;
    await this.drop();
  }

  /** Deletes the entry. */
  async drop(): Promise<void> {
    await this.#values.clear();
    this.#waiters.notify();
  }

  /** Resolves when `begin` may have a new result, at the latest after `ms`. */
  async wait(ms: number): Promise<void> {
    const head = this.#head();
    if (head === undefined || head.reply !== null) return;
    const until = Math.min(ms, Math.max(1, head.leased_until - this.#timers.now()));
    await this.#waiters.wait(until);
  }

  /** Handles the alarm: deletes the entry once it has expired. */
  async wake(): Promise<void> {
    const head = this.#head();
    if (head === undefined || head.kept_until <= this.#timers.now()) await this.drop();
    else this.#values.wakeAt(head.kept_until);
  }

  #head(): ReplyHead | undefined {
    return this.#values.get<ReplyHead>(HEAD);
  }

  #withBody(reply: Omit<KeptReply, "body">): KeptReply {
    return { ...reply, body: joined(getPieces(this.#values, BODY)) };
  }

  #begin(owner: string, fingerprint: string, request_id: string): Begun {
    const leased_until = this.#timers.now() + LIMITS.idempotency_lease_ms;
    this.#save({ fingerprint, owner, leased_until, request_id, kept_until: 0, reply: null });
    return { state: "new", request_id };
  }

  #save(head: ReplyHead): void {
    const kept_until = this.#timers.now() + LIMITS.idempotency_kept_ms;
    this.#values.set(HEAD, { ...head, kept_until });
    this.#values.wakeAt(kept_until);
  }
}
