// Owns the description of every route for the OpenAPI document: words, examples, and which schema
// goes where.
import type * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathItemObject, ZodOpenApiPathsObject } from "zod-openapi";
import { OwnerQuerySchema, RunsQuerySchema } from "../../../src/api/http/owned.ts";
import { CompareQuerySchema } from "../../../src/api/routes/compare.ts";
import { ExpiryQuerySchema, ReplayRequestSchema } from "../../../src/api/routes/dead-letters.ts";
import { ExportQuerySchema } from "../../../src/api/routes/export.ts";
import { GroupIdSchema, RequestIdSchema } from "../../../src/api/routes/groups.ts";
import { HealthQuerySchema } from "../../../src/api/routes/health.ts";
import { HistogramQuerySchema } from "../../../src/api/routes/histogram.ts";
import { RunGroupsQuerySchema, StepsQuerySchema } from "../../../src/api/routes/runs.ts";
import {
  EvaluationsReplySchema,
  RewardsEventSchema,
  RewardsReplySchema,
  VerdictsReplySchema,
} from "../../../src/core/contract/replies.ts";
import { EvaluationsRequestSchema, RunIdSchema, VerdictsRequestSchema } from "../../../src/core/contract/requests.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../src/core/signals/requests.ts";
import { ComparedRunsSchema } from "./comparing.ts";
import * as examples from "./examples.ts";
import * as log from "./log.ts";
import { queryOf } from "./parameters.ts";
import { specs, templates } from "./specs.ts";
import { body, json, path, problem, problems, READ, WRITE } from "./words.ts";

const NDJSON = "application/x-ndjson";

const runPath = path("run_id", RunIdSchema, "The trainer's name of the run");
const scoring: ZodOpenApiPathsObject = {
  "/v1/rewards": {
    post: {
      operationId: "scoreRewards",
      tags: ["Scoring"],
      summary: "Rewards and win counts for groups of rollouts",
      description: `Compares the rollouts of each group through the verifier and returns shaped rewards and win counts in the order of the input. What could not be decided is \`null\` with a code, never a number. At most ${LIMITS.rollouts_per_request_max} rollouts a request. With \`Accept: ${NDJSON}\` groups are streamed as they finish, with a heartbeat at least every 10 s and a \`done\` line last; a fault after the first line is an \`error\` line. A JSON reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space, which keeps the connection alive.`,
      requestBody: body(RewardsRequestSchema, examples.rewardsRequest),
      responses: {
        "200": {
          ...json("Scored. Individual rewards may be null.", RewardsReplySchema, examples.rewardsReply),
          content: {
            "application/json": { schema: RewardsReplySchema, example: examples.rewardsReply },
            [NDJSON]: { schema: RewardsEventSchema },
          },
        },
        ...problems(...WRITE),
      },
    },
  },
  "/v1/verdicts": {
    post: {
      operationId: "scoreVerdicts",
      tags: ["Scoring"],
      summary: "Rewards for training the verifier itself",
      description:
        "Parses and rewards verdict texts for known lists; no model is called. Only a request with a `run_id` is logged, by its metrics: `logged` is false without one. Texts are never stored.",
      requestBody: body(VerdictsRequestSchema, examples.verdictsRequest),
      responses: { "200": json("Rewarded.", VerdictsReplySchema, examples.verdictsReply), ...problems(...WRITE) },
    },
  },
  "/v1/evaluations": {
    post: {
      operationId: "evaluate",
      tags: ["Scoring"],
      summary: "ListAcc, tau-b and parse rate over many lists, with bootstrap intervals",
      description:
        "tau-b never comes without the parse rate: below 0.80 the reply warns `parse_rate_low`, below 0.95 `parse_rate_watch`.",
      requestBody: body(EvaluationsRequestSchema, examples.evaluationsRequest),
      responses: { "200": json("Evaluated.", EvaluationsReplySchema), ...problems(400, 401, 406, 408, 413, 415) },
    },
  },
};

function read(operationId: string, summary: string, params: object, reply: z.ZodType, more: object = {}) {
  return {
    get: {
      operationId,
      tags: ["Run log"],
      summary,
      requestParams: params,
      responses: { "200": json("Found.", reply), ...problems(400, ...READ) },
      ...more,
    },
  };
}

const runLog: ZodOpenApiPathsObject = {
  "/v1/runs": read("listRuns", "Runs, newest first", { query: queryOf(RunsQuerySchema) }, log.RunPageSchema),
  "/v1/runs/{run_id}": read(
    "getRun",
    "One run's summary and its specs",
    { path: runPath, query: queryOf(OwnerQuerySchema) },
    log.RunDetailSchema,
  ),
  "/v1/runs/{run_id}/steps": read(
    "getRunSteps",
    "A row a step",
    { path: runPath, query: queryOf(StepsQuerySchema) },
    log.RunStepsSchema,
  ),
  "/v1/runs/{run_id}/health": read(
    "getRunHealth",
    "Alarms that the run's last steps raise",
    { path: runPath, query: queryOf(HealthQuerySchema) },
    log.RunHealthSchema,
    {
      description:
        "Requests without a step are left out. What each alarm means, and what to do: docs/alarms.md. `to_step` is null while an alarm is on; `on` names those.",
    },
  ),
  "/v1/runs/{run_id}/histogram": read(
    "getRunHistogram",
    "How rewards are spread at each step",
    { path: runPath, query: queryOf(HistogramQuerySchema) },
    log.RunHistogramSchema,
    { description: "Rewards of complete groups; requests without a step are left out." },
  ),
  "/v1/runs/{run_id}/compare": read(
    "compareRuns",
    "How the run differs from another on the prompts that both have",
    { path: runPath, query: queryOf(CompareQuerySchema) },
    ComparedRunsSchema,
    {
      description:
        "Paired by prompt over the complete groups of the last steps that both have: each prompt counts once, and the intervals draw whole prompts. An interval that holds 0 tells no difference.",
    },
  ),
  "/v1/runs/{run_id}/groups": read(
    "getRunGroups",
    "Groups with rewards, win counts and labels",
    { path: runPath, query: queryOf(RunGroupsQuerySchema) },
    log.RunGroupsSchema,
  ),
  "/v1/runs/{run_id}/export": read(
    "exportRun",
    "Everything of a run as NDJSON",
    { path: runPath, query: queryOf(ExportQuerySchema) },
    log.ExportLineSchema,
    {
      description:
        "One `row` line a row and one `end` line last; a stream that ends without it was cut. `texts` are the prompts and rollouts of requests whose spec says `log_texts`, `audit_verdicts` what an audit's judge said.",
      responses: {
        "200": { description: "Rows, oldest first.", content: { [NDJSON]: { schema: log.ExportLineSchema } } },
        ...problems(400, ...READ),
      },
    },
  ),
  "/v1/groups/{id}/verdicts": read(
    "getGroupVerdicts",
    "Each generation of a group",
    { path: path("id", GroupIdSchema, "`<request_id>.<group index>`") },
    log.GroupVerdictsSchema,
  ),
  "/v1/groups/{id}/texts": read(
    "getGroupTexts",
    "A group's prompt and rollouts, where they were logged",
    { path: path("id", GroupIdSchema, "`<request_id>.<group index>`") },
    log.GroupTextsSchema,
  ),
  "/v1/requests/{request_id}": read(
    "getRequest",
    "One logged request and its groups",
    { path: path("request_id", RequestIdSchema, "The `request_id` of a reply that was logged") },
    log.RequestRowSchema,
  ),
};

const deadLetters: ZodOpenApiPathsObject = {
  "/v1/logs/dead-letters": {
    get: {
      operationId: "getDeadLetters",
      tags: ["Run log"],
      summary: "Messages of the run-log queue that could not be stored, counted by reason",
      responses: { "200": json("Counted.", log.DeadLetterSummarySchema), ...problems(401, 503) },
    },
    delete: {
      operationId: "expireDeadLetters",
      tags: ["Run log"],
      summary: "Delete dead letters that are older than an instant, for good",
      description:
        "A letter holds what its request would have logged, texts included, so it has to go when texts do. `npm run logs:expire -- --target` calls this.",
      requestParams: { query: queryOf(ExpiryQuerySchema) },
      responses: { "200": json("Deleted.", log.ExpiryOutcomeSchema), ...problems(400, 401, 503) },
    },
  },
  "/v1/logs/dead-letters/replay": {
    post: {
      operationId: "replayDeadLetters",
      tags: ["Run log"],
      summary: "Put dead letters back on the queue, oldest first",
      description:
        "Storing is idempotent, so a letter that was stored after all does no harm. Send `before` of the reply with the next call: letters that are refused again then wait for a later round.",
      requestBody: body(ReplayRequestSchema, { limit: 50 }),
      responses: { "200": json("Put back.", log.ReplayOutcomeSchema), ...problems(400, 401, 408, 413, 415, 503) },
    },
  },
};

type Replies = NonNullable<ZodOpenApiOperationObject["responses"]>;

function plain(summary: string, type: string, operationId: string, more: Replies = {}): ZodOpenApiPathItemObject {
  const schema = { type: type.endsWith("json") ? ("object" as const) : ("string" as const) };
  const responses = { "200": { description: "OK", content: { [type]: { schema } } }, ...more };
  return { get: { operationId, tags: ["Service"], summary, responses } };
}

const service: ZodOpenApiPathsObject = {
  "/": plain("What this is", "application/json", "about"),
  "/healthz": plain("200 while the process lives", "application/json", "healthz"),
  "/readyz": plain("Whether database and verifier answer, with their latencies", "application/json", "readyz", {
    "503": problem(503, "NotReady"),
  }),
  "/metrics": plain("Prometheus counters of this isolate", "text/plain", "metrics", problems(401)),
  "/openapi.json": plain("This document", "application/json", "openapi"),
  "/docs": plain("The API reference as a page", "text/html", "docs"),
  "/docs/errors": plain("Every error code with its cause and remedy", "text/html", "docsErrors"),
  "/docs/alarms": plain("Every alarm over a run with its rule and what to look at", "text/html", "docsAlarms"),
};

export const paths: ZodOpenApiPathsObject = {
  ...scoring,
  ...specs,
  ...templates,
  ...runLog,
  ...deadLetters,
  ...service,
};
