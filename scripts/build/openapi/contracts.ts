// Contracts of other tools in the OpenAPI document, made from each contract's routes and page.
import type * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import type { Access, Route } from "../../../src/api/door/route.ts";
import { type Contract, routesOf } from "../../../src/api/tools/shared/contract.ts";
import { type ContractPage, type Operation, pageOf } from "../../../src/api/tools/shared/page.ts";
import { CONTRACTS } from "../../../src/api/tools/table.ts";
import { queryOf } from "./parameters.ts";

export const contractTag = "Contracts of other tools";

const FAULT =
  "A problem document with the tool's own error field added: `message` (Cohere), `detail` (Jina), `error` (an object for vLLM and OpenAI, a string for TEI).";
const PROBLEM = { schema: { $ref: "#/components/schemas/Problem" } };
const ANY = { schema: { type: "object" as const } };

/** The reply of routes that gather samples, for a sample that cannot be rewarded. */
const UNGATHERED = {
  "503": {
    description:
      "The sample has no reward, and `on_failure` is not a number: it is alone in its group (`group_too_small`), or the verifier did not answer. The request can be retried unchanged.",
    content: { "application/json": ANY, "application/problem+json": PROBLEM },
  },
};

/** The scope that a route requires, in the document's notation. */
export const accessOf = (access: Access) => (access === "public" ? { security: [] } : { "x-scope": access });

function posted({ request, example, query, path, gathered, replies, ...rest }: Operation): ZodOpenApiOperationObject {
  const { operationId, summary, description, reply } = rest;
  return {
    operationId,
    tags: [contractTag],
    summary,
    description: `${description} Unlisted fields are ignored.`,
    requestParams: { ...(query !== undefined && { query: queryOf(query) }), ...(path && { path }) },
    requestBody: { required: true, content: { "application/json": { schema: request as z.ZodType, example } } },
    responses: {
      "200": { description: rest.reply_description ?? "Scored.", content: { "application/json": { schema: reply } } },
      ...(gathered === true && UNGATHERED),
      ...replies,
      default: {
        description: FAULT,
        content: { "application/json": ANY, "application/problem+json": PROBLEM },
      },
    },
  };
}

function asked({ operationId, summary, reply_description = "Found.", reply, path }: Operation, open: boolean) {
  return {
    operationId,
    tags: [contractTag],
    summary,
    responses: {
      "200": { description: reply_description, content: { "application/json": { schema: reply } } },
      ...(!open && { default: { description: FAULT, content: { "application/json": ANY } } }),
    },
    ...(path && { requestParams: { path } }),
  } satisfies ZodOpenApiOperationObject;
}

/** Converts a route's pattern to OpenAPI's notation. */
export const documentPath = (pattern: string): string => pattern.replace(/:(\w+)/g, "{$1}");

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Joins a contract's routes with the operations on its page. Throws if the two do not match. */
function operationsOf(contract: Contract): { route: Route; operation: Operation }[] {
  const { operations } = pageOf(contract);
  const routes = routesOf(contract);
  const spare = Object.keys(operations).filter((name) => !routes.some((route) => nameOf(route) === name));
  if (spare.length > 0)
    throw new Error(`${contract.name} documents operations that are not among its routes: ${spare.join(", ")}`);
  return routes.map((route) => {
    const operation = operations[nameOf(route)];
    if (operation === undefined) throw new Error(`${contract.name} does not document ${nameOf(route)}`);
    return { route, operation };
  });
}

/** Every operation of every contract, in the table's order. */
export const contractOperations = () => CONTRACTS.flatMap(operationsOf);

/** Merges one kind of entry from all contracts' pages, by name. */
function gathered<T>(select: (page: ContractPage) => Readonly<Record<string, T>> | undefined): Record<string, T> {
  return Object.fromEntries(CONTRACTS.flatMap((contract) => Object.entries(select(pageOf(contract)) ?? {})));
}
export const contractComponents = () => gathered(({ components }) => components);
export const contractStandalone = () => gathered(({ standalone }) => standalone);
export const contractRules = () => gathered(({ rules }) => rules);

export function contractPaths(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const { route, operation } of contractOperations()) {
    const open = route.access === "public";
    const described = {
      ...(operation.request === undefined ? asked(operation, open) : posted(operation)),
      ...accessOf(route.access),
    };
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described };
  }
  return paths;
}
