// Routes for dead letters (log entries that could not be stored): count them by reason, replay them, and
// delete old ones. Their content is never shown.

import * as z from "zod";
import { said } from "#said";
import type { DeadLetterStore } from "../../core/contract/dead-letter.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { bound } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { changeableBy, readableBy } from "../door/owned.ts";
import { noQueryParameters, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { validated } from "../door/validation.ts";
import { documented } from "./words.ts";

export const ReplayRequestSchema = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(...bound("replay_letters_max"))
    .default(LIMITS.replay_letters),
  before: z.iso
    .datetime({ offset: false })
    .nullable()
    .default(null)
    .meta(
      said(
        "only letters that arrived up to this time; null: all. The reply returns the time that was used; send it with the next call",
      ),
    ),
});

export function deadLetters(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    return c.json(await asked(deps, c, (letters) => letters.summary(readableBy(c))));
  };
}

export function replayDeadLetters(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    const { limit, before } = validated(ReplayRequestSchema, await readJson(c.req.raw));
    return c.json(await asked(deps, c, (letters) => letters.replay(limit, before, changeableBy(c))));
  };
}

export const ExpiryQuerySchema = z.strictObject({
  before: z.iso.datetime({ offset: false }).meta({
    ...said("letters that first arrived before this time are permanently deleted"),
    examples: ["2026-01-01T00:00:00Z"],
  }),
});

export function expireDeadLetters(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { before } = queryParameters(c, ExpiryQuerySchema);
    const owner = changeableBy(c);
    return c.json(await asked(deps, c, (letters) => letters.expire(before, owner === null ? null : { owner })));
  };
}

/** Throws `not_configured` if there is no dead-letter store, `not_ready` if it cannot be reached. */
export async function asked<T>(
  { deadLetters: letters, report }: AppDeps,
  c: AppContext,
  ask: (letters: DeadLetterStore) => Promise<T>,
): Promise<T> {
  if (letters === null) {
    throw new ApiError("not_configured", "DEAD_LETTERS is not bound.", {
      errors: [{ path: "DEAD_LETTERS", message: "required" }],
    });
  }
  try {
    return await ask(letters);
  } catch (error) {
    report({ ...faultLine(error, c.get("scope").id), event: "dead_letters_unreachable" });
    throw new ApiError("not_ready", "The dead-letter store or the run log's queue cannot be reached.");
  }
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/logs/dead-letters": {
    operationId: "getDeadLetters",
    tag: "Run log",
    summary: "Counts run-log messages that could not be stored, by reason",
    said: "Counted.",
    faults: [401, 503],
  },
  "DELETE /v1/logs/dead-letters": {
    operationId: "expireDeadLetters",
    tag: "Run log",
    summary: "Permanently deletes dead letters older than a given time",
    description:
      "A letter contains everything its request would have logged, including texts, so delete letters whenever you delete texts. `npm run logs -- expire --target` calls this route.",
    query: ExpiryQuerySchema,
    said: "Deleted.",
    faults: [400, 401, 503],
  },
  "POST /v1/logs/dead-letters/replay": {
    operationId: "replayDeadLetters",
    tag: "Run log",
    summary: "Puts dead letters back on the queue, oldest first",
    description:
      "Storing is idempotent, so replaying a letter that has already been stored is harmless. Send the reply's `before` with the next call, so that letters that fail again are left for a later round.",
    request: ReplayRequestSchema,
    said: "Put back.",
    faults: [400, 401, 408, 413, 415, 503],
  },
}));
