// The table of native routes, with the required access and the handler of each.
import type { Route } from "../door/route.ts";
import { front, PAGES, page } from "./docs.ts";
import { rewards } from "./rewards.ts";
import { healthz, metricsText, readyz } from "./service.ts";

/** A handler whose module is imported on the first request, so that it does not delay cold starts. */
const rare =
  (name: keyof typeof import("./rare.ts")): Route["handler"] =>
  (deps) =>
  async (c) =>
    (await import("./rare.ts"))[name](deps)(c);

/** All native routes. Routes for liveness, readiness and documentation are public and need no key. */
export const ROUTES: readonly Route[] = [
  { method: "POST", path: "/v1/rewards", access: "score", handler: rewards },
  { method: "POST", path: "/v1/groups/:id/rollouts", access: "score", handler: rare("addRollouts") },
  { method: "POST", path: "/v1/groups/:id/close", access: "score", handler: rare("closeGroup") },
  { method: "POST", path: "/v1/verdicts", access: "score", handler: rare("verdicts") },
  { method: "POST", path: "/v1/specs/check", access: "score", handler: rare("checkSpec") },
  { method: "GET", path: "/v1/specs", access: "score", handler: rare("specList") },
  { method: "GET", path: "/v1/specs/:name", access: "score", handler: rare("getSpec") },
  { method: "PUT", path: "/v1/specs/:name", access: "admin", handler: rare("putSpec") },
  { method: "GET", path: "/v1/templates", access: "score", handler: rare("listTemplates") },
  { method: "GET", path: "/v1/templates/:name", access: "score", handler: rare("getTemplate") },
  { method: "PUT", path: "/v1/templates/:name", access: "admin", handler: rare("putTemplate") },
  { method: "GET", path: "/v1/runs", access: "logs", handler: rare("runList") },
  { method: "GET", path: "/v1/runs/:run_id", access: "logs", handler: rare("runDetail") },
  { method: "PUT", path: "/v1/runs/:run_id", access: "score", handler: rare("putRun") },
  { method: "DELETE", path: "/v1/runs/:run_id", access: "logs", handler: rare("deleteRun") },
  { method: "GET", path: "/v1/runs/:run_id/steps", access: "logs", handler: rare("runSteps") },
  { method: "GET", path: "/v1/runs/:run_id/health", access: "logs", handler: rare("runHealth") },
  { method: "GET", path: "/v1/runs/:run_id/groups", access: "logs", handler: rare("runGroups") },
  { method: "GET", path: "/v1/runs/:run_id/export", access: "logs", handler: rare("exportRun") },
  { method: "POST", path: "/v1/runs/:run_id/rescore", access: "logs", handler: rare("rescore") },
  { method: "GET", path: "/v1/groups/:id/verdicts", access: "logs", handler: rare("groupVerdicts") },
  { method: "GET", path: "/v1/groups/:id/texts", access: "logs", handler: rare("groupTexts") },
  { method: "GET", path: "/v1/requests/:request_id", access: "logs", handler: rare("requestDetail") },
  { method: "GET", path: "/v1/logs/dead-letters", access: "logs", handler: rare("deadLetters") },
  { method: "DELETE", path: "/v1/logs/dead-letters", access: "logs", handler: rare("expireDeadLetters") },
  { method: "POST", path: "/v1/logs/dead-letters/replay", access: "logs", handler: rare("replayDeadLetters") },
  { method: "GET", path: "/", access: "public", handler: front },
  { method: "GET", path: "/healthz", access: "public", handler: healthz },
  // The path of health checks in TEI, vLLM and SageMaker.
  { method: "GET", path: "/ping", access: "public", handler: healthz },
  { method: "GET", path: "/readyz", access: "public", handler: readyz },
  // Requires `logs:all`, because the metrics cover all keys.
  { method: "GET", path: "/metrics", access: "logs:all", handler: metricsText },
  ...Object.entries(PAGES).map(
    ([path, asset]): Route => ({ method: "GET", path, access: "public", handler: (deps) => page(deps, asset) }),
  ),
  { method: "GET", path: "/v1/batches", access: "score", handler: rare("batchList") },
  { method: "GET", path: "/v1/batches/:id", access: "score", handler: rare("getBatch") },
  { method: "DELETE", path: "/v1/batches/:id", access: "score", handler: rare("deleteBatch") },
];
