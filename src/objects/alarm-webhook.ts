// Owns the message that says that a run's alarm began, rose or ended, to the deployment's own
// address. How it is signed and sent: batches/webhook.ts.

import { ownerName } from "../core/contract/owner.ts";
import type { AlarmNews, Announce } from "../ports/alarms.ts";
import type { Clock } from "../ports/ports.ts";
import { deliver, type WebhookMessage } from "./batches/webhook.ts";

/** The same id for every attempt at the same news. */
function alarmMessage({ run, axis, event, says, state }: AlarmNews, url: string, date: Date): WebhookMessage {
  const { run_id, owner } = run;
  const { alarm, level, from_step, to_step, evidence } = state;
  const data = { run_id, owner: ownerName(owner), alarm, level, from_step, to_step, says, evidence, ...axis };
  const location = `/runs/${encodeURIComponent(run_id)}`;
  return {
    id: ["alarm", owner, run_id, alarm, event, level ?? "off", to_step ?? from_step].join("_"),
    url,
    body: JSON.stringify({ type: `alarm.${event}`, timestamp: date.toISOString(), data: { ...data, location } }),
  };
}

/** Tells of alarms at `url`, signed with the secret that batches' webhooks have. */
export function announcer({ url, secret }: { url: string; secret: Uint8Array }, clock: Clock): Announce {
  return async (news) => {
    const now = clock.date();
    const { outcome } = await deliver({ hosts: [], secret }, alarmMessage(news, url, now), now.getTime());
    return outcome !== "again";
  };
}
