// JSON replies that may take long: begun early with white space, so that no proxy cuts them and a client that
// left is noticed.

import type * as z from "zod";
import { jsonWriter } from "../../core/contract/json-text.ts";
import { asApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { ClientProbe } from "../../objects/gathering/gathering.ts";
import { systemClock } from "../../platform/clock.ts";
import { every, pause } from "../../platform/waiting.ts";
import { simulatedDeployment } from "../../scoring/simulated.ts";
import type { RouteDeps } from "./deps.ts";
import { type AppContext, cancellation } from "./scope.ts";
import { pushedText, type TextSink } from "./streams.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store", "x-accel-buffering": "no" };

/**
 * Headers of a reply that has begun. A proxy that compresses it would hold its line ends back, and a client
 * that receives nothing for a minute would hang up.
 */
export const BEGUN = { "cache-control": "no-store, no-transform", "content-encoding": "identity" };

/** The warnings as a header, for dialects whose bodies have no place for them. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-kritai-warnings": warnings.join("; ") };
}

/** A reply's content. `headers` are sent with it only when it had not begun before. */
interface JsonReply {
  value: unknown;
  headers?: Record<string, string>;
}

interface SlowJson {
  /**
   * Begins the reply if need be and writes to it twice, which is how a runtime notices a connection
   * closed by its client.
   */
  probe: ClientProbe;
  /**
   * The reply, with its own status when it is known soon. Rejects as `running` does until the reply
   * has begun.
   */
  answer(running: Promise<JsonReply>): Promise<Response>;
}

/**
 * When a reply begins although its outcome is not known, ms; null: never, for its deadline is near.
 */
type Beginning = () => { after_ms: number | null };

/**
 * For a reply over whole groups: it begins soon, since only writing shows that a client has gone, and its
 * work ends then. A short deadline ends that work as well, and leaves every fault its status.
 */
const noticingLeavers =
  (c: AppContext): Beginning =>
  () => ({ after_ms: (c.get("deadline_ms") ?? Infinity) <= LIMITS.silent_deadline_ms ? null : LIMITS.heartbeat_ms });

/**
 * For a gathered sample, which is judged whether its client stays or not: it begins late, just before a proxy
 * would cut a silent connection.
 */
export const sparingStatus =
  (deadlineMs: number): Beginning =>
  () => ({ after_ms: deadlineMs < LIMITS.proxy_silence_ms ? null : LIMITS.silence_max_ms });

/**
 * The result if it comes before the reply has to begin (by default in heartbeat_ms) and before
 * `hurry`, else null. Rejects as `running` does.
 */
export async function promptly<T>(
  running: Promise<T>,
  hurry?: Promise<unknown>,
  begins: Beginning = () => ({ after_ms: LIMITS.heartbeat_ms }),
): Promise<T | null> {
  const timers: (() => void)[] = [];
  const late = new Promise<null>((resolve) => {
    // The deadline may be known only by then.
    const look = () => {
      const { after_ms } = begins();
      if (after_ms === null) return;
      if (after_ms <= LIMITS.heartbeat_ms) resolve(null);
      else timers.push(systemClock.after(after_ms - LIMITS.heartbeat_ms, () => resolve(null)));
    };
    timers.push(systemClock.after(LIMITS.heartbeat_ms, look));
    hurry?.then(() => resolve(null));
  });
  return Promise.race([running, late]).finally(() => {
    for (const cancel of timers) cancel();
  });
}

/**
 * Begins a reply with `beat`, which it repeats every heartbeat_ms until `running` has come, for
 * `end` to write. A fault breaks off what has begun: a 200 is never followed by an error document
 * (docs/decisions.md, "Slow replies").
 */
export function beatUntil<T>(
  c: AppContext,
  deps: RouteDeps,
  sink: TextSink,
  beat: string,
  running: Promise<T>,
  end: (value: T) => void | Promise<void>,
): void {
  sink.write(beat);
  const stopBeats = every(systemClock, LIMITS.heartbeat_ms, () => sink.write(beat));
  running
    .finally(stopBeats)
    .then(end)
    .catch((error) => {
      const { code } = asApiError(error);
      if (code === "internal") deps.report(faultLine(error, c.get("scope").id));
      c.set("broken_off", code);
      sink.fail(error);
    });
}

/**
 * A reply that takes longer than `begins` says, or is probed, begins with line ends, which JSON
 * allows before a value: proxies cut a reply that is silent for about 100 s, and a client that
 * closed its side is noticed only by writing to it.
 */
export function slowJson(
  c: AppContext,
  deps: RouteDeps,
  schema: z.core.$ZodType,
  begins: Beginning = noticingLeavers(c),
): SlowJson {
  const write = jsonWriter(schema);
  const cancel = cancellation(c);
  const begun = Promise.withResolvers<void>();
  let pushed: ReturnType<typeof pushedText> | null = null;
  const open = () => {
    pushed ??= pushedText(() => cancel.abort("cancelled"));
    return pushed;
  };

  /** The first write makes a closed side answer with a reset, the second one meets it. */
  async function probe(): Promise<boolean> {
    begun.resolve();
    const { sink } = open();
    sink.write("\n");
    await sink.flushed();
    await pause(systemClock, LIMITS.probe_write_gap_ms);
    sink.write("\n");
    await sink.flushed();
    return !cancel.signal.aborted;
  }

  async function answer(running: Promise<JsonReply>): Promise<Response> {
    const reply = await promptly(running, begun.promise, begins);
    if (reply !== null) return c.body(write(reply.value) as string, 200, { ...HEADERS, ...reply.headers });
    const { body, sink } = open();
    beatUntil(c, deps, sink, "\n", running, ({ value }) => {
      sink.write(write(value) as string);
      sink.close();
    });
    // Headers go before the reply's own warnings are known.
    return c.body(body, 200, { ...HEADERS, ...BEGUN, ...warningHeaders(simulatedDeployment(deps.verifier)) });
  }

  return { probe, answer };
}

/** Answers with what `running` comes to, as JSON of the schema; see `slowJson`. */
export function answerJson(
  c: AppContext,
  deps: RouteDeps,
  running: Promise<JsonReply>,
  schema: z.core.$ZodType,
): Promise<Response> {
  return slowJson(c, deps, schema).answer(running);
}

/** A reply that is there, as JSON of the schema. */
export function jsonReply(
  c: AppContext,
  schema: z.core.$ZodType,
  value: unknown,
  headers: Record<string, string> = {},
): Response {
  return c.body(jsonWriter(schema)(value) as string, 200, { "content-type": "application/json", ...headers });
}
