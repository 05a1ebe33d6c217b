// One request to the gateway: sends a group, reads its events, and classifies the samples left at the end.
// Independent of slots and retries.

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
  /** Timer of the silence watchdog. */
  watch: StartTimer;
}

/** The gateway sends a line at least every heartbeat_ms. After three missed heartbeats it counts as dead. */
const SILENCE_MS = 3 * LIMITS.heartbeat_ms;
/** Until headers arrive, the gateway may still be reading the body; it gives up by itself after this time. */
const SILENCE_BEFORE_HEADERS_MS = LIMITS.body_read_ms;

/**
 * Asks the gateway for all open samples of a group and passes each event to the group. Never rejects for a
 * failure of the gateway or the network. Samples still open at the end fail with the outcome's code.
 *
 * - No headers, 429, or 502 to 504: a refusal that may be sent again.
 * - A reply that breaks off or whose heartbeats stop (`verifier_unavailable`), or that ends properly without
 *   `done` (`verifier_bad_reply`): open samples may be asked again, once or, if the group is patient, until
 *   the deadline. A sample's seed makes the repeated question identical, so only lost samples are paid for
 *   twice.
 * - Samples that the gateway itself marks `retryable`, for instance while shutting down, may be asked again
 *   in the same way.
 * - A line that is not an event: `verifier_bad_reply`.
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
    // Reads on to the end of the body, so that the connection can be reused.
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
  // A complete reply shows a working gateway, unless its engines only failed.
  const backend_failed = !reply.done || group.broughtNothing;
  return { ...ended, retry_after_ms: reply.done ? group.retry_after_ms : null, backend_failed };
}
