// Helpers shared by the run-log queue's tests: a queue that keeps what it is sent, entries, and deliveries
// that keep their end.

import { LIMITS } from "../../src/core/faults/limits.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import type { QueueBinding } from "../../src/ports/ports.ts";
import { utf8Bytes } from "../../src/run-log/write/envelope.ts";
import type { QueueDelivery } from "../../src/run-log/write/queue-consumer.ts";
import fc from "../harness/property.ts";
import { nextRequestId, rewardsEntry } from "../port-contracts/log-entries.ts";

export interface FakeQueue extends QueueBinding {
  readonly bodies: string[];
  calls: number;
  /** Rejections of the next calls, one each. */
  readonly faults: Error[];
}

/** Takes what Cloudflare's queue takes, and refuses the rest. */
export function fakeQueue(): FakeQueue {
  const queue: FakeQueue = {
    bodies: [],
    calls: 0,
    faults: [],
    async sendBatch(messages) {
      queue.calls++;
      const fault = queue.faults.shift();
      if (fault !== undefined) throw fault;
      const bodies = Array.from(messages, ({ body }) => body);
      const sizes = bodies.map(utf8Bytes);
      const fits =
        bodies.length <= LIMITS.queue_send_messages &&
        sizes.every((size) => size <= LIMITS.queue_message_bytes) &&
        sizes.reduce((a, b) => a + b, 0) <= LIMITS.queue_send_bytes;
      if (!fits) throw new Error("Unknown Internal Error (15000)");
      queue.bodies.push(...bodies);
    },
  };
  return queue;
}

/** `count` different small entries, the same every time. */
export function entries(count: number, run_id: string | null = null): LogEntry[] {
  return fc
    .sample(rewardsEntry, { seed: 23, numRuns: count })
    .map((entry) => ({ ...entry, request_id: nextRequestId(), run_id }));
}

export interface FakeDelivery extends QueueDelivery {
  /** `ack`, or the delay of its retry in seconds. */
  end: "ack" | number | null;
}

let delivered = 0;

export function delivery(body: unknown, attempts = 1): FakeDelivery {
  const made: FakeDelivery = {
    ...{ id: `m${++delivered}`, timestamp: new Date(0), body, attempts, end: null },
    ack() {
      made.end = "ack";
    },
    retry({ delaySeconds }) {
      made.end = delaySeconds;
    },
  };
  return made;
}
