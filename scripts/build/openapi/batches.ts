// The description of repeated requests, and of those answered later, for the OpenAPI document: their headers
// and replies.
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
    description: `any name for this request: sent again with the same key and body it gets the first reply, for ${HOURS} hours, also while the first is still running. Replies with failures that a retry can mend are not kept`,
  });
const prefer = (later: boolean) =>
  z
    .string()
    .optional()
    .meta({
      description: `\`wait=<seconds>\`: how long to wait for a running request with the same key, then 409${later ? `; \`respond-async\`: 202 at once, for work of up to ${MINUTES} minutes` : ""}`,
    });

const accepted = {
  description:
    "With `Prefer: respond-async`: the batch is stored and runs. `Location` says where to ask, `Retry-After` when.",
  content: {
    "application/json": {
      schema: z.object({ batch_id: z.string(), state: z.literal("queued"), location: z.string() }),
    },
  },
};

/**
 * Operations that answer an Idempotency-Key, by path; those of batches may also be answered later.
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
      "409": problem("The first request with this Idempotency-Key is still under way."),
      "422": problem("The Idempotency-Key belongs to another request."),
    },
  };
}

/** The same paths, with what repeating a request and answering it later add to them. */
export function withRepetition(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  const added = REPEATABLE.map((path) => {
    const item = paths[path];
    if (item?.post === undefined) throw new Error(`${path} is not described`);
    return [path, { ...item, post: repeatable(item.post, LATER.has(path)) }] as const;
  });
  return { ...paths, ...Object.fromEntries(added) };
}
