// One request's life on the wire: accepted, heartbeats, its deadline, its end however it comes.
import type { ServerResponse } from "node:http";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import type { VerifyEvent, VerifyRequest } from "../../../src/core/wire/verify-protocol.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import type { Admission } from "../scheduling/admission.ts";
import { Job } from "../scheduling/job.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { EventStream } from "./event-stream.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { RefusalLog } from "./refusal-log.ts";

export interface SessionDeps {
  admission: Admission;
  scheduler: Scheduler;
  metrics: GatewayMetrics;
  refusals: RefusalLog;
  now: () => number;
  /** See EnginePool.escape. */
  escape: () => Promise<Escape>;
}

/** Where a request came from, and where its events go. */
export interface Caller {
  id: string;
  /** `now()` at its arrival: the deadline counts from there. */
  arrived_at: number;
  response: ServerResponse;
  escape: Escape;
}

/**
 * Takes the request and sends its events as the reply. When the reader goes, everything of the
 * request ends in the engines.
 * @throws ApiError when it is not admitted; nothing of the reply is written then
 */
export function openSession(
  { admission, scheduler, metrics, refusals, now }: SessionDeps,
  request: VerifyRequest,
  { id, arrived_at, response, escape: escapeWith }: Caller,
): void {
  const job = new Job(request, {
    tenant: id,
    arrived_at,
    now,
    escape: escapeWith,
    emit: (event) => emit(event),
    full: () => stream.full,
  });
  const queue_depth = admission.queue_depth;
  admission.admit(job);

  // Only now: the stream takes the reader's going for the end of a request that was admitted.
  const stream = new EventStream(response, {
    request_id: id,
    onCancel: () => {
      metrics.cancelled(job.open);
      job.stop(null);
      close();
    },
    onDrain: () => scheduler.wake(job),
  });
  const emit = (event: VerifyEvent) => {
    metrics.count(event);
    if (event.type === "error" && event.reason != null) refusals.note(event.reason);
    stream.write(event);
    if (event.type === "done") close();
  };
  emit({ type: "accepted", request_id: id, generations: job.generations, queue_depth });
  const heartbeat = setInterval(() => emit({ type: "heartbeat", open: job.open }), GATEWAY_LIMITS.heartbeat_ms);
  const deadline = setTimeout(() => job.stop("deadline"), Math.max(0, arrived_at + request.deadline_ms - now()));
  const close = () => {
    clearInterval(heartbeat);
    clearTimeout(deadline);
    admission.leave(job);
    scheduler.remove(job);
    stream.end();
  };
  scheduler.add(job);
}
