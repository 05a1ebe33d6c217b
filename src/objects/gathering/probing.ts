// Checks whether the clients of waiting requests are still connected, with at most one probe per request at a
// time, each with a time limit.

import { LIMITS } from "../../core/faults/limits.ts";
import { pause, within } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";
import type { ClientProbe } from "./gathering.ts";

export class Prober {
  readonly #timers: Timers;
  readonly #probes = new Map<string, ClientProbe | null>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #next = new Map<string, Promise<boolean>>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Registers a request that has joined (again). Without a probe, its client counts as connected. */
  add(waiterId: string, probe: ClientProbe | null): void {
    if (this.#probes.get(waiterId) !== probe) this.drop(waiterId);
    this.#probes.set(waiterId, probe);
  }

  /** Removes a request that was answered or whose client has disconnected. */
  drop(waiterId: string): void {
    // A probe from another isolate is an RPC stub. Unless it is disposed, the call that passed it never ends.
    (this.#probes.get(waiterId) as Partial<Disposable> | null | undefined)?.[Symbol.dispose]?.();
    this.#probes.delete(waiterId);
  }

  /**
   * Whether the client is connected now. A probe serves all callers that asked before the probe started, so
   * that many simultaneous equal requests cost two probes each instead of one per pair.
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
      // The request was restored after a restart. If its client is still connected, it joins again at once.
      await pause(this.#timers, LIMITS.room_rejoin_ms);
      if (!this.#probes.has(waiterId)) return false;
    }
    const probe = this.#probes.get(waiterId) ?? null;
    if (probe === null) return true;
    // A timeout counts as connected, because a busy isolate may respond late. The timeout is long, because a
    // client wrongly considered connected is counted as a second sample when it returns.
    const proven = probe().catch(() => false);
    return within(this.#timers, LIMITS.room_proof_ms, proven, () => true);
  }
}
