// Posts alarms to the deployment's WEBHOOK, signed according to Standard Webhooks. Each attempt is limited to
// webhook_timeout_ms and follows no redirects.

import { ownerName } from "../core/contract/owner.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { signedHeaders } from "../platform/signature.ts";
import { withTimeout } from "../platform/waiting.ts";
import type { AlarmNews, Announce } from "../ports/alarms.ts";
import type { Clock } from "../ports/ports.ts";

interface WebhookMessage {
  /** The same in every attempt, so that receivers can deduplicate. */
  id: string;
  body: string;
}

function alarmMessage({ run, event, says, state }: AlarmNews, date: Date): WebhookMessage {
  const { run_id, owner } = run;
  const { alarm, level, from_step, to_step, evidence } = state;
  const data = { run_id, owner: ownerName(owner), alarm, level, from_step, to_step, says, evidence };
  const location = `/runs/${encodeURIComponent(run_id)}`;
  return {
    id: ["alarm", owner, run_id, alarm, event, level ?? "off", to_step ?? from_step].join("_"),
    body: JSON.stringify({ type: `alarm.${event}`, timestamp: date.toISOString(), data: { ...data, location } }),
  };
}

/**
 * Creates the function that posts alarms to `url`, signed with `secret`. The function resolves to true if the
 * receiver accepted the message or answered 410, and to false if the message must be sent again.
 */
export function announcer({ url, secret }: { url: string; secret: Uint8Array }, clock: Clock): Announce {
  return async (news) => {
    const date = clock.date();
    const message = alarmMessage(news, date);
    const signed = await signedHeaders(secret, message, date.getTime());
    const headers = { "content-type": "application/json", ...signed };
    const post = { method: "POST", headers, body: message.body, redirect: "manual" } as const;
    try {
      return await withTimeout(clock, LIMITS.webhook_timeout_ms, async (signal) => {
        const response = await fetch(url, { ...post, signal });
        await response.body?.cancel();
        return response.ok || response.status === 410;
      });
    } catch {
      return false;
    }
  };
}
