// Owns the table of native routes: each with what its caller needs, and who answers.
import type { Route } from "../door/route.ts";
import { batchList, deleteBatch, getBatch } from "./batches.ts";
import { compareRuns } from "./compare.ts";
import { deadLetters, expireDeadLetters, replayDeadLetters } from "./dead-letters.ts";
import { front, PAGES, page } from "./docs.ts";
import { evaluations } from "./evaluations.ts";
import { exportRun } from "./export.ts";
import { groupTexts, groupVerdicts, requestDetail } from "./groups.ts";
import { runHealth } from "./health.ts";
import { runHistogram } from "./histogram.ts";
import { rescore } from "./rescore.ts";
import { rewards } from "./rewards.ts";
import { deleteRun, putRun } from "./run-changes.ts";
import { runDetail, runGroups, runList, runSteps } from "./runs.ts";
import { healthz, metricsText, readyz } from "./service.ts";
import { checkSpec } from "./spec-check.ts";
import { getSpec, putSpec, specList } from "./specs.ts";
import { getTemplate, listTemplates, putTemplate } from "./templates.ts";
import { verdicts } from "./verdicts.ts";

/**
 * `public` ones need no key: liveness, readiness (the stack's own start waits for it) and the
 * documentation.
 */
export const ROUTES: readonly Route[] = [
  { method: "POST", path: "/v1/rewards", access: "score", handler: rewards },
  { method: "POST", path: "/v1/verdicts", access: "score", handler: verdicts },
  { method: "POST", path: "/v1/evaluations", access: "score", handler: evaluations },
  { method: "POST", path: "/v1/specs/check", access: "score", handler: checkSpec },
  { method: "GET", path: "/v1/specs", access: "score", handler: specList },
  { method: "GET", path: "/v1/specs/:name", access: "score", handler: getSpec },
  { method: "PUT", path: "/v1/specs/:name", access: "admin", handler: putSpec },
  { method: "GET", path: "/v1/templates", access: "score", handler: listTemplates },
  { method: "GET", path: "/v1/templates/:name", access: "score", handler: getTemplate },
  { method: "PUT", path: "/v1/templates/:name", access: "admin", handler: putTemplate },
  { method: "GET", path: "/v1/runs", access: "logs", handler: runList },
  { method: "GET", path: "/v1/runs/:run_id", access: "logs", handler: runDetail },
  { method: "PUT", path: "/v1/runs/:run_id", access: "score", handler: putRun },
  { method: "DELETE", path: "/v1/runs/:run_id", access: "logs", handler: deleteRun },
  { method: "GET", path: "/v1/runs/:run_id/steps", access: "logs", handler: runSteps },
  { method: "GET", path: "/v1/runs/:run_id/health", access: "logs", handler: runHealth },
  { method: "GET", path: "/v1/runs/:run_id/histogram", access: "logs", handler: runHistogram },
  { method: "GET", path: "/v1/runs/:run_id/compare", access: "logs", handler: compareRuns },
  { method: "GET", path: "/v1/runs/:run_id/groups", access: "logs", handler: runGroups },
  { method: "GET", path: "/v1/runs/:run_id/export", access: "logs", handler: exportRun },
  { method: "POST", path: "/v1/runs/:run_id/rescore", access: "logs", handler: rescore },
  { method: "GET", path: "/v1/groups/:id/verdicts", access: "logs", handler: groupVerdicts },
  { method: "GET", path: "/v1/groups/:id/texts", access: "logs", handler: groupTexts },
  { method: "GET", path: "/v1/requests/:request_id", access: "logs", handler: requestDetail },
  { method: "GET", path: "/v1/logs/dead-letters", access: "logs", handler: deadLetters },
  { method: "DELETE", path: "/v1/logs/dead-letters", access: "logs", handler: expireDeadLetters },
  { method: "POST", path: "/v1/logs/dead-letters/replay", access: "logs", handler: replayDeadLetters },
  { method: "GET", path: "/", access: "public", handler: front },
  { method: "GET", path: "/healthz", access: "public", handler: healthz },
  { method: "GET", path: "/readyz", access: "public", handler: readyz },
  // Its counts are of all keys together.
  { method: "GET", path: "/metrics", access: "logs:all", handler: metricsText },
  ...Object.entries(PAGES).map(
    ([path, asset]): Route => ({ method: "GET", path, access: "public", handler: (deps) => page(deps, asset) }),
  ),
  { method: "GET", path: "/v1/batches", access: "score", handler: batchList },
  { method: "GET", path: "/v1/batches/:id", access: "score", handler: getBatch },
  { method: "DELETE", path: "/v1/batches/:id", access: "score", handler: deleteBatch },
];
