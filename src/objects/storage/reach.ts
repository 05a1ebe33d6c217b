// Calls Durable Objects and retries failed calls, since an object may be moved, restarted or updated anytime.

import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { pause } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";

const UNREACHABLE = "The object that stores this request's state cannot be reached. Send the same request again.";

/** The part of a Durable Object namespace used here. */
export interface ObjectNamespace<Stub> {
  getByName(name: string): Stub;
}

export interface ReachDeps {
  timers: Timers;
  /** Receives log lines about unreachable objects. */
  report(line: Record<string, unknown>): void;
}

/**
 * Makes an idempotent call to an object. Uses a new stub after each failed call.
 * @throws ApiError `not_ready` after object_tries_max attempts, after passing a log line to `report`
 */
export async function reach<Stub, T>(
  namespace: ObjectNamespace<Stub>,
  name: string,
  { timers, report }: ReachDeps,
  call: (stub: Stub) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call(namespace.getByName(name));
    } catch (error) {
      if (tries >= LIMITS.object_tries_max) {
        report({ ...faultLine(error, name), event: "object_unreachable" });
        throw new ApiError("not_ready", UNREACHABLE);
      }
      await pause(timers, LIMITS.object_backoff_ms * 2 ** (tries - 1));
    }
  }
}
