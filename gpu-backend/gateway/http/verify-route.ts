// POST /v1/verify on node:http: access, reading, the session or the refusal.
import type { IncomingMessage, ServerResponse } from "node:http";
import { problemReply } from "./problem.ts";
import { requestId } from "./request-id.ts";
import { openSession, type SessionDeps } from "./session.ts";
import { readVerifyRequest } from "./verify-request.ts";

/**
 * What is left of a refused request's body may come for so long, so that the caller gets to read
 * the refusal.
 */
const LINGER_MS = 500;

/**
 * The route's handler, without a framework: the two web streams and the Request and Response that
 * one needs cost a request of one generation about a third of its CPU.
 */
export function createVerifyRoute(deps: SessionDeps, gate: (request: IncomingMessage) => void) {
  const take = async (request: IncomingMessage, response: ServerResponse, id: string) => {
    const arrived_at = deps.now();
    gate(request);
    const entered = deps.admission.enter();
    try {
      const asked = await readVerifyRequest(request);
      const escapeWith = await deps.escape();
      // Gone while the engines were asked for their tokens.
      if (response.destroyed) return;
      openSession(deps, asked, { id, arrived_at, response, escape: escapeWith });
    } finally {
      entered();
    }
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    const id = requestId(request);
    // `close` reports a reader that goes.
    response.on("error", () => {});
    take(request, response, id).then(
      () => deps.metrics.request(200),
      (thrown) => deps.metrics.request(refuse(request, response, thrown, id)),
    );
  };
}

/** @returns the status */
function refuse(request: IncomingMessage, response: ServerResponse, thrown: unknown, id: string): number {
  const { status, headers, body } = problemReply(thrown, id);
  if (!response.destroyed) response.writeHead(status, headers).end(body);
  if (!request.complete) {
    request.resume();
    const linger = setTimeout(() => request.destroy(), LINGER_MS);
    request.once("close", () => clearTimeout(linger));
  }
  return status;
}
