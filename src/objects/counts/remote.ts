// Sends an isolate's counters to the Durable Object that holds the deployment's totals.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { SeriesCount } from "../../core/load/metric-registry.ts";
import type { Metrics } from "../../platform/counters.ts";
import { fail, pause, within } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";
import type { ObjectNamespace } from "../storage/reach.ts";

/** RPC methods of the Durable Object that holds the totals. */
export interface CountsStub {
  add(counted: readonly SeriesCount[]): Promise<void>;
  /** Adds the counts and returns all totals in the Prometheus text format. */
  text(counted: readonly SeriesCount[]): Promise<string>;
}

export type CountsNamespace = ObjectNamespace<CountsStub>;

/** Name of the single object that holds the deployment's totals. */
export const NAME = "deployment";
const UNREACHABLE = "The deployment's counters did not respond. No counts are lost; retry the request.";

export interface DeploymentCounts {
  /**
   * Adds the isolate's counters to the totals after counts_flush_ms, unless another request is about to do
   * so. Does not reject.
   */
  flush(): Promise<void>;
  /** @throws ApiError `not_ready` if the totals cannot be read */
  text(): Promise<string>;
}

/**
 * Creates the client for the deployment's totals.
 * @param metrics the isolate's metrics, which are moved into the totals
 */
export function createDeploymentCounts(metrics: Metrics, namespace: CountsNamespace, timers: Timers): DeploymentCounts {
  /**
   * Time until which this isolate relies on another request's pending flush. The runtime may have cancelled
   * the flush, because that request's client disconnected.
   */
  let awaited_until = Number.NEGATIVE_INFINITY;

  async function send<T>(call: (stub: CountsStub, counted: SeriesCount[]) => Promise<T>): Promise<T> {
    const counted = metrics.take();
    const sent = (async () => call(namespace.getByName(NAME), counted))();
    // A call that is merely late may still be counted, so the counts are restored only if the call fails.
    sent.catch(() => metrics.merge(counted));
    try {
      return await within(timers, LIMITS.counts_timeout_ms, sent, fail("late"));
    } catch {
      metrics.add("kritai_metrics_unreachable_total", 1);
      throw new ApiError("not_ready", UNREACHABLE, { headers: { "retry-after": "1" } });
    }
  }

  return {
    async flush() {
      if (timers.now() < awaited_until) return;
      awaited_until = timers.now() + 2 * LIMITS.counts_flush_ms;
      await pause(timers, LIMITS.counts_flush_ms);
      awaited_until = Number.NEGATIVE_INFINITY;
      await send((stub, counted) => stub.add(counted)).catch(() => undefined);
    },
    text: () => send((stub, counted) => stub.text(counted)),
  };
}
