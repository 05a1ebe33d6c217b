// Headers and replies of idempotent requests and of batches, for the OpenAPI document.
import * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { BATCH_ROUTES } from "../../../src/objects/batches/view.ts";
import { contractOperations } from "./contracts.ts";

const HOURS = LIMITS.idempotency_kept_ms / 3_600_000;
const MINUTES = LIMITS.batch_deadline_ms_max / 60_000;

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
});

const idempotencyKey = z
  .string()
  .regex(new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotency_key_chars}}$`))
  .optional()
  .meta({
    description: `any unique name for this request. For ${HOURS} hours, a request with the same key and body returns the first reply, or waits for it. Replies with failures that a retry may fix are not kept`,
  });
const prefer = (later: boolean) =>
  z
    .string()
    .optional()
    .meta({
      description: `\`wait=<seconds>\`: maximum wait for a running request with the same key, then 409${later ? `; \`respond-async\`: returns 202 immediately and runs a batch for up to ${MINUTES} minutes` : ""}`,
    });

const accepted = {
  description:
    "With `Prefer: respond-async`: the batch is stored and runs. Poll the path in `Location` after `Retry-After` seconds.",
  content: {
    "application/json": {
      schema: z.object({ batch_id: z.string(), state: z.literal("queued"), location: z.string() }),
    },
  },
};

/**
 * Paths of the operations that accept an Idempotency-Key. Those in LATER also accept `respond-async`.
 */
const REPEATABLE = [
  ...["/v1/rewards", "/v1/verdicts"],
  ...contractOperations().flatMap(({ route, operation }) => (operation.repeatable === true ? [route.path] : [])),
];
const LATER: ReadonlySet<string> = new Set(BATCH_ROUTES.map((route) => `/v1/${route}`));

function repeatable(operation: ZodOpenApiOperationObject, later: boolean): ZodOpenApiOperationObject {
  const header = z.object({ "Idempotency-Key": idempotencyKey, Prefer: prefer(later) });
  return {
    ...operation,
    requestParams: { ...operation.requestParams, header },
    responses: {
      ...operation.responses,
      ...(later && { "202": accepted }),
      "409": problem("The first request with this Idempotency-Key is still running."),
      "422": problem("The Idempotency-Key was used for a different request."),
    },
  };
}

/** Adds the headers and replies of idempotency and batches to the paths. */
export function withRepetition(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  const added = REPEATABLE.map((path) => {
    const item = paths[path];
    if (item?.post === undefined) throw new Error(`${path} is not described`);
    return [path, { ...item, post: repeatable(item.post, LATER.has(path)) }] as const;
  });
  return { ...paths, ...Object.fromEntries(added) };
}
