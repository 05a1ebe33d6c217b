// Per-request state carried through the app: id, timings, key name, and more.

import type { Context } from "hono";
import type { Clock } from "../../ports/ports.ts";
import type { RequestScope } from "../../scoring/request-scope.ts";
import type { Caller } from "./auth.ts";
import type { FaultDialect } from "./dialect.ts";

export type AppEnv = {
  Variables: {
    scope: RequestScope;
    /** Unset on public routes. */
    caller?: Caller;
    cancel?: AbortController;
    /** The deadline of the judging that the reply waits for. */
    deadline_ms?: number;
    dialect?: FaultDialect;
    /** Parts of the body that the judge does not see, for the reply's warning header. */
    left_out?: readonly string[];
    mendable?: boolean;
    work?: Promise<unknown>[];
    rateLimit?: Record<string, string>;
    onEnd?: () => Promise<void>;
    /** Settles when the client has read the last line of a pulled stream, or has disconnected. */
    replying?: Promise<void>;
    /** The code of the error reply. */
    refused?: string;
    /** The code of the error that cut off a reply after its start. */
    broken_off?: string;
    /**
     * The batch that continues the request. If it has the request's id, it also keeps the request's
     * concurrency slot.
     */
    batch_id?: string;
  };
};
export type AppContext = Context<AppEnv>;

const milliseconds = (value: number) => Math.max(0, Math.round(value * 1000) / 1000);

/** The Server-Timing header: total, verifier, store and overhead, in ms. */
export function serverTiming(clock: Clock, scope: RequestScope): string {
  const total = clock.now() - scope.started_ms;
  const parts = {
    total,
    verifier: scope.verifier_ms,
    store: scope.store_ms,
    overhead: total - scope.verifier_ms - scope.store_ms,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name};dur=${milliseconds(value)}`)
    .join(", ");
}

/** The request's background work, which may outlive its handler. */
export function workOf(c: AppContext): readonly Promise<unknown>[] {
  return c.get("work") ?? [];
}

/** Settles when all background work of the request has ended, including work added while waiting. */
export async function whenDone(c: AppContext): Promise<void> {
  for (let known = -1; known < workOf(c).length; ) {
    known = workOf(c).length;
    await Promise.allSettled(workOf(c));
  }
}

/**
 * Keeps the isolate alive until `work` has ended, even if the client disconnects. Outside a Worker there is
 * no waitUntil to call.
 */
export function keepAlive(c: AppContext, work: Promise<unknown>): void {
  c.set("work", [...workOf(c), work]);
  let execution: { waitUntil(promise: Promise<unknown>): void };
  try {
    execution = c.executionCtx;
  } catch {
    return;
  }
  try {
    execution.waitUntil(work.catch(() => undefined));
  } catch {
    // The runtime has already ended the request with its client, so waitUntil is no longer possible.
  }
}

/**
 * The request's abort controller. Aborts with the reason `cancelled` when the client closes the connection.
 */
export function cancellation(c: AppContext): AbortController {
  const known = c.get("cancel");
  if (known !== undefined) return known;
  const controller = new AbortController();
  c.set("cancel", controller);
  const { signal } = c.req.raw;
  if (signal.aborted) controller.abort("cancelled");
  else signal.addEventListener("abort", () => controller.abort("cancelled"), { once: true });
  return controller;
}
