// One request to the gateway: send a group, read its events, name what is left when they end. Must not know
// slots, retries or what a sample is.

import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { LineSplitter } from "../../core/wire/ndjson.ts";
import { readVerifyEvent } from "../../core/wire/verify-events.ts";
import { breakOf, type Endpoint, exchange } from "../fan-out/exchange.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type AttemptResult, outcome } from "../fan-out/refusal.ts";
import { SilenceWatch, type StartTimer } from "../fan-out/stall-watchdog.ts";
import type { GroupAsk } from "./group-ask.ts";

export interface GatewayEndpoint extends Endpoint {
  /** Timer of the watch for silence. */
  watch: StartTimer;
}

/**
 * The gateway sends a line at least every heartbeat_ms; after three that did not come it is taken
 * for dead.
 */
const SILENCE_MS = 3 * LIMITS.heartbeat_ms;
/** Before the headers the gateway may still be reading the body; it gives up itself after this. */
const SILENCE_BEFORE_HEADERS_MS = LIMITS.body_read_ms;

/**
 * Asks the gateway for all that is open of a group and lets the group take each event. Never rejects for a
 * failure of the gateway or the network. Samples still open at the end failed by the outcome's code.
 *
 * No headers, 429, 502 to 504: refused, may be sent again. A reply that breaks off, or whose heartbeats stop
 * (`verifier_unavailable`), or that ends in good order without `done` (`verifier_bad_reply`): open samples
 * may be asked again, once, or until the deadline where the group is patient, since a sample's seed makes it
 * the same question and only what is lost is paid twice. The same for samples that the gateway itself calls
 * `retryable`, as one that shuts down does. A line that is not an event is `verifier_bad_reply`.
 */
export async function askGroup(
  endpoint: GatewayEndpoint,
  group: GroupAsk,
  body: BodyInit,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void,
  onBytes: () => void = () => {},
): Promise<AttemptResult> {
  const { clock } = endpoint;
  const dead = new AbortController();
  const watch = new SilenceWatch(clock, endpoint.watch, () => dead.abort());
  watch.listen(SILENCE_BEFORE_HEADERS_MS);
  const sent_at = clock.now();
  try {
    const { reply, failed } = await exchange(endpoint, {
      body,
      signal: AbortSignal.any([signal, dead.signal]),
      onHeaders: (accepted) => {
        watch.listen(SILENCE_MS);
        onHeaders(accepted);
      },
      explains: null,
    });
    if (failed !== null) {
      group.refused = failed.generation;
      return failed;
    }
    const heard = () => {
      watch.heard();
      onBytes();
    };
    return await readReply(group, reply, heard, () => Math.max(0, clock.now() - sent_at));
  } finally {
    watch.end();
  }
}

async function readReply(
  group: GroupAsk,
  response: Response,
  heard: () => void,
  elapsedMs: () => number,
): Promise<AttemptResult> {
  group.accepted();
  const reply = { done: false, malformed: false };
  const lines = new LineSplitter((line) => {
    const event = readVerifyEvent(line);
    if (event === "unknown") return true;
    if (event === "malformed" || !group.take(event, elapsedMs())) {
      reply.malformed = true;
      return false;
    }
    // Read on to the body's own end, so that the connection can be used again.
    if (event.type === "done") reply.done = true;
    return !group.abandoned;
  });
  const broken = await breakOf(async () => {
    const take = (bytes: Uint8Array) => {
      heard();
      return lines.push(bytes);
    };
    if (response.body !== null) await readBody(response.body, take, "prompt");
    if (!reply.malformed) lines.end();
  });
  if (broken === "verifier_bad_reply") reply.malformed = true;
  return conclude(group, reply, broken ?? "verifier_bad_reply");
}

function conclude(group: GroupAsk, reply: { done: boolean; malformed: boolean }, broken: ItemErrorCode): AttemptResult {
  if (reply.malformed) return outcome("verifier_bad_reply");
  const code = reply.done ? "verifier_bad_reply" : broken;
  const healable = !reply.done || group.hasHealable;
  const ended = outcome(code, healable && group.mayAskAgain ? "verifier_unavailable" : null);
  // A reply in good order shows a gateway that works, but not when its engines brought nothing at all.
  const backend_failed = !reply.done || group.broughtNothing;
  return { ...ended, retry_after_ms: reply.done ? group.retry_after_ms : null, backend_failed };
}
