// Pieces that descriptions of routes are made of for the OpenAPI document.
import * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { LIMITS } from "../../../src/core/faults/limits.ts";

/** Statuses of a route that reads, and of one that is given a body. */
export const READ = [401, 404, 503] as const;
export const WRITE = [400, 401, 406, 408, 413, 415, 503] as const;

const PROBLEMS: Record<string, string> = {
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

export const problem = (status: number, schema: "Problem" | "NotReady") => ({
  description: PROBLEMS[status] as string,
  content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${schema}` } } },
});

export function problems(...statuses: number[]): ZodOpenApiOperationObject["responses"] {
  return Object.fromEntries(
    statuses
      .flatMap((status) => (status === 401 ? [401, 403] : status))
      .map((status) => [`${status}`, problem(status, "Problem")]),
  );
}

export const json = (description: string, schema: z.ZodType | { $ref: string }, example?: unknown) => ({
  description,
  headers: {
    "X-Request-Id": { description: "ULID of this request", schema: { type: "string" as const } },
    "Server-Timing": { description: "total, verifier, store, overhead in ms", schema: { type: "string" as const } },
  },
  content: { "application/json": { schema, ...(example !== undefined && { example }) } },
});

export const body = (schema: z.ZodType, example: unknown) => ({
  required: true,
  content: { "application/json": { schema, example } },
});

export const path = (name: string, schema: z.ZodString, description: string) =>
  z.object({ [name]: schema.meta({ description }) });
