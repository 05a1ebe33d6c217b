// Calls objects that may be moved, restarted or updated at any moment: a broken call is made again.

import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { pause } from "../../platform/waiting.ts";

const UNREACHABLE = "The object that keeps this request's state cannot be reached. Send the request again as it is.";

/** The part of a Durable Object namespace that is used here. */
export interface ObjectNamespace<Stub> {
  getByName(name: string): Stub;
}

/**
 * Makes a call that is harmless to repeat. A stub whose call broke is not used again.
 * @throws ApiError `not_ready` after object_tries_max tries; `report` then takes a log line
 */
export async function reach<Stub, T>(
  namespace: ObjectNamespace<Stub>,
  name: string,
  report: (line: Record<string, unknown>) => void,
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
      await pause(systemClock, LIMITS.object_backoff_ms * 2 ** (tries - 1));
    }
  }
}
