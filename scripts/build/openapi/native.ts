// Native routes in the OpenAPI document, made from the app's route table and the description next to each
// handler.
import type * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import "../../../src/api/routes/rare.ts";
import { ROUTES } from "../../../src/api/routes/table.ts";
import { nativeWords, type Words } from "../../../src/api/routes/words.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { accessOf, documentPath } from "./contracts.ts";
import * as letters from "./dead-letters.ts";
import * as examples from "./examples.ts";
import { ExportLineSchema } from "./export-lines.ts";
import * as log from "./log.ts";
import { queryOf } from "./parameters.ts";
import { RescoreLineSchema } from "./rescoring.ts";

const NDJSON = "application/x-ndjson";

/** Examples of an operation: request, reply, and additional requests by title. */
type Examples = readonly [request: unknown, reply?: unknown, further?: Readonly<Record<string, unknown>>];
const EXAMPLES: Readonly<Record<string, Examples>> = {
  scoreRewards: [examples.rewardsRequest, examples.rewardsReply, { "Agent runs": examples.runsRequest }],
  addRollouts: [examples.membersRequest, examples.groupState],
  closeGroup: [examples.closeRequest],
  scoreVerdicts: [examples.verdictsRequest, examples.verdictsReply],
  checkSpec: [examples.signalsSpec],
  putSpec: [examples.spec],
  putTemplate: [examples.template],
  putRun: [{ lr: 1e-6, commit: "4f2a9c1", model: "qwen3-8b", notes: "first try" }],
  rescoreRun: [examples.rescoreRequest],
  replayDeadLetters: [{ limit: 50 }],
};

/** The example of a request, or all examples by title if there are several. */
const exampleOf = (example: unknown, further: Examples[2]) =>
  further === undefined
    ? { example }
    : {
        examples: Object.fromEntries(
          Object.entries({ "Text rollouts": example, ...further }).map(([title, value]) => [title, { value }]),
        ),
      };

const stored = { $ref: "#/components/schemas/StoredSpec" };
/** Schemas of replies, by operation, for which the service itself needs no schema. */
const REPLIES: Readonly<Record<string, z.ZodType | { $ref: string }>> = {
  listSpecs: log.SpecPageSchema,
  getSpec: stored,
  putSpec: stored,
  listRuns: log.RunPageSchema,
  getRun: log.RunDetailSchema,
  getRunSteps: log.RunStepsSchema,
  getRunHealth: log.RunHealthSchema,
  getRunGroups: log.RunGroupsSchema,
  exportRun: ExportLineSchema,
  rescoreRun: RescoreLineSchema,
  getGroupVerdicts: log.GroupVerdictsSchema,
  getGroupTexts: log.GroupTextsSchema,
  getRequest: log.RequestRowSchema,
  getDeadLetters: letters.DeadLetterSummarySchema,
  expireDeadLetters: letters.ExpiryOutcomeSchema,
  replayDeadLetters: letters.ReplayOutcomeSchema,
};

const FAULTS: Readonly<Record<number, string>> = {
  400: "The request is invalid; `errors` names the fields.",
  401: "The key is missing or not valid.",
  403: "The key lacks the required scope.",
  404: "Not found.",
  406: "`Accept` excludes every available format.",
  408: "The body was sent too slowly.",
  413: `The body is larger than ${LIMITS.body_bytes} bytes.`,
  415: "The content type is not JSON.",
  422: "The run's log lacks data that the spec needs; `errors` names the signals.",
  503: "The deployment is not configured, or the database does not respond.",
};

const HEADERS = {
  "X-Request-Id": { description: "id of the request, a ULID", schema: { type: "string" as const } },
  "Server-Timing": {
    description: "durations `total`, `verifier`, `store` and `overhead`, in milliseconds",
    schema: { type: "string" as const },
  },
};

function faultsOf({ operationId, faults = [], faulty = {} }: Words) {
  const statuses = faults.flatMap((status) => (status === 401 ? [401, 403] : status));
  const schema = { $ref: `#/components/schemas/${operationId === "readyz" ? "NotReady" : "Problem"}` };
  return Object.fromEntries(
    statuses.map((status) => [
      `${status}`,
      {
        description: faulty[status] ?? (FAULTS[status] as string),
        content: { "application/problem+json": { schema } },
      },
    ]),
  );
}

function replyOf({ operationId, said = "Found.", reply, type, lines, faulty }: Words) {
  if (type !== undefined) {
    const schema = { type: type.endsWith("json") ? ("object" as const) : ("string" as const) };
    return { description: said, content: { [type]: { schema } } };
  }
  const schema = reply ?? REPLIES[operationId];
  if (schema === undefined) throw new Error(`${operationId} has no reply`);
  if (lines === true) return { description: said, content: { [NDJSON]: { schema } } };
  const [, example] = EXAMPLES[operationId] ?? [];
  return {
    description: said,
    // Replies about batches document no headers.
    ...(faulty === undefined && { headers: HEADERS }),
    content: {
      "application/json": { schema, ...(example !== undefined && { example }) },
      ...(lines !== undefined && { [NDJSON]: { schema: lines } }),
    },
  };
}

function operationOf(words: Words): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, path, query, request } = words;
  const [example, , further] = EXAMPLES[operationId] ?? [];
  return {
    ...{ operationId, tags: [tag], summary },
    ...(description !== undefined && { description }),
    ...((path ?? query) && { requestParams: { ...(path && { path }), ...(query && { query: queryOf(query) }) } }),
    ...(request && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: request, ...exampleOf(example, further) } },
      },
    }),
    responses: { "200": replyOf(words), ...faultsOf(words) },
  };
}

/** Excludes pages about runs, guides, scripts and style sheets, which are not part of the API. */
const isDocumented = (path: string): boolean => !/\.(?:css|js)$|^\/(?:runs|groups)(?:\/|$)|^\/docs\/.*:/.test(path);

/** Throws if a route has no description, or a description no route. */
export function nativePaths(): ZodOpenApiPathsObject {
  const words = nativeWords();
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const routes = ROUTES.filter(({ path }) => isDocumented(path));
  for (const { method, path, access } of routes) {
    const operationWords = words[`${method} ${path}`];
    if (operationWords === undefined) throw new Error(`no description of ${method} ${path} next to its handler`);
    const at = documentPath(path);
    paths[at] = { ...paths[at], [method.toLowerCase()]: { ...operationOf(operationWords), ...accessOf(access) } };
  }
  const spare = Object.keys(words).find((name) => !routes.some(({ method, path }) => name === `${method} ${path}`));
  if (spare !== undefined) throw new Error(`the app has no route ${spare}`);
  return paths;
}
