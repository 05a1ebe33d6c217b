// Sends a log entry to the run-log queue: splits it into envelopes within the queue's limits, and retries a
// bounded number of times. Independent of the database.

import { LIMITS } from "../../core/faults/limits.ts";
import { fail, within } from "../../platform/waiting.ts";
import type { QueueBinding, Timers } from "../../ports/ports.ts";
import type { LogQueue } from "../../ports/run-log.ts";
import { chunks } from "./chunks.ts";
import { sealed, utf8Bytes } from "./envelope.ts";
import { entryRows } from "./log-rows.ts";

/** A row that must stay whole exceeds the limit of an envelope, so the entry cannot be sent. */
class EntryTooLarge extends Error {
  constructor() {
    super(`a row of the entry exceeds log_envelope_bytes = ${LIMITS.log_envelope_bytes}`);
    this.name = "EntryTooLarge";
  }
}

/** Creates a LogQueue over a queue binding. */
export function createLogQueue(binding: QueueBinding, timers: Timers): LogQueue {
  return {
    async send(entry) {
      const envelopes = sealed(entryRows(entry));
      if (envelopes === null) throw new EntryTooLarge();
      await sendAll(binding, timers, envelopes);
    },
  };
}

/**
 * Sends messages in calls within the queue's limits, several calls at a time, and the last call after all
 * others. Rejects with the error of the first call that failed `queue_tries_max` times; other calls may have
 * succeeded.
 */
export async function sendAll(binding: QueueBinding, timers: Timers, texts: readonly string[]): Promise<void> {
  const calls = chunks(texts, utf8Bytes, LIMITS.queue_send_bytes).flatMap((some) =>
    chunks(some, () => 1, LIMITS.queue_send_messages),
  );
  const last = calls.pop();
  for (const round of chunks(calls, () => 1, LIMITS.queue_sends_at_once)) {
    await Promise.all(round.map((call) => sendOne(binding, timers, call)));
  }
  if (last !== undefined) await sendOne(binding, timers, last);
}

async function sendOne(binding: QueueBinding, timers: Timers, texts: readonly string[]): Promise<void> {
  const messages = texts.map((body) => ({ body, contentType: "text" as const }));
  for (let tries = 1; ; tries++) {
    try {
      // A call that timed out may still succeed, which is harmless because storing is idempotent.
      await within(timers, LIMITS.queue_try_ms, binding.sendBatch(messages), fail("queue_timeout"));
      return;
    } catch (error) {
      if (tries >= LIMITS.queue_tries_max) throw error;
    }
  }
}
