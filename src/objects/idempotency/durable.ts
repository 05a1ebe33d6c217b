// Owns the Durable Object that is one Idempotency-Key: its storage, its alarm, and the calls it
// answers. Knows no decision.
import { DurableObject } from "cloudflare:workers";
import { durableValues } from "../storage/durable.ts";
import { IdempotentEntry } from "./entry.ts";
import type { Begun, KeptReply } from "./reply.ts";

/** One key of one caller on one route. */
export class IdempotentRequests extends DurableObject {
  readonly #entry = new IdempotentEntry(durableValues(this.ctx), () => Date.now());

  async begin(owner: string, fingerprint: string): Promise<Begun> {
    return this.#entry.begin(owner, fingerprint);
  }

  async renew(owner: string): Promise<void> {
    this.#entry.renew(owner);
  }

  async complete(fingerprint: string, reply: KeptReply): Promise<KeptReply> {
    return this.#entry.complete(fingerprint, reply);
  }

  async release(owner: string): Promise<void> {
    await this.#entry.release(owner);
  }

  async drop(): Promise<void> {
    await this.#entry.drop();
  }

  async wait(ms: number): Promise<void> {
    await this.#entry.wait(ms);
  }

  override async alarm(): Promise<void> {
    await this.#entry.wake();
  }
}
