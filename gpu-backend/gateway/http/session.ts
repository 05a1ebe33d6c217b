// The lifecycle of a verify request, from admission through heartbeats to its end by completion, deadline or
// disconnect.
import type { ServerResponse } from "node:http";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import type { VerifyEvent, VerifyRequest } from "../../../src/core/wire/verify-protocol.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import type { Admission } from "../scheduling/admission.ts";
import { Job } from "../scheduling/job.ts";
import type { BodyBytes, OpenBytes } from "../scheduling/open-bytes.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { EventStream } from "./event-stream.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { RefusalLog } from "./refusal-log.ts";

export interface SessionDeps {
  admission: Admission;
  bytes: OpenBytes;
  scheduler: Scheduler;
  metrics: GatewayMetrics;
  refusals: RefusalLog;
  timers: Timers;
  /** See EnginePool.escape. */
  escape: () => Promise<Escape>;
}

/** The origin of a request and the response for its events. */
export interface Caller {
  id: string;
  /** Arrival time by `timers.now()`; the deadline counts from here. */
  arrived_at: number;
  response: ServerResponse;
  escape: Escape;
  /** The bytes of the request's body, released when the request has ended. */
  memory: BodyBytes;
}

/**
 * Admits the request and streams its events as the reply. If the reader disconnects, all generations of the
 * request are aborted.
 * @throws ApiError if the request is not admitted; nothing has been written in that case
 */
export function openSession(
  { admission, scheduler, metrics, refusals, timers }: SessionDeps,
  request: VerifyRequest,
  { id, arrived_at, response, escape: escapeWith, memory }: Caller,
): void {
  const job = new Job(request, {
    tenant: id,
    arrived_at,
    now: timers.now,
    escape: escapeWith,
    emit: (event) => emit(event),
    full: () => stream.full,
  });
  const queue_depth = admission.queue_depth;
  admission.admit(job);

  // Created after admission, because the stream treats a disconnect as the end of an admitted request.
  const stream = new EventStream(response, {
    request_id: id,
    timers,
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
  const endBeats = timers.every(GATEWAY_LIMITS.heartbeat_ms, () => emit({ type: "heartbeat", open: job.open }));
  const left_ms = Math.max(0, arrived_at + request.deadline_ms - timers.now());
  const disarmDeadline = timers.after(left_ms, () => job.stop("deadline"));
  const close = () => {
    endBeats();
    disarmDeadline();
    admission.leave(job);
    memory.release();
    scheduler.remove(job);
    stream.end();
  };
  scheduler.add(job);
}
