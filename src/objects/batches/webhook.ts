// Owns what a webhook says and one delivery of it as Standard Webhooks has it: signed, bounded in
// time, no redirect followed. Knows no life cycle.

import { LIMITS } from "../../core/faults/limits.ts";
import { signedHeaders } from "../../platform/signature.ts";
import type { BatchRecord } from "./batch-record.ts";
import type { Webhooks } from "./view.ts";

export interface WebhookMessage {
  /** The same for every attempt: receivers tell repetitions by it. */
  id: string;
  url: string;
  body: string;
}

/**
 * What is said of a batch that has ended: enough to know whether and where to fetch it, nothing of
 * its texts.
 */
export function announcement(record: BatchRecord, url: string): WebhookMessage {
  const { batch_id, state, progress, ended_at } = record;
  const data = { batch_id, state, progress, location: `/v1/batches/${batch_id}` };
  const timestamp = new Date(ended_at as number).toISOString();
  return { id: `batch_${batch_id}`, url, body: JSON.stringify({ type: `batch.${state}`, timestamp, data }) };
}

/** What came of an attempt; `gone`: the receiver wants no more of them. */
interface WebhookDelivery {
  outcome: "delivered" | "again" | "gone";
  last: string;
}

/** One attempt, bounded by webhook_timeout_ms. Never rejects. */
export async function deliver(
  { secret }: Webhooks,
  { id, url, body }: WebhookMessage,
  now: number,
): Promise<WebhookDelivery> {
  const headers = { "content-type": "application/json", ...(await signedHeaders(secret, { id, body }, now)) };
  const signal = AbortSignal.timeout(LIMITS.webhook_timeout_ms);
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    const last = `${response.status}`;
    if (response.ok) return { outcome: "delivered", last };
    return { outcome: response.status === 410 ? "gone" : "again", last };
  } catch {
    return { outcome: "again", last: signal.aborted ? "timeout" : "unreachable" };
  }
}

/**
 * Pause after so many attempts, ms: four times the one before, half of it by chance so that many
 * batches' do not come together.
 */
export function backoffMs(attempts: number, random: number): number {
  const full = Math.min(LIMITS.webhook_backoff_ms * 4 ** (attempts - 1), LIMITS.webhook_backoff_ms_max);
  return Math.round(full * (0.5 + random / 2));
}
