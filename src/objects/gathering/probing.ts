// Probes whether waiters' clients are still connected: at most one probe per waiter at a time, each with a
// time limit.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { pause, within } from "../../platform/waiting.ts";
import type { ClientProbe } from "./gathering.ts";

export class Prober {
  readonly #probes = new Map<string, ClientProbe | null>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #next = new Map<string, Promise<boolean>>();

  /** Registers a waiter that has joined or rejoined; without a probe its client counts as connected. */
  add(waiterId: string, probe: ClientProbe | null): void {
    if (this.#probes.get(waiterId) !== probe) this.drop(waiterId);
    this.#probes.set(waiterId, probe);
  }

  /** Removes a waiter that was answered or has left. */
  drop(waiterId: string): void {
    // Releases a probe from another isolate, which holds a reference there: otherwise the call that passed
    // the probe would never end for a waiter that left.
    (this.#probes.get(waiterId) as Partial<Disposable> | null | undefined)?.[Symbol.dispose]?.();
    this.#probes.delete(waiterId);
  }

  /**
   * Whether the waiter's client is connected now. A probe serves all callers that asked before it started, so
   * that many equal simultaneous arrivals cost two probes each instead of one per pair.
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
      // The waiter is from before a restart of the room: a client that is still connected rejoins at once.
      await pause(systemClock, LIMITS.room_rejoin_ms);
      if (!this.#probes.has(waiterId)) return false;
    }
    const probe = this.#probes.get(waiterId) ?? null;
    if (probe === null) return true;
    // A timeout counts as connected only after room_proof_ms, because a busy isolate responds late, while a
    // client wrongly considered connected would be counted a second time when it returns.
    const proven = probe().catch(() => false);
    return within(systemClock, LIMITS.room_proof_ms, proven, () => true);
  }
}
