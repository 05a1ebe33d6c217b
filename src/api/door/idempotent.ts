// Idempotency-Key: computes a route's reply once and replays it to repeated requests.

import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isMendable } from "../../core/faults/mendable.ts";
import type { Begun, KeptReply } from "../../objects/idempotency/reply.ts";
import { requireStorage } from "../../objects/key-limits/refusal.ts";
import { joined } from "../../objects/storage/values.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { readJson, readJsonBody } from "./body.ts";
import type { AppDeps } from "./deps.ts";
import { lateReply } from "./late-reply.ts";
import { preferences } from "./prefer.ts";
import { listOfRun } from "./run-list.ts";
import { type AppContext, cancellation, keepAlive } from "./scope.ts";
import { invalidRequest } from "./validation.ts";

/** A route's handler, called with the parsed body. `notingGaps` marks replies that must not be stored. */
type BodyHandler = (c: AppContext, body: unknown) => Promise<Response>;

const KEY = /^[\x21-\x7e]{1,255}$/;
const KEPT_HEADERS = [
  "content-type",
  "cache-control",
  "x-accel-buffering",
  "location",
  "retry-after",
  "preference-applied",
];

/** Passes the reply through. If sending the request again may fill its gaps, prevents storing the reply. */
export async function notingGaps(c: AppContext, running: Promise<RewardsReply>): Promise<RewardsReply> {
  c.set("mendable", true);
  const reply = await running;
  c.set("mendable", isMendable(reply));
  return reply;
}

interface Claim {
  deps: AppDeps;
  c: AppContext;
  name: string;
  owner: string;
  fingerprint: string;
  /** Clock time in ms until which a repeated request waits for the running one. */
  wait_until: number;
}

/** Makes a route's handler idempotent. Without an Idempotency-Key header, only the body is read. */
export function idempotent(deps: AppDeps, answer: BodyHandler) {
  return async (c: AppContext): Promise<Response> => {
    const key = c.req.header("idempotency-key");
    if (key === undefined) return answer(c, await readJson(c.req.raw));
    if (!KEY.test(key)) {
      const message = `must be 1 to idempotency_key_chars = ${LIMITS.idempotency_key_chars} visible ASCII characters, such as a UUID`;
      throw invalidRequest([{ path: "Idempotency-Key", message }]);
    }
    const { value, text } = await readJsonBody(c.req.raw);
    const claim = await claimOf(deps, c, key, value, text);
    const begun = await deps.replies.begin(claim.name, claim.owner, claim.fingerprint);
    const compute = () => answer(c, value);
    if (begun.state !== "running") return settle(claim, begun, compute);
    const later = waitAndSettle(claim, compute);
    // A late reply may start, and its client disconnect, long before the reply is computed and stored, so the
    // request is kept alive until then.
    keepAlive(c, later);
    // With `respond_async` the reply is quick, and a late reply that had started could not become a 202.
    return preferences(c).respond_async ? later : lateReply(c, deps, value, later);
  };
}

async function claimOf(deps: AppDeps, c: AppContext, key: string, value: unknown, text: string): Promise<Claim> {
  const { id, key_name, started_ms } = c.get("scope");
  const { respond_async, wait_s } = preferences(c);
  const url = new URL(c.req.url);
  // These affect the reply in addition to the body, so they are part of the fingerprint.
  const deciding = [url.search, c.req.header("accept") ?? "", respond_async];
  const wait_ms = wait_s === null ? deadlineOf(value) : wait_s * 1000;
  return {
    deps,
    c,
    name: await sha256Hex(JSON.stringify([key_name, c.req.method, c.req.path, key])),
    owner: id,
    fingerprint: await sha256Hex(`${JSON.stringify(deciding)}\n${await sha256Hex(text)}`),
    wait_until: started_ms + wait_ms,
  };
}

/** The request's deadline, read before the body is validated. */
function deadlineOf(value: unknown): number {
  const stated = (value as { deadline_ms?: unknown } | null)?.deadline_ms;
  return typeof stated === "number" && stated >= 0
    ? Math.min(stated, LIMITS.deadline_ms_max)
    : LIMITS.deadline_ms_default;
}

/** Waits for a running request with the same key, then replays its reply or computes a new one. */
async function waitAndSettle(claim: Claim, compute: () => Promise<Response>): Promise<Response> {
  const { c, deps, name, owner, fingerprint, wait_until } = claim;
  const { signal } = cancellation(c);
  const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  for (;;) {
    const left = wait_until - deps.clock.now();
    if (left <= 0 || signal.aborted) break;
    await Promise.race([deps.replies.wait(name, Math.min(left, LIMITS.idempotency_wait_ms)), gone]);
    if (signal.aborted) break;
    const begun = await deps.replies.begin(name, owner, fingerprint);
    if (begun.state !== "running") return settle(claim, begun, compute);
  }
  const detail = "A request with this Idempotency-Key and body is still in progress. Send it again to get its reply.";
  throw new ApiError("idempotency_in_progress", detail, { headers: { "retry-after": "1" } });
}

function settle(claim: Claim, begun: Begun, compute: () => Promise<Response>): Promise<Response> {
  if (begun.state === "new") return computeAndKeep(claim, begun.request_id, () => withSpace(claim, compute));
  if (begun.state === "done") return Promise.resolve(replayed(claim.c, begun.reply));
  const detail =
    "This Idempotency-Key was used with a different request within the last 24 hours. Use a new key for each request.";
  throw new ApiError("idempotency_key_reused", detail);
}

/** Computes the reply, but only if the API key has storage left to keep it. */
async function withSpace({ c, deps }: Claim, compute: () => Promise<Response>): Promise<Response> {
  requireStorage(deps, c.get("scope").key_name, (asking) => keepAlive(c, asking));
  return compute();
}

/** Replays the stored reply with the id of the request that computed it, which is the id in the run log. */
function replayed(c: AppContext, { request_id, status, headers, body }: KeptReply): Response {
  c.get("scope").id = request_id;
  return new Response(body as Uint8Array<ArrayBuffer>, {
    status,
    headers: { ...headers, "idempotent-replayed": "true" },
  });
}

/** Computes the reply under a lease that is renewed meanwhile, then stores it or releases the key. */
async function computeAndKeep(claim: Claim, requestId: string, compute: () => Promise<Response>): Promise<Response> {
  const { c, deps, name, owner } = claim;
  c.get("scope").id = requestId;
  const stopRenewals = deps.timers.every(LIMITS.idempotency_renewal_ms, () => {
    deps.replies.renew(name, owner).catch(() => undefined);
  });
  const giveBack = () => {
    stopRenewals();
    const released = deps.replies.release(name, owner).catch(() => undefined);
    keepAlive(c, released);
    return released;
  };
  c.get("scope").give_up_key = async () => {
    await giveBack();
    c.get("scope").id = owner;
  };
  let response: Response;
  try {
    response = await compute();
  } catch (error) {
    await giveBack();
    throw error;
  }
  if (response.status >= 300 || response.body === null) {
    await giveBack();
    return response;
  }
  return withCopy(c, response, response.body, {
    async whole(bytes) {
      stopRenewals();
      if (c.get("mendable") === true || bytes.byteLength > LIMITS.idempotency_reply_bytes)
        return void (await giveBack());
      await keep(claim, requestId, response, bytes);
    },
    broken: giveBack,
  });
}

/** Stores the reply. A storage failure is logged but does not fail the request. */
async function keep(
  { c, deps, name, owner, fingerprint }: Claim,
  request_id: string,
  response: Response,
  bytes: Uint8Array,
) {
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((header) => {
      const value = response.headers.get(header);
      return value === null ? [] : [[header, value]];
    }),
  );
  const reply = { request_id, status: response.status, headers, body: bytes };
  const stored = deps.replies.complete(name, fingerprint, reply).catch((error) => {
    deps.report({ ...faultLine(error, request_id), event: "reply_not_kept" });
  });
  keepAlive(c, stored);
  await stored;
  const stored_bytes = LIMITS.object_base_bytes + bytes.byteLength;
  const until = deps.timers.now() + LIMITS.idempotency_kept_ms;
  if (deps.keyLimits) keepAlive(c, deps.keyLimits.store(c.get("scope").key_name, stored_bytes, until));
  // A sample's reply has the id under which its group was judged, so this passes the request's own id.
  listOfRun(c, deps, { kind: "replies", name }, owner, () => deps.replies.drop(name));
}

interface Copied {
  whole(bytes: Uint8Array): Promise<void>;
  broken(): Promise<void>;
}

/**
 * Copies a response for storage while streaming it. Reads at full speed, so that a slow or vanished client
 * does not delay storing. Ends the stream only after `whole` has received all bytes, so that a client never
 * has a complete reply that is not stored.
 */
function withCopy(c: AppContext, response: Response, body: ReadableStream<Uint8Array>, copied: Copied): Response {
  const pieces: Uint8Array[] = [];
  const reader = body.getReader();
  let open = true;
  async function copy(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        pieces.push(read.value);
        if (open) controller.enqueue(read.value);
      }
      if (!open) return;
      await copied.whole(joined(pieces));
      controller.close();
    } catch (error) {
      await copied.broken();
      if (open) controller.error(error);
    }
  }
  const passed = new ReadableStream<Uint8Array>({
    start(controller) {
      keepAlive(c, copy(controller as ReadableStreamDefaultController<Uint8Array>));
    },
    async cancel(reason) {
      open = false;
      await reader.cancel(reason);
      await copied.broken();
    },
  });
  return new Response(passed, response);
}
