// Sends an entry to the run-log queue: envelopes, the queue's limits, bounded tries. Knows the queue's
// binding, no database.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { fail, within } from "../../platform/waiting.ts";
import type { QueueBinding } from "../../ports/ports.ts";
import type { LogQueue } from "../../ports/run-log.ts";
import { chunks } from "./chunks.ts";
import { sealed, utf8Bytes } from "./envelope.ts";
import { entryRows } from "./log-rows.ts";

/**
 * The entry cannot go through the queue: a row that must stay whole is over the envelope's limit.
 */
class EntryTooLarge extends Error {
  constructor() {
    super(`a row of the entry is over log_envelope_bytes = ${LIMITS.log_envelope_bytes}`);
    this.name = "EntryTooLarge";
  }
}

/** A LogQueue over a binding. */
export function createLogQueue(binding: QueueBinding): LogQueue {
  return {
    async send(entry) {
      const envelopes = sealed(entryRows(entry));
      if (envelopes === null) throw new EntryTooLarge();
      await sendAll(binding, envelopes);
    },
  };
}

/**
 * Sends texts in calls within the queue's limits, several at once, the last call alone and after
 * all others. Rejects with the fault of the first call that failed `queue_tries_max` times; others
 * may have been taken.
 */
export async function sendAll(binding: QueueBinding, texts: readonly string[]): Promise<void> {
  const calls = chunks(texts, utf8Bytes, LIMITS.queue_send_bytes).flatMap((some) =>
    chunks(some, () => 1, LIMITS.queue_send_messages),
  );
  const last = calls.pop();
  for (const round of chunks(calls, () => 1, LIMITS.queue_sends_at_once)) {
    await Promise.all(round.map((call) => sendOne(binding, call)));
  }
  if (last !== undefined) await sendOne(binding, last);
}

async function sendOne(binding: QueueBinding, texts: readonly string[]): Promise<void> {
  const messages = texts.map((body) => ({ body, contentType: "text" as const }));
  for (let tries = 1; ; tries++) {
    try {
      // A call given up may still have been taken; that is harmless, because storing is idempotent.
      await within(systemClock, LIMITS.queue_try_ms, binding.sendBatch(messages), fail("queue_timeout"));
      return;
    } catch (error) {
      if (tries >= LIMITS.queue_tries_max) throw error;
    }
  }
}
