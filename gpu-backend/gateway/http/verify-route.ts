// POST /v1/verify on node:http: access control, parsing, then the session or an error.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Timers } from "../../../src/ports/ports.ts";
import { problemReply } from "./problem.ts";
import { requestId } from "./request-id.ts";
import { openSession, type SessionDeps } from "./session.ts";
import { readVerifyRequest } from "./verify-request.ts";

/** How long the rest of a rejected request's body is read, so that the caller can read the error. */
const LINGER_MS = 500;

/**
 * The route handler, without a framework: web streams and Request and Response objects would cost about a
 * third of the CPU time of a request with one generation.
 */
export function createVerifyRoute(deps: SessionDeps, gate: (request: IncomingMessage) => void) {
  const take = async (request: IncomingMessage, response: ServerResponse, id: string) => {
    const arrived_at = deps.timers.now();
    gate(request);
    const entered = deps.admission.enter();
    const memory = deps.bytes.open();
    try {
      const asked = await readVerifyRequest(request, deps.timers, memory);
      const escapeWith = await deps.escape();
      // The client disconnected while the engines were asked for their tokens.
      if (response.destroyed) return memory.release();
      openSession(deps, asked, { id, arrived_at, response, escape: escapeWith, memory });
    } catch (fault) {
      memory.release();
      throw fault;
    } finally {
      entered();
    }
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    const id = requestId(request);
    // A disconnect is handled by `close`.
    response.on("error", () => {});
    take(request, response, id).then(
      () => deps.metrics.request(200),
      (thrown) => deps.metrics.request(refuse({ request, response, id }, thrown, deps.timers)),
    );
  };
}

/** @returns the HTTP status */
function refuse(
  { request, response, id }: { request: IncomingMessage; response: ServerResponse; id: string },
  thrown: unknown,
  timers: Timers,
): number {
  const { status, headers, body } = problemReply(thrown, id);
  if (!response.destroyed) response.writeHead(status, headers).end(body);
  if (!request.complete) {
    request.resume();
    const disarm = timers.after(LINGER_MS, () => request.destroy());
    request.once("close", disarm);
  }
  return status;
}
