// JSON replies that may take a long time. They start early with white space, so that proxies do not time out
// and disconnected clients are noticed.

import type * as z from "zod";
import { jsonWriter } from "../../core/contract/json-text.ts";
import { asApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { ClientProbe } from "../../objects/gathering/gathering.ts";
import { pause } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";
import { simulatedDeployment } from "../../scoring/simulated.ts";
import type { AppDeps } from "./deps.ts";
import { type AppContext, cancellation } from "./scope.ts";
import { pushedText, type TextSink } from "./streams.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store", "x-accel-buffering": "no" };

/**
 * Headers of a reply that starts early. They keep proxies from compressing the reply, which would hold back
 * the line ends, so that a client would receive nothing for a minute and time out.
 */
export const BEGUN = { "cache-control": "no-store, no-transform", "content-encoding": "identity" };

/** The warnings as a header, for reply formats whose body cannot contain warnings. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-kritai-warnings": warnings.join("; ") };
}

/** The value of a reply. `headers` are sent only if the reply has not started yet. */
interface JsonReply {
  value: unknown;
  headers?: Record<string, string>;
}

interface SlowJson {
  /**
   * Checks whether the client is connected. Starts the reply if necessary and writes to it twice, because the
   * runtime notices a closed connection only on writing.
   */
  probe: ClientProbe;
  /**
   * The reply to `running`, which has an error status only if it has not started early. Rejects if `running`
   * rejects before the reply has started.
   */
  answer(running: Promise<JsonReply>): Promise<Response>;
}

/** Time in ms after which a reply starts although its outcome is unknown; null: it never starts early. */
type Beginning = () => { after_ms: number | null };

/**
 * For replies that judge whole groups. They start early, because only writing reveals a disconnected client,
 * whose work can then be cancelled. With a short deadline they never start early, so that errors keep their
 * HTTP status.
 */
const noticingLeavers =
  (c: AppContext): Beginning =>
  () => ({ after_ms: (c.get("deadline_ms") ?? Infinity) <= LIMITS.silent_deadline_ms ? null : LIMITS.heartbeat_ms });

/**
 * For gathered samples, which are judged even if the client disconnects. Replies start as late as possible,
 * just before a proxy would close the silent connection, so that errors keep their HTTP status.
 */
export const sparingStatus =
  (deadlineMs: number): Beginning =>
  () => ({ after_ms: deadlineMs < LIMITS.proxy_silence_ms ? null : LIMITS.silence_max_ms });

/**
 * Resolves with the result of `running`, or with null if the reply has to start before: at the time given by
 * `begins`, or when `hurry` settles. Rejects if `running` rejects first.
 */
export async function promptly<T>(
  timers: Timers,
  running: Promise<T>,
  hurry?: Promise<unknown>,
  begins: Beginning = () => ({ after_ms: LIMITS.heartbeat_ms }),
): Promise<T | null> {
  const cancels: (() => void)[] = [];
  const late = new Promise<null>((resolve) => {
    // The delay is determined only now, because the deadline may have been set in the meantime.
    const look = () => {
      const { after_ms } = begins();
      if (after_ms === null) return;
      if (after_ms <= LIMITS.heartbeat_ms) resolve(null);
      else cancels.push(timers.after(after_ms - LIMITS.heartbeat_ms, () => resolve(null)));
    };
    cancels.push(timers.after(LIMITS.heartbeat_ms, look));
    hurry?.then(() => resolve(null));
  });
  return Promise.race([running, late]).finally(() => {
    for (const cancel of cancels) cancel();
  });
}

/**
 * Starts a reply with `beat`, repeats `beat` every heartbeat_ms until `running` settles, and then calls `end`
 * to write the result. An error aborts the connection, so that a 200 is never followed by an error document
 * (docs/decisions.md, "Slow replies").
 */
export function beatUntil<T>(
  c: AppContext,
  deps: AppDeps,
  sink: TextSink,
  beat: string,
  running: Promise<T>,
  end: (value: T) => void | Promise<void>,
): void {
  sink.write(beat);
  const stopBeats = deps.timers.every(LIMITS.heartbeat_ms, () => sink.write(beat));
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
 * Creates a JSON reply that starts early, with line ends (JSON allows white space before a value), if it is
 * probed or takes longer than `begins` allows. Without them, proxies would close the connection after about
 * 100 s of silence, and a disconnected client would go unnoticed.
 */
export function slowJson(
  c: AppContext,
  deps: AppDeps,
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

  /** Writes twice: a closed peer answers the first write with a reset, which makes the second write fail. */
  async function probe(): Promise<boolean> {
    begun.resolve();
    const { sink } = open();
    sink.write("\n");
    await sink.flushed();
    await pause(deps.timers, LIMITS.probe_write_gap_ms);
    sink.write("\n");
    await sink.flushed();
    return !cancel.signal.aborted;
  }

  async function answer(running: Promise<JsonReply>): Promise<Response> {
    const reply = await promptly(deps.timers, running, begun.promise, begins);
    if (reply !== null) return c.body(write(reply.value) as string, 200, { ...HEADERS, ...reply.headers });
    const { body, sink } = open();
    beatUntil(c, deps, sink, "\n", running, ({ value }) => {
      sink.write(write(value) as string);
      sink.close();
    });
    // Headers are sent before the outcome is known, so they contain only the warning for all requests.
    return c.body(body, 200, { ...HEADERS, ...BEGUN, ...warningHeaders(simulatedDeployment(deps.verifier)) });
  }

  return { probe, answer };
}

/** Replies with the result of `running`, encoded by the schema; see `slowJson`. */
export function answerJson(
  c: AppContext,
  deps: AppDeps,
  running: Promise<JsonReply>,
  schema: z.core.$ZodType,
): Promise<Response> {
  return slowJson(c, deps, schema).answer(running);
}

/** A JSON reply whose value is already known, encoded by the schema. */
export function jsonReply(
  c: AppContext,
  schema: z.core.$ZodType,
  value: unknown,
  headers: Record<string, string> = {},
): Response {
  return c.body(jsonWriter(schema)(value) as string, 200, { "content-type": "application/json", ...headers });
}
