// The native routes in the OpenAPI document: those of the app's own table, each with the words beside its
// handler, open or not as the table says.
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

/** Examples by operation: of the request, of the reply, and of further requests by their titles. */
type Examples = readonly [request: unknown, reply?: unknown, further?: Readonly<Record<string, unknown>>];
const EXAMPLES: Readonly<Record<string, Examples>> = {
  scoreRewards: [examples.rewardsRequest, examples.rewardsReply, { "Runs of agents": examples.runsRequest }],
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

/** A request's own example, or by their titles all where there are more. */
const exampleOf = (example: unknown, further: Examples[2]) =>
  further === undefined
    ? { example }
    : {
        examples: Object.fromEntries(
          Object.entries({ "Rollouts that are texts": example, ...further }).map(([title, value]) => [
            title,
            { value },
          ]),
        ),
      };

const stored = { $ref: "#/components/schemas/StoredSpec" };
/** By operation, replies that no code of the service needs a schema of. */
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
  400: "The request does not fit the contract; `errors` names the fields.",
  401: "No valid key.",
  403: "The key has not the scope that this needs.",
  404: "Nothing of this name.",
  406: "`Accept` rules out every form of the reply.",
  408: "The body came too slowly.",
  413: `The body is over ${LIMITS.body_bytes} bytes.`,
  415: "The body is not declared as JSON.",
  422: "The run's log does not tell all that the spec asks for; `errors` names the signals.",
  503: "The deployment is not configured, or the database does not answer.",
};

const HEADERS = {
  "X-Request-Id": { description: "ULID of this request", schema: { type: "string" as const } },
  "Server-Timing": { description: "total, verifier, store, overhead in ms", schema: { type: "string" as const } },
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
    // Batches name none.
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

/** Pages that show runs, guides, and files that pages are made of, do not belong to the API. */
const isDocumented = (path: string): boolean => !/\.(?:css|js)$|^\/(?:runs|groups)(?:\/|$)|^\/docs\/.*:/.test(path);

/** Throws for a route without words, and for words without a route. */
export function nativePaths(): ZodOpenApiPathsObject {
  const words = nativeWords();
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const routes = ROUTES.filter(({ path }) => isDocumented(path));
  for (const { method, path, access } of routes) {
    const operationWords = words[`${method} ${path}`];
    if (operationWords === undefined) throw new Error(`no words for ${method} ${path} beside its handler`);
    const at = documentPath(path);
    paths[at] = { ...paths[at], [method.toLowerCase()]: { ...operationOf(operationWords), ...accessOf(access) } };
  }
  const spare = Object.keys(words).find((name) => !routes.some(({ method, path }) => name === `${method} ${path}`));
  if (spare !== undefined) throw new Error(`the app has no route ${spare}`);
  return paths;
}
