// Owns taking questions of one running request back at the gateway that answers it: what became
// obsolete, gathered into few small requests. Must not know what a sample is.
import { LIMITS } from "../../core/faults/limits.ts";
import { VERIFY_CANCEL_PATH, type VerifyCancel } from "../../core/wire/verify-cancel.ts";
import type { GatewayEndpoint } from "./endpoint.ts";
import { GROUP_ID, type GroupAsk } from "./group-ask.ts";

/**
 * One request's way to take questions back. Nothing hangs on it: what the gateway does not end, as
 * one from before it or another behind the same address, runs to its end and is told like all else.
 */
export class TakingBack {
  readonly #endpoint: GatewayEndpoint;
  readonly #group: GroupAsk;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  #cancel_id: string | null = null;
  #planned = false;
  /** Told when a place is free. */
  #waits = false;

  constructor(endpoint: GatewayEndpoint, group: GroupAsk, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#group = group;
    this.#signal = signal;
  }

  /** The gateway has taken the request. @param cancel_id null where it takes nothing back */
  begin(cancel_id: string | null): void {
    if (cancel_id === null) return;
    this.#cancel_id = cancel_id;
    this.#group.onObsolete = () => this.#plan();
    this.#plan();
  }

  /** The reply is at its end: there is nothing left to take back. */
  end(): void {
    this.#cancel_id = null;
    this.#group.onObsolete = () => {};
    this.#ended.abort();
  }

  /** All that becomes obsolete at once goes in one request, and no other while that is on its way. */
  #plan(): void {
    if (this.#planned || this.#cancel_id === null) return;
    this.#planned = true;
    queueMicrotask(async () => {
      const sent = await this.#send().catch(() => true);
      this.#planned = false;
      // What became obsolete meanwhile.
      if (sent) this.#plan();
    });
  }

  /** @returns whether there was anything to send, and it could be sent */
  async #send(): Promise<boolean> {
    const { url, headers, fetch: ask, slots, mayAskBeside, watch } = this.#endpoint;
    if (this.#cancel_id === null) return false;
    if (!slots.free) {
      if (!this.#waits) slots.onFree(() => this.#plan());
      this.#waits = true;
      return false;
    }
    const comparisons = this.#group.takeObsolete();
    if (comparisons.length === 0 || !mayAskBeside()) return false;
    const body: VerifyCancel = { cancel_id: this.#cancel_id, groups: [{ group_id: GROUP_ID, comparisons }] };
    const late = new AbortController();
    const unwatch = watch(() => late.abort(), LIMITS.cancel_ms);
    slots.take();
    try {
      const signal = AbortSignal.any([this.#signal, this.#ended.signal, late.signal]);
      const init = { method: "POST", headers, body: JSON.stringify(body), signal, redirect: "manual" } as const;
      const reply = await ask(url.replace(/\/verify$/, VERIFY_CANCEL_PATH), init);
      await reply.body?.cancel();
    } finally {
      unwatch();
      slots.giveBack();
    }
    return true;
  }
}
