// The one count of what an isolate has under way, for its requests and for work that outlives them, and how a
// refusal names the bound.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { HeldWork } from "../../scoring/held-work.ts";
import { type Excess, Load } from "./load.ts";

export interface InFlight {
  load: Load;
  /** The refusal, counted. */
  busy(excess: Excess): ApiError;
  /** For rooms and batches of the same isolate. */
  held: HeldWork;
}

/** @param keys those that share the isolate, by name: none of several may have all */
export function createInFlight(metrics: Metrics, keys: readonly { name: string }[]): InFlight {
  const load = new Load(new Set(keys.map(({ name }) => name)).size > 1);

  function busy({ limit, share }: Excess): ApiError {
    metrics.add("kritai_requests_shed_total", 1, { limit });
    const stated = `${limit} = ${LIMITS[limit]}`;
    const part = `in_flight_key_of_free = ${LIMITS.in_flight_key_of_free} times what is free`;
    const reason = share
      ? `The key has its share, ${part}, of this instance's limit ${stated}`
      : `This instance is at its limit ${stated}`;
    return new ApiError("busy", `${reason}. Send the request again.`, {
      headers: { "retry-after": "1" },
    });
  }

  const held: HeldWork = {
    begin(key_name, most_ms) {
      const now = Date.now();
      const place = load.work(key_name ?? "", now, now + most_ms);
      let refused = 0;
      return {
        reserveBytes(bytes) {
          const excess = place.receive(bytes);
          refused = excess === null ? 0 : bytes;
          if (excess !== null) throw busy(excess);
        },
        isFull: () => refused > 0 && place.exceeded(refused) !== null,
        end: place.leave,
      };
    },
  };
  return { load, busy, held };
}
