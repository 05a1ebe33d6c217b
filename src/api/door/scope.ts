// Defines what one request carries through the app: its id, its times, its key's name.

import type { Context } from "hono";
import type { Clock } from "../../ports/ports.ts";
import type { RequestScope } from "../../scoring/request-scope.ts";
import type { Caller } from "./auth.ts";
import type { FaultDialect } from "./dialect.ts";

export type AppEnv = {
  Variables: {
    scope: RequestScope;
    /** Absent on public routes. */
    caller?: Caller;
    cancel?: AbortController;
    /** The deadline of the judging that the reply waits for. */
    deadline_ms?: number;
    dialect?: FaultDialect;
    /** Parts of the body that the judge is not shown, for the reply's header. */
    left_out?: readonly string[];
    mendable?: boolean;
    work?: Promise<unknown>[];
    rateLimit?: Record<string, string>;
    onEnd?: () => Promise<void>;
    /** Settles when the last of a reply that its client draws has been drawn. */
    replying?: Promise<void>;
    /** The code of the fault that is the whole reply. */
    refused?: string;
    /** The fault that ended a reply which had begun. */
    broken_off?: string;
    /**
     * The batch that goes on for the request; where their ids are one, so is their place among the
     * key's requests.
     */
    batch_id?: string;
  };
};
export type AppContext = Context<AppEnv>;

const milliseconds = (value: number) => Math.max(0, Math.round(value * 1000) / 1000);

/** The Server-Timing header: total, verifier, store and what is left, in ms. */
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

/** Work that goes on for the request, whether its handler has returned or not. */
export function workOf(c: AppContext): readonly Promise<unknown>[] {
  return c.get("work") ?? [];
}

/**
 * A reply may be under way long after its handler has returned. The request has ended when its work has,
 * including work that was started later.
 */
export async function whenDone(c: AppContext): Promise<void> {
  for (let known = -1; known < workOf(c).length; ) {
    known = workOf(c).length;
    await Promise.allSettled(workOf(c));
  }
}

/**
 * Keeps the isolate alive until `work` has ended even if the client goes; outside a Worker there is
 * nothing to tell.
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
    // The request has ended with its client: nothing more of it is kept.
  }
}

/**
 * This request's one controller, which aborts with the reason `cancelled` when the client closes
 * the connection.
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
