// Writes one log line per request: when the reply and its background work have ended, or when the client has
// disconnected.
import type { Clock } from "../../ports/ports.ts";
import { loggedPath } from "./auth.ts";
import { type AppContext, whenDone, workOf } from "./scope.ts";

interface LineDeps {
  clock: Clock;
  report: (line: Record<string, unknown>) => void;
  log_requests?: boolean;
}

/**
 * Watches a request from its start. Call the returned function when the handler has finished. If the reply is
 * still streaming then, the line is written later.
 */
export function watchedRequest(c: AppContext, deps: LineDeps, routeOf: () => string | null): () => void {
  if (deps.log_requests !== true) return () => {};
  const { signal } = c.req.raw;
  let open = true;
  const end = (client_gone: boolean) => {
    if (!open) return;
    open = false;
    signal.removeEventListener("abort", gone);
    deps.report(lineOf(c, deps.clock, routeOf(), client_gone));
  };
  const gone = () => end(true);
  signal.addEventListener("abort", gone, { once: true });
  return () => {
    if (workOf(c).length === 0 && c.get("replying") === undefined) return end(false);
    void whenDone(c)
      .then(() => c.get("replying"))
      .then(() => end(signal.aborted));
  };
}

/**
 * Builds the log line from counts, codes and the verifier's reasons. Contains no keys, prompts or answers.
 */
function lineOf(c: AppContext, clock: Clock, route: string | null, client_gone: boolean): Record<string, unknown> {
  const scope = c.get("scope");
  const { method, path } = c.req;
  const { refused, broken_off } = c.var;
  return {
    ...{ level: "info", event: "request", request_id: scope.id, method, route: route ?? "unmatched" },
    path: loggedPath(path, route !== null),
    // The status is null if no reply was sent.
    status: c.finalized ? c.res.status : null,
    ...(client_gone && { client_gone }),
    ...(refused !== undefined && { refused }),
    ...(broken_off !== undefined && { broken_off }),
    key_name: scope.key_name,
    total_ms: Math.round(clock.now() - scope.started_ms),
    ...scope.scored,
  };
}
