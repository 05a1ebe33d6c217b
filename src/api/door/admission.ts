// Admission control: checks the key's limits before the body is read and the isolate's load while the body
// arrives, and releases what the request occupied when it ends.
import { LIMITS } from "../../core/faults/limits.ts";
import { limitRefusal } from "../../objects/key-limits/refusal.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { KeyLimitName, KeyLimits, LimitState } from "../../ports/key-limits.ts";
import type { Timers } from "../../ports/ports.ts";
import { partyOf } from "../../scoring/party.ts";
import { pacePiece, workInTurns } from "../../scoring/turns.ts";
import { type BodyReading, readBy } from "./body-reading.ts";
import type { InFlight } from "./in-flight.ts";
import { type AppContext, keepAlive, whenDone } from "./scope.ts";

/**
 * How each limit is expressed in the RateLimit headers: name and number of units, since values must be
 * integers, and the length of the window in seconds.
 */
const POLICIES: Readonly<Record<KeyLimitName, { unit: string; units: number; window_s: number | null }>> = {
  rpm: { unit: "requests", units: 1, window_s: 60 },
  tokens_per_day: { unit: "tokens", units: 1, window_s: 86_400 },
  usd_per_day: { unit: "micro-usd", units: 1_000_000, window_s: 86_400 },
  log_rows_per_day: { unit: "rows", units: 1, window_s: 86_400 },
  concurrency: { unit: "concurrent-requests", units: 1, window_s: null },
  stored_bytes: { unit: "bytes", units: 1, window_s: null },
};

export interface Admission {
  /**
   * Admits the request. Must be called once per request.
   * @throws ApiError `busy`, `rate_limited`, `token_budget_exceeded`, `budget_spent`, `log_budget_exceeded`
   *   or `too_many_concurrent`
   */
  admit(c: AppContext): Promise<void>;
}

interface AdmissionDeps {
  keyLimits: KeyLimits | null;
  metrics: Metrics;
  /** Load counter shared with other parts of the isolate. */
  inFlight: InFlight;
  timers: Timers;
}

/** Creates the admission control. Create only one per isolate, because it counts all requests in flight. */
export function createAdmission({ keyLimits, metrics, inFlight, timers }: AdmissionDeps): Admission {
  const { load, busy } = inFlight;

  /**
   * Checks the announced length of the body against the limit, but counts only bytes that have arrived, so
   * that stalled uploads reserve no memory.
   */
  function enter(c: AppContext): () => void {
    const key = c.get("scope").key_name ?? "";
    const tenant = partyOf(c.get("scope").key_name).tenant ?? "";
    const reading: BodyReading = {
      timers,
      receive() {},
      inTurns: workInTurns(tenant, timers, timers.now() + LIMITS.body_read_ms),
      pace: () => pacePiece(tenant, timers),
    };
    readBy(c.req.raw, reading);
    const announced = Math.min(Number(c.req.header("content-length") ?? 0) || 0, LIMITS.body_bytes);
    const excess = load.exceeded(key, announced, timers.now());
    if (excess !== null) throw busy(excess);
    const place = load.enter(key, timers.now());
    const receive = (bytes: number) => {
      const over = place.receive(bytes);
      if (over !== null) throw busy(over);
    };
    reading.receive = receive;
    c.get("scope").reserveBytes = receive;
    return place.leave;
  }

  return {
    async admit(c) {
      const ends: (() => unknown)[] = [enter(c)];
      const end = () => {
        for (const each of ends.splice(0)) each();
      };
      c.set("onEnd", () => whenDone(c).then(end));
      // If the runtime cancels the request because its client has disconnected, only this listener runs.
      c.req.raw.signal.addEventListener("abort", end, { once: true });
      if (keyLimits === null) return;
      const { id, key_name } = c.get("scope");
      // Only POST requests count toward the concurrency limit, so that a key whose batches use up the limit
      // can still poll and cancel them.
      const judges = c.req.method === "POST";
      const release = () => c.get("batch_id") !== id && keepAlive(c, keyLimits.release(key_name, id));
      // Registers the release first, because the client may disconnect while the limits are being checked.
      if (judges) ends.push(release);
      const grant = await keyLimits.admit(key_name, id, judges);
      if (grant !== null) c.set("rateLimit", rateLimitFields(grant.limits));
      if (grant === null || grant.refused_by === null) return;
      if (judges) ends.splice(ends.indexOf(release), 1);
      metrics.add("kritai_key_limit_refusals_total", 1, { limit: grant.refused_by });
      throw limitRefusal(grant.refused_by, grant);
    },
  };
}

/** Headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), with one item per limit. */
function rateLimitFields(limits: readonly LimitState[]): Record<string, string> {
  if (limits.length === 0) return {};
  const policy = limits.map(({ limit, quota }) => {
    const { unit, units, window_s } = POLICIES[limit];
    return `"${limit}";q=${Math.round(quota * units)}${window_s === null ? "" : `;w=${window_s}`};qu="${unit}"`;
  });
  const state = limits.map(
    ({ limit, remaining, reset_s }) =>
      `"${limit}";r=${Math.round(remaining * POLICIES[limit].units)}${reset_s === null ? "" : `;t=${reset_s}`}`,
  );
  return { "ratelimit-policy": policy.join(", "), ratelimit: state.join(", ") };
}
