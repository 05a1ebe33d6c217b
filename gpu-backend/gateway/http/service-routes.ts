// All routes except /v1/verify: models, health, readiness, metrics, scalar models, and 404. Uses the engine
// pool only through its interface.
import type { HttpBindings } from "@hono/node-server";
import { type RequestHandler, Router } from "itty-router";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { VERIFY_REVISION } from "../../../src/core/wire/verify-protocol.ts";
import type { EnginePool } from "../engines/port.ts";
import type { createGate } from "./access.ts";
import { readText } from "./body.ts";
import { problemReply } from "./problem.ts";
import { requestId } from "./request-id.ts";
import { SCALAR_PATHS, type ScalarRelay } from "./scalar-relay.ts";
import type { SessionDeps } from "./session.ts";

/** Handles all requests except those to /v1/verify. Never rejects. */
export type ServiceRoutes = (request: Request, env: HttpBindings) => Promise<Response>;

export function createServiceRoutes(
  deps: SessionDeps,
  pool: EnginePool,
  gate: ReturnType<typeof createGate>,
  scalar: ScalarRelay | null,
): ServiceRoutes {
  const { admission, bytes, metrics, timers } = deps;
  const router = Router<Request, [HttpBindings]>({
    catch: (thrown: unknown, _: Request, env: HttpBindings) => failure(thrown, env),
  });
  // Health probes may use HEAD.
  const get = (path: string, handler: RequestHandler<Request, [HttpBindings]>) =>
    router.get(path, handler).head(path, handler);
  get("/v1/models", async (_, { incoming }) => {
    gate(incoming);
    const data = (await pool.models()).map((model) => ({ id: model, object: "model", created: 0, owned_by: "kritai" }));
    return Response.json({ object: "list", data });
  });
  get("/health", () => Response.json({ status: admission.draining ? "draining" : "ok" }));
  const engineReady = cached(() => pool.ready(), LIMITS.readiness_cache_ms, timers.now);
  get("/ready", async () => {
    const engine = await engineReady();
    const ok = engine.ok && !admission.draining;
    const status = admission.draining ? "draining" : ok ? "ready" : "not_ready";
    return Response.json({ status, revision: VERIFY_REVISION, engine }, { status: ok ? 200 : 503 });
  });
  get("/metrics", () => {
    const { queue_depth, queue_tokens, draining, jobs } = admission;
    const { in_flight, capacity } = pool;
    const gauges = { requests_open: jobs.size, queue_depth, queue_tokens, in_flight, capacity, draining };
    const headers = { "content-type": "text/plain; version=0.0.4" };
    return new Response(metrics.render(gauges) + pool.metrics(), { headers });
  });
  for (const path of scalar === null ? [] : SCALAR_PATHS) {
    router.post(path, async ({ signal }, { incoming }) => {
      gate(incoming);
      // Read before the request is counted, so that a slow upload cannot delay a shutdown.
      const memory = bytes.open();
      try {
        const body = await readText(incoming, timers, memory);
        const left = admission.enter();
        return await (scalar as ScalarRelay).ask(path, body, signal).finally(left);
      } finally {
        memory.release();
      }
    });
  }
  router.all("/v1/verify", () => {
    throw new ApiError("method_not_allowed", "Only POST.", { headers: { allow: "POST" } });
  });
  router.all("*", () => {
    throw new ApiError("not_found", "No such route.");
  });
  return router.fetch;
}

function failure(thrown: unknown, { incoming }: HttpBindings): Response {
  const { status, headers, body } = problemReply(thrown, requestId(incoming));
  return new Response(body, { status, headers });
}

/** Caches the result for `age_max_ms`; concurrent callers share one call. */
function cached<T>(ask: () => Promise<T>, age_max_ms: number, now: () => number): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | null = null;
  return () => {
    if (last === null || now() - last.at > age_max_ms) last = { at: now(), answer: ask() };
    return last.answer;
  };
}
