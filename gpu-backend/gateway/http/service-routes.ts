// Owns the routes beside /v1/verify: models, probes, metrics, and what is no route. Knows the pool
// by its interface, and no engine's protocol.
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { EnginePool } from "../engines/port.ts";
import { GATEWAY_LIMITS } from "../gateway-limits.ts";
import type { createGate } from "./access.ts";
import { cancelComparisons } from "./cancel-route.ts";
import { problemReply } from "./problem.ts";
import { requestId } from "./request-id.ts";
import { SCALAR_PATHS, type ScalarRelay } from "./scalar-relay.ts";
import type { SessionDeps } from "./session.ts";

export type ServiceRoutes = Hono<{ Bindings: HttpBindings }>;

/** The routes that are asked seldom. */
export function createServiceRoutes(
  deps: SessionDeps,
  pool: EnginePool,
  gate: ReturnType<typeof createGate>,
  scalar: ScalarRelay | null,
): ServiceRoutes {
  const { admission, metrics, now } = deps;
  const app: ServiceRoutes = new Hono();
  app.get("/v1/models", async (c) => {
    gate(c.env.incoming);
    const data = (await pool.models()).map((model) => ({ id: model, object: "model", created: 0, owned_by: "kritai" }));
    return c.json({ object: "list", data });
  });
  app.get("/health", (c) => c.json({ status: admission.draining ? "draining" : "ok" }));
  const engineReady = cached(() => pool.ready(), LIMITS.readiness_cache_ms, now);
  app.get("/ready", async (c) => {
    const engine = await engineReady();
    const ok = engine.ok && !admission.draining;
    return c.json({ status: admission.draining ? "draining" : ok ? "ready" : "not_ready", engine }, ok ? 200 : 503);
  });
  app.get("/metrics", (c) => {
    const { queue_depth, queue_tokens, draining, jobs } = admission;
    const { in_flight, capacity } = pool;
    const gauges = { requests_open: jobs.size, queue_depth, queue_tokens, in_flight, capacity, draining };
    return c.text(metrics.render(gauges) + pool.metrics(), 200, { "content-type": "text/plain; version=0.0.4" });
  });
  for (const path of scalar === null ? [] : SCALAR_PATHS) {
    app.post(
      path,
      bodyLimit({ maxSize: GATEWAY_LIMITS.body_bytes, onError: (c) => failure(tooLarge("body_bytes"), c.env) }),
      async (c) => {
        gate(c.env.incoming);
        // Before it is counted: whoever sends it slowly must not hold up a shutdown.
        const body = await c.req.text();
        const left = admission.enter();
        try {
          return await (scalar as ScalarRelay).ask(path, body, c.req.raw.signal);
        } finally {
          left();
        }
      },
    );
  }
  app.post(
    "/v1/verify/cancel",
    bodyLimit({
      maxSize: GATEWAY_LIMITS.cancel_bytes,
      onError: (c) => failure(tooLarge("cancel_bytes"), c.env as HttpBindings),
    }),
    async (c) => {
      gate(c.env.incoming);
      cancelComparisons(deps, await c.req.text());
      return c.body(null, 204);
    },
  );
  for (const path of ["/v1/verify", "/v1/verify/cancel"]) {
    app.all(path, (c) =>
      failure(new ApiError("method_not_allowed", "Only POST.", { headers: { allow: "POST" } }), c.env),
    );
  }
  app.notFound((c) => failure(new ApiError("not_found", "No such route."), c.env));
  app.onError((thrown, c) => failure(thrown, c.env));
  return app;
}

const tooLarge = (limit: "body_bytes" | "cancel_bytes") =>
  new ApiError("body_too_large", `The body is over the limit ${limit} = ${GATEWAY_LIMITS[limit]} of this gateway.`);

function failure(thrown: unknown, { incoming }: HttpBindings): Response {
  const { status, headers, body } = problemReply(thrown, requestId(incoming));
  return new Response(body, { status, headers });
}

/** At most one call in `age_max_ms`, shared by all who ask meanwhile. */
function cached<T>(ask: () => Promise<T>, age_max_ms: number, now: () => number): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | null = null;
  return () => {
    if (last === null || now() - last.at > age_max_ms) last = { at: now(), answer: ask() };
    return last.answer;
  };
}
