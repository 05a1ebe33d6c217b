// The Hono app: request ids, authentication, headers, routes, and the conversion of errors into replies.
import { HonoBase } from "hono/hono-base";
import { methodNotAllowed } from "hono/method-not-allowed";
import { matchedRoutes } from "hono/route";
import { TrieRouter } from "hono/router/trie-router";
import { type Admission, createAdmission } from "./api/door/admission.ts";
import { authenticate, pathWithoutKey, requireScope } from "./api/door/auth.ts";
import { readBy, unboundReading } from "./api/door/body-reading.ts";
import type { AppDeps } from "./api/door/deps.ts";
import { drainUnread } from "./api/door/drain.ts";
import { problemResponse } from "./api/door/problem.ts";
import { watchedRequest } from "./api/door/request-line.ts";
import { type Route, type RouteTable, routeTable } from "./api/door/route.ts";
import { type AppContext, type AppEnv, keepAlive, serverTiming } from "./api/door/scope.ts";
import { canonicalPath, suggestedRoute } from "./api/door/suggested-route.ts";
import { missingPage, wantsPage } from "./api/routes/docs.ts";
import { ROUTES } from "./api/routes/table.ts";
import { routesOf } from "./api/tools/shared/contract.ts";
import { contractFault } from "./api/tools/shared/faults.ts";
import { CONTRACTS } from "./api/tools/table.ts";
import { ApiError, asApiError } from "./core/faults/errors.ts";
import { faultLine } from "./core/faults/fault-line.ts";
import { createRequestIds } from "./platform/request-ids.ts";
import type { RequestScope } from "./scoring/request-scope.ts";

const SECURITY_HEADERS: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "cross-origin-resource-policy": "same-origin",
};

/** Security headers for HTML pages only: with JSON, SDKs would print them along with every error. */
const PAGE_HEADERS: Record<string, string> = {
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};
/** Default Content-Security-Policy of a page. */
const PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'";

const isPage = (type: string | null): boolean => type?.startsWith("text/html") === true;

/** Error for an invalid URL: the runtime builds it from the Host header and joins two headers by a comma. */
const NO_URL = "The request's address is not a URL. Send one Host header that names a host.";
const NO_HOST = [{ path: "Host", message: "must be one host, with or without a port" }];

/** Creates the API as a Hono app with the given dependencies. */
export function createApp(deps: AppDeps): HonoBase<AppEnv> {
  const { report } = deps;
  const routes = [...ROUTES, ...CONTRACTS.flatMap(routesOf)];
  const paths = new Set(routes.map(({ path }) => path));
  const app = new HonoBase<AppEnv>({
    // TrieRouter compiles no patterns at startup, so cold starts stay short.
    router: new TrieRouter(),
    getPath({ url }) {
      if (!URL.canParse(url)) return "/";
      const path = pathWithoutKey(new URL(url).pathname);
      return paths.has(path) ? path : canonicalPath(path);
    },
  });
  addFrame(app, deps, routes);
  for (const { method, path, handler } of routes) app.on(method, path, handler(deps));
  app.notFound(async (c) => {
    const suggested = suggestedRoute(c.req.method, c.req.path, routes);
    const nearest = suggested === null ? "" : ` Did you mean ${suggested.method} ${suggested.path}?`;
    const fault = new ApiError("not_found", `There is nothing at this path.${nearest} GET /docs lists the routes.`);
    return (await missingPage(deps, c, fault)) ?? refused(c, fault, suggested);
  });
  app.onError(async (error, c) => {
    const scope = c.get("scope");
    const fault = asApiError(error);
    if (fault.code === "internal") report(faultLine(error, scope.id));
    return (await missingPage(deps, c, fault)) ?? contractFault(c, fault) ?? problemResponse(c, fault);
  });
  return app;
}

/** The error reply for an unmatched path, in the error format of the route that was probably meant. */
function refused(c: AppContext, fault: ApiError, suggested: Route | null): Response {
  if (suggested?.dialect != null) c.set("dialect", suggested.dialect);
  return contractFault(c, fault) ?? problemResponse(c, fault);
}

function addFrame(app: HonoBase<AppEnv>, deps: AppDeps, routes: readonly Route[]): void {
  const table = routeTable(routes);
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
    readBy(c.req.raw, unboundReading(deps.timers));
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
    // The page for unknown paths shows no data, so a browser gets it without a key.
    const isOpen = table.isPublic(c.req.path, routePath(c)) || (routePath(c) === null && wantsPage(c));
    if (!isOpen && c.req.method !== "OPTIONS") await admit(c, deps, admission, table);
    await next().catch(rethrowAsError);
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (c, methods) => refuseMethod(c, methods, routes) }));
}

/**
 * Wraps thrown values that are not Errors. Hono passes only Errors to `onError`; other values would reach the
 * runtime, which might expose them.
 */
function rethrowAsError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(`a thrown ${typeof thrown}`);
}

async function admit(c: AppContext, deps: AppDeps, admission: Admission, table: RouteTable): Promise<void> {
  if (deps.faults.length > 0) {
    const names = deps.faults.map((fault) => fault.path).join(", ");
    throw new ApiError("not_configured", `These variables are invalid: ${names}.`, { errors: deps.faults });
  }
  const caller = await authenticate(c.req.raw, deps);
  c.get("scope").key_name = caller.name;
  c.set("caller", caller);
  const needed = table.scopeOf(c.req.method, routePath(c));
  if (needed !== null) requireScope(caller, needed);
  // Monitoring must keep working when the deployment is at its limits.
  if (c.req.path !== "/metrics") await admission.admit(c);
}

/** The pattern of the matched route, such as `/v1/runs/:run_id`; null if no route matches. */
function routePath(c: AppContext): string | null {
  const path = matchedRoutes(c).at(-1)?.path ?? "/*";
  return path === "/*" ? null : path;
}

function refuseMethod(c: AppContext, methods: string[], routes: readonly Route[]): Response {
  const allow = [...new Set([...methods, "OPTIONS"])].join(", ");
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const fault = new ApiError("method_not_allowed", `This path supports ${allow}.`, { headers: { allow } });
  return refused(c, fault, routes.find(({ path }) => path === c.req.path) ?? null);
}

function finish(c: AppContext, deps: AppDeps, scope: RequestScope): void {
  const headers = c.res.headers;
  headers.set("x-request-id", scope.id);
  headers.set("server-timing", serverTiming(deps.clock, scope));
  // Required by RFC 9110, section 6.6.1, but not every runtime adds this header.
  headers.set("date", deps.clock.date().toUTCString());
  for (const name in SECURITY_HEADERS) headers.set(name, SECURITY_HEADERS[name] as string);
  if (isPage(headers.get("content-type"))) {
    for (const name in PAGE_HEADERS) headers.set(name, PAGE_HEADERS[name] as string);
    if (!headers.has("content-security-policy")) headers.set("content-security-policy", PAGE_POLICY);
  }
  for (const [name, value] of Object.entries(c.get("rateLimit") ?? {})) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  const route = routePath(c) ?? "unmatched";
  const total_ms = deps.clock.now() - scope.started_ms;
  deps.metrics.add("kritai_requests_total", 1, { route, status: `${c.res.status}` });
  deps.metrics.observe("kritai_request_seconds", total_ms / 1000, { route });
}
