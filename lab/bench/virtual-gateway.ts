// The gateway's scheduler on a virtual engine as a verifier, for what is measured in virtual time.

import { parseVerifyRequest } from "../../gpu-backend/gateway/http/verify-request.ts";
import { Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { Scheduler } from "../../gpu-backend/gateway/scheduling/scheduler.ts";
import { ServiceEstimate } from "../../gpu-backend/gateway/scheduling/service-estimate.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { VerifyEvent } from "../../src/core/wire/verify-protocol.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { verifyBody } from "../../src/verifier/gateway/body.ts";
import { GroupAsk } from "../../src/verifier/gateway/group-ask.ts";
import type { VirtualEngine } from "./virtual-engine.ts";

/** The gateway's own scheduler on a virtual engine, behind the port that scoring asks. */
export function virtualGateway(engine: VirtualEngine, model: string): { verifier: Verifier; clock: Clock } {
  const now = () => engine.now * 1_000;
  const clock = { ...systemClock, now, date: () => new Date(now()) };
  const scheduler = new Scheduler(engine, new ServiceEstimate(now));
  let parties = 0;
  const verifier: Verifier = {
    protocol: "verify",
    generations_max: LIMITS.generations_verify_max,
    check: async () => ({ ok: true, latency_ms: 0 }),
    session(call) {
      const tenant = call.work ?? `step-${parties++}`;
      const stats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
      return {
        stats,
        judge(judgeJob, sink) {
          stats.requests++;
          const group = new GroupAsk(judgeJob, sink);
          const body = verifyBody(call, model, group.body(), LIMITS.deadline_ms_max);
          if (typeof body !== "string") throw new Error("the benchmark's groups must fit into one text");
          const { promise, resolve } = Promise.withResolvers<void>();
          const emit = (event: VerifyEvent) => {
            group.take(event, 0);
            if (event.type !== "done") return;
            scheduler.remove(job);
            resolve();
          };
          const options = { tenant, arrived_at: now(), now, emit, full: () => false };
          const job = new Job(parseVerifyRequest(JSON.parse(body)), options);
          scheduler.add(job);
          return promise;
        },
      };
    },
  };
  return { verifier, clock };
}
