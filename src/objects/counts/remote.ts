// Hands what an isolate has counted to the deployment's totals.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { SeriesCount } from "../../core/load/metric-registry.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Metrics } from "../../platform/counters.ts";
import { fail, pause, within } from "../../platform/waiting.ts";
import type { ObjectNamespace } from "../storage/reach.ts";

/** The object's calls. */
export interface CountsStub {
  add(counted: readonly SeriesCount[]): Promise<void>;
  /** As `add`, then all totals as Prometheus text. */
  text(counted: readonly SeriesCount[]): Promise<string>;
}

export type CountsNamespace = ObjectNamespace<CountsStub>;

/** One object counts for the deployment. */
const NAME = "deployment";
const UNREACHABLE = "The deployment's counters did not answer. Nothing is lost: ask again.";

export interface DeploymentCounts {
  /**
   * Hands on what was counted, counts_flush_ms from now, unless a call of another request is about
   * to. Never rejects.
   */
  flush(): Promise<void>;
  /** @throws ApiError `not_ready` where the totals cannot be had */
  text(): Promise<string>;
}

/**
 * @param metrics the isolate's own, which the totals take
 * @param now ms
 */
export function createDeploymentCounts(
  metrics: Metrics,
  namespace: CountsNamespace,
  now: () => number,
): DeploymentCounts {
  /** Until when another request's flush counts: its context may have ended with its client. */
  let awaited_until = Number.NEGATIVE_INFINITY;

  async function send<T>(call: (stub: CountsStub, counted: SeriesCount[]) => Promise<T>): Promise<T> {
    const counted = metrics.take();
    const sent = (async () => call(namespace.getByName(NAME), counted))();
    // What is only late is counted yet: it comes back when the call fails, and not before.
    sent.catch(() => metrics.merge(counted));
    try {
      return await within(systemClock, LIMITS.counts_timeout_ms, sent, fail("late"));
    } catch {
      metrics.add("kritai_metrics_unreachable_total", 1);
      throw new ApiError("not_ready", UNREACHABLE, { headers: { "retry-after": "1" } });
    }
  }

  return {
    async flush() {
      if (now() < awaited_until) return;
      awaited_until = now() + 2 * LIMITS.counts_flush_ms;
      await pause(systemClock, LIMITS.counts_flush_ms);
      awaited_until = Number.NEGATIVE_INFINITY;
      await send((stub, counted) => stub.add(counted)).catch(() => undefined);
    },
    text: () => send((stub, counted) => stub.text(counted)),
  };
}
