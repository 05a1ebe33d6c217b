// Owns what one request carries through the app: its id, its times, its key's name. Knows no route.
import type { Context } from "hono";
import type { Clock } from "../ports.ts";
import type { Dialect } from "./dialect.ts";

/** Durations are ms; `started_ms` is on the injected clock. */
export interface RequestScope {
  /** A sample judged with others takes the id of their judgement, so that the reply's id finds it in the run log. */
  id: string;
  readonly started_ms: number;
  key_name: string | null;
  verifier_ms: number;
  store_ms: number;
  /**
   * Gives the request's Idempotency-Key up, where it has one, and with it an id taken over from a request that crashed. Called before an
   * outcome that will not be kept is logged: another outcome may stand, or come to stand, under that id, and the log keeps the first.
   */
  give_up_key?: () => Promise<void>;
  /** Lets work go on behind the reply; absent where nothing ends with one. */
  keep_alive?: (work: Promise<unknown>) => void;
}

export type AppEnv = {
  Variables: {
    scope: RequestScope;
    cancel?: AbortController;
    dialect?: Dialect;
    mendable?: boolean;
    work?: Promise<unknown>[];
    rateLimit?: Record<string, string>;
    onEnd?: () => Promise<void>;
    /** The batch that goes on for the request; where their ids are one, so is their place among the key's requests. */
    batch_id?: string;
  };
};
export type AppContext = Context<AppEnv>;

/** Runs `work` and books its time as the store's. */
export async function timedStore<T>(clock: Clock, scope: RequestScope, work: () => Promise<T>): Promise<T> {
  const started = clock.now();
  try {
    return await work();
  } finally {
    scope.store_ms += clock.now() - started;
  }
}

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

/** What goes on for the request, whether its handler has returned or not. */
export function workOf(c: AppContext): readonly Promise<unknown>[] {
  return c.get("work") ?? [];
}

/** Keeps the isolate alive until `work` has ended even if the client goes; outside a Worker there is nothing to tell. */
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

/** This request's one controller, which aborts with the reason `cancelled` when the client closes the connection. */
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
