// Owns the app: request id, keys, headers, the table of routes, and the one place where faults
// become replies. Knows no adapter.
import { HonoBase } from "hono/hono-base";
import { methodNotAllowed } from "hono/method-not-allowed";
import { matchedRoutes } from "hono/route";
import { TrieRouter } from "hono/router/trie-router";
import { type Admission, createAdmission } from "./api/door/admission.ts";
import { authenticate, pathWithoutKey, requireScope } from "./api/door/auth.ts";
import type { AppDeps, RouteDeps } from "./api/door/deps.ts";
import { drainUnread } from "./api/door/drain.ts";
import { createInFlight } from "./api/door/in-flight.ts";
import { problemResponse } from "./api/door/problem.ts";
import { watchedRequest } from "./api/door/request-line.ts";
import { type RouteTable, routeTable } from "./api/door/route.ts";
import { type AppContext, type AppEnv, keepAlive, serverTiming } from "./api/door/scope.ts";
import { suggestedRoute } from "./api/door/suggested-route.ts";
import { ROUTES } from "./api/routes/table.ts";
import { routesOf } from "./api/tools/shared/contract.ts";
import { contractFault } from "./api/tools/shared/faults.ts";
import { CONTRACTS } from "./api/tools/table.ts";
import { ApiError, asApiError } from "./core/faults/errors.ts";
import { faultLine } from "./core/faults/fault-line.ts";
import { createLocalBatches } from "./objects/batches/local.ts";
import { createLocalRooms } from "./objects/gathering/local.ts";
import { createLocalReplies } from "./objects/idempotency/local.ts";
import { createLocalRunObjects } from "./objects/run-objects/run-objects.ts";
import { Metrics } from "./platform/counters.ts";
import { printLine } from "./platform/report.ts";
import { createRequestIds } from "./platform/request-ids.ts";
import type { RequestScope } from "./scoring/request-scope.ts";

const SECURITY_HEADERS: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * For replies that do not say otherwise: data is nobody's page and in nobody's cache. The
 * documentation has its own.
 */
const DEFAULT_HEADERS: Record<string, string> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** A runtime makes the URL of whatever stands in the Host header, two of them joined by a comma. */
const NO_URL = "The request's address is no URL: send one Host header, which names a host.";
const NO_HOST = [{ path: "Host", message: "must be one host, with a port or without" }];

/** The whole API as one Hono app over its dependencies. */
export function createApp(appDeps: AppDeps): HonoBase<AppEnv> {
  const metrics = appDeps.metrics ?? new Metrics();
  const report = appDeps.report ?? printLine;
  const inFlight = appDeps.inFlight ?? createInFlight(metrics, appDeps.keys);
  const runObjects = appDeps.runObjects ?? createLocalRunObjects();
  const judging = { ...appDeps, metrics, report, runObjects, held: inFlight.held };
  const rooms = appDeps.rooms ?? createLocalRooms(judging);
  const replies = appDeps.replies ?? createLocalReplies();
  const batches = appDeps.batches ?? createLocalBatches(judging);
  const deps: RouteDeps = { ...appDeps, inFlight, metrics, report, rooms, replies, batches, runObjects };
  const app = new HonoBase<AppEnv>({
    // Of no patterns that must be put together before the first request.
    router: new TrieRouter(),
    getPath: ({ url }) => (URL.canParse(url) ? pathWithoutKey(new URL(url).pathname) : "/"),
  });
  const routes = [...ROUTES, ...CONTRACTS.flatMap(routesOf)];
  addFrame(app, deps, routeTable(routes));
  for (const { method, path, handler } of routes) app.on(method, path, handler(deps));
  app.notFound((c) => {
    const suggestion = suggestedRoute(c.req.method, c.req.path, routes);
    const nearest = suggestion === null ? "" : ` Did you mean ${suggestion}?`;
    const fault = new ApiError("not_found", `There is nothing at this path.${nearest} GET /docs lists the routes.`);
    return problemResponse(c, fault);
  });
  app.onError((error, c) => {
    const scope = c.get("scope");
    const fault = asApiError(error);
    if (fault.code === "internal") report(faultLine(error, scope.id));
    return contractFault(c, fault) ?? problemResponse(c, fault);
  });
  return app;
}

function addFrame(app: HonoBase<AppEnv>, deps: RouteDeps, table: RouteTable): void {
  const nextId = createRequestIds(() => deps.clock.date().getTime(), deps.replica);
  const admission = createAdmission(deps);
  app.use(async (c, next) => {
    const scope: RequestScope = {
      id: nextId(),
      started_ms: deps.clock.now(),
      key_name: null,
      verifier_ms: 0,
      store_ms: 0,
      keep_alive: (work) => keepAlive(c, work),
    };
    c.set("scope", scope);
    const answered = watchedRequest(c, deps, () => routePath(c));
    await next();
    await drainUnread(c.req.raw);
    finish(c, deps, scope);
    answered();
    void c.get("onEnd")?.();
  });
  app.use(async (c, next) => {
    if (!URL.canParse(c.req.url)) throw new ApiError("invalid_request", NO_URL, { errors: NO_HOST });
    const dialect = table.dialectOf(routePath(c));
    if (dialect !== null) c.set("dialect", dialect);
    if (!table.isPublic(c.req.path, routePath(c)) && c.req.method !== "OPTIONS") await admit(c, deps, admission, table);
    await next().catch(rethrowAsError);
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
}

/**
 * Hono hands only Errors to onError; any other thrown value would go out to the runtime, which
 * might show it.
 */
function rethrowAsError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(`a thrown ${typeof thrown}`);
}

async function admit(c: AppContext, deps: RouteDeps, admission: Admission, table: RouteTable): Promise<void> {
  if (deps.faults !== undefined && deps.faults.length > 0) {
    const names = deps.faults.map((fault) => fault.path).join(", ");
    throw new ApiError("not_configured", `These variables are wrong: ${names}.`, { errors: deps.faults });
  }
  const caller = await authenticate(c.req.raw, deps);
  c.get("scope").key_name = caller.name;
  c.set("caller", caller);
  const needed = table.scopeOf(c.req.method, routePath(c));
  if (needed !== null) requireScope(caller, needed);
  // Who watches a deployment must see it best when it is at its limits.
  if (c.req.path !== "/metrics") await admission.admit(c);
}

/** The pattern of the route that answers, like `/v1/runs/:run_id`; null when none does. */
function routePath(c: AppContext): string | null {
  const path = matchedRoutes(c).at(-1)?.path ?? "/*";
  return path === "/*" ? null : path;
}

function refuseMethod(c: AppContext, methods: string[]): Response {
  const allow = [...new Set([...methods, "OPTIONS"])].join(", ");
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const fault = new ApiError("method_not_allowed", `This path answers ${allow}.`, { headers: { allow } });
  return problemResponse(c, fault);
}

function finish(c: AppContext, deps: RouteDeps, scope: RequestScope): void {
  const headers = c.res.headers;
  headers.set("x-request-id", scope.id);
  headers.set("server-timing", serverTiming(deps.clock, scope));
  for (const name in SECURITY_HEADERS) headers.set(name, SECURITY_HEADERS[name] as string);
  for (const [name, value] of Object.entries(c.get("rateLimit") ?? {})) headers.set(name, value);
  for (const name in DEFAULT_HEADERS) if (!headers.has(name)) headers.set(name, DEFAULT_HEADERS[name] as string);
  const route = routePath(c) ?? "unmatched";
  const total_ms = deps.clock.now() - scope.started_ms;
  deps.metrics.add("kritai_requests_total", 1, { route, status: `${c.res.status}` });
  deps.metrics.observe("kritai_request_seconds", total_ms / 1000, { route });
}
