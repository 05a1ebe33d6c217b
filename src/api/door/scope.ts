// State of one request while the app handles it: id, timings, key name, and more.

import type { Context } from "hono";
import type { Clock } from "../../ports/ports.ts";
import type { RequestScope } from "../../scoring/request-scope.ts";
import type { Caller } from "./auth.ts";
import type { FaultDialect } from "./dialect.ts";

export type AppEnv = {
  Variables: {
    scope: RequestScope;
    /** Not set on public routes. */
    caller?: Caller;
    cancel?: AbortController;
    /** Deadline of the judging that the reply waits for, ms. */
    deadline_ms?: number;
    dialect?: FaultDialect;
    /** Warnings about parts of the body that the judge does not see, for the reply's header. */
    left_out?: readonly string[];
    mendable?: boolean;
    work?: Promise<unknown>[];
    rateLimit?: Record<string, string>;
    onEnd?: () => Promise<void>;
    /** Settles when the client has read the last line of a pulled stream, or has disconnected. */
    replying?: Promise<void>;
    /** Code of the error with which the request was answered. */
    refused?: string;
    /** Code of the error that aborted a reply after it had started. */
    broken_off?: string;
    /**
     * Id of the batch that continues the request. If this is the request's own id, the batch also takes over
     * the request's concurrency slot.
     */
    batch_id?: string;
  };
};
export type AppContext = Context<AppEnv>;

const milliseconds = (value: number) => Math.max(0, Math.round(value * 1000) / 1000);

/** The Server-Timing header with total, verifier, store and overhead times in ms. */
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
 * Keeps the request alive until `work` has ended, even if the client disconnects. Outside a Worker there is
 * no `waitUntil`, and work is not stopped.
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
    // The client has disconnected and the runtime has ended the request, so waitUntil is no longer possible.
  }
}

/** The request's AbortController, which aborts with the reason `cancelled` when the client disconnects. */
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
