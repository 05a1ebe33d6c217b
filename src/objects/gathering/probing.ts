// Proving that waiters' clients are still there: one probe at a time for each, never longer than its limit.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { pause, within } from "../../platform/waiting.ts";
import type { ClientProbe } from "./gathering.ts";

export class Prober {
  readonly #probes = new Map<string, ClientProbe | null>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #next = new Map<string, Promise<boolean>>();

  /** A waiter has joined, or joined again; without a probe it counts as there. */
  add(waiterId: string, probe: ClientProbe | null): void {
    if (this.#probes.get(waiterId) !== probe) this.drop(waiterId);
    this.#probes.set(waiterId, probe);
  }

  /** The waiter has been answered or has left. */
  drop(waiterId: string): void {
    // A probe from another isolate is held there until it is given back: the call that brought it
    // never ends for a waiter that left.
    (this.#probes.get(waiterId) as Partial<Disposable> | null | undefined)?.[Symbol.dispose]?.();
    this.#probes.delete(waiterId);
  }

  /**
   * Whether the waiter's client is there now. A proof serves everybody who asked before it began,
   * so that many equal arrivals at once cost two probes each, not one for every pair.
   */
  prove(waiterId: string): Promise<boolean> {
    const queued = this.#next.get(waiterId);
    if (queued !== undefined) return queued;
    const running = this.#running.get(waiterId);
    if (running === undefined) return this.#start(waiterId);
    const next = running.then(() => this.#start(waiterId));
    this.#next.set(waiterId, next);
    return next;
  }

  #start(waiterId: string): Promise<boolean> {
    this.#next.delete(waiterId);
    const proof = this.#probe(waiterId).finally(() => this.#running.delete(waiterId));
    this.#running.set(waiterId, proof);
    return proof;
  }

  async #probe(waiterId: string): Promise<boolean> {
    if (!this.#probes.has(waiterId)) {
      // Its connection was to an earlier life of the room: one whose client is there joins again at
      // once.
      await pause(systemClock, LIMITS.room_rejoin_ms);
      if (!this.#probes.has(waiterId)) return false;
    }
    const probe = this.#probes.get(waiterId) ?? null;
    if (probe === null) return true;
    // A busy isolate proves late; taken for there too soon, a client that went would be counted
    // once more when it comes back.
    const proven = probe().catch(() => false);
    return within(systemClock, LIMITS.room_proof_ms, proven, () => true);
  }
}
