// The Durable Object that holds one Idempotency-Key or a run's list of objects: connects storage, alarm and
// RPC methods to the implementations in entry.ts and run-objects/list.ts.
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../platform/clock.ts";
import { type ListedObject, type RunObject, RunObjectList } from "../run-objects/list.ts";
import { durableValues } from "../storage/durable.ts";
import { IdempotentEntry } from "./entry.ts";
import type { Begun, KeptReply } from "./reply.ts";

/** The Durable Object for one Idempotency-Key of one caller on one route. */
export class IdempotentRequests extends DurableObject {
  readonly #entry = new IdempotentEntry(durableValues(this.ctx), systemClock);
  /** Used only if this object is a run's list of objects. */
  readonly #ofRun = new RunObjectList(durableValues(this.ctx));

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

  async noteOfRun(object: RunObject, requestId: string): Promise<boolean> {
    return this.#ofRun.note(object, requestId, systemClock.now());
  }

  async markRunDeleted(before: string, limit: number): Promise<ListedObject[]> {
    return this.#ofRun.markDeleted(before, limit, systemClock.now());
  }

  async emptiedOfRun(entries: readonly string[]): Promise<void> {
    this.#ofRun.emptied(entries);
  }

  override async alarm(): Promise<void> {
    if (!this.#ofRun.isNone) return this.#ofRun.wake(systemClock.now());
    await this.#entry.wake();
  }
}
