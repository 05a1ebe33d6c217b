// Counts the isolate's requests and background work in flight, and builds the error for a full isolate.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { Timers } from "../../ports/ports.ts";
import type { HeldWork } from "../../scoring/held-work.ts";
import { type Excess, Load } from "./load.ts";

export interface InFlight {
  load: Load;
  /** Builds the error for an exceeded limit, and counts the refusal in the metrics. */
  busy(excess: Excess): ApiError;
  /** Reserves memory for gathered groups and batches in the same isolate. */
  held: HeldWork;
}

/** @param keys the keys that share the isolate; if there are several, no key may use the whole limit */
export function createInFlight(metrics: Metrics, keys: readonly { name: string }[], timers: Timers): InFlight {
  const load = new Load(new Set(keys.map(({ name }) => name)).size > 1);

  function busy({ limit, share }: Excess): ApiError {
    metrics.add("kritai_requests_shed_total", 1, { limit });
    const stated = `${limit} = ${LIMITS[limit]}`;
    const part = `in_flight_key_of_free = ${LIMITS.in_flight_key_of_free} times what is free`;
    const reason = share
      ? `The key has used its share, ${part}, of this instance's limit ${stated}`
      : `This instance is at its limit ${stated}`;
    return new ApiError("busy", `${reason}. Send the request again.`, {
      headers: { "retry-after": "1" },
    });
  }

  const held: HeldWork = {
    begin(key_name, most_ms) {
      const now = timers.now();
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
