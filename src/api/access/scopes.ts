// Owns the table of what each route asks of its caller: nothing, or a key with a scope. Knows no
// handler and no key.
import { SCOPES, type Scope } from "./auth.ts";

/**
 * Every route by what it needs. `public` ones need no key: liveness, readiness (the stack's own
 * start waits for it) and the documentation. A foreign contract's route scores, whatever its
 * method, so it is `score`.
 */
export const ACCESS: Readonly<Record<"public" | Scope, readonly string[]>> = {
  public: [
    ...["GET /", "GET /healthz", "GET /health", "GET /readyz", "GET /nemo-gym/"],
    ...["GET /openapi.json", "GET /docs", "GET /docs/errors", "GET /docs/style.css"],
  ],
  score: [
    ...["POST /v1/rewards", "POST /v1/verdicts", "POST /v1/evaluations"],
    ...["GET /v1/specs/:name", "POST /v1/specs/check"],
    ...["POST /v1/rerank", "POST /v2/rerank", "POST /rerank", "POST /score", "POST /v1/score", "POST /classify"],
    ...["POST /v1/score_batch", "POST /v1/chat/completions", "GET /v1/models"],
    ...["GET /v1/batches/:id", "DELETE /v1/batches/:id"],
    ...["POST /openrlhf/get_reward", "POST /slime/reward", "POST /verl/compute_score", "POST /evaluate"],
    ...["/nemo-gym", "/nemo-gym/ng-rollout/:rollout_id"].flatMap((prefix) => [
      ...[`POST ${prefix}/verify`, `POST ${prefix}/seed_session`, `POST ${prefix}/close_session`],
      ...[`POST ${prefix}/aggregate_metrics`, `GET ${prefix}/reverify_mode`],
    ]),
  ],
  logs: [
    ...["GET /v1/runs", "GET /v1/runs/:run_id", "GET /v1/runs/:run_id/steps", "GET /v1/runs/:run_id/groups"],
    ...["GET /v1/runs/:run_id/export", "GET /v1/groups/:id/verdicts", "GET /v1/requests/:request_id"],
    ...["GET /v1/logs/dead-letters", "POST /v1/logs/dead-letters/replay"],
  ],
  // Its counts are of all keys together.
  "logs:all": ["GET /metrics"],
  admin: ["PUT /v1/specs/:name"],
};

const PUBLIC_PATHS: ReadonlySet<string> = new Set(ACCESS.public.map((route) => route.split(" ")[1] as string));

const SCOPE_OF: ReadonlyMap<string, Scope> = new Map(
  SCOPES.flatMap((scope) => ACCESS[scope].map((route) => [route, scope] as const)),
);

/** Whether a path needs no key, whatever the method. */
export const isPublic = (path: string): boolean => PUBLIC_PATHS.has(path);

/**
 * The scope that a request needs, by its method and its route's pattern; null where no route
 * answers. A route that the table does not know is closed to all but `admin`.
 */
export function neededScope(method: string, pattern: string | null): Scope | null {
  if (pattern === null) return null;
  return SCOPE_OF.get(`${method === "HEAD" ? "GET" : method} ${pattern}`) ?? "admin";
}
