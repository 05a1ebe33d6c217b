// Owns the routes of the run log's dead letters: how many there are and why, putting them back on
// the queue, and deleting old ones. Never shows a letter's content.
import * as z from "zod";
import type { DeadLetters } from "../../core/contract/dead-letter.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { bound } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { changeableBy, readableBy } from "../http/owned.ts";
import { noQueryParameters, queryParameters } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { validated } from "../http/validation.ts";

export const ReplayRequestSchema = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(...bound("replay_letters_max"))
    .default(LIMITS.replay_letters),
  before: z.iso.datetime({ offset: false }).nullable().default(null).meta({
    description:
      "only letters that came up to this instant; null = all. The reply names the one that was used, for the next call",
  }),
});

export function deadLetters(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    return c.json(await asked(deps, c, (letters) => letters.summary(readableBy(c))));
  };
}

export function replayDeadLetters(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    const { limit, before } = validated(ReplayRequestSchema, await readJson(c.req.raw));
    return c.json(await asked(deps, c, (letters) => letters.replay(limit, before, changeableBy(c))));
  };
}

export const ExpiryQuerySchema = z.strictObject({
  before: z.iso.datetime({ offset: false }).meta({
    description: "letters that first came before this instant are deleted for good",
    examples: ["2026-01-01T00:00:00Z"],
  }),
});

export function expireDeadLetters(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { before } = queryParameters(c, ExpiryQuerySchema);
    return c.json(await asked(deps, c, (letters) => letters.expire(before, changeableBy(c))));
  };
}

async function asked<T>(
  { deadLetters: letters, report }: RouteDeps,
  c: AppContext,
  ask: (letters: DeadLetters) => Promise<T>,
) {
  if (letters === undefined) {
    throw new ApiError("not_configured", "DEAD_LETTERS is not bound.", {
      errors: [{ path: "DEAD_LETTERS", message: "required" }],
    });
  }
  try {
    return await ask(letters);
  } catch (error) {
    report({ ...faultLine(error, c.get("scope").id), event: "dead_letters_unreachable" });
    throw new ApiError("not_ready", "The dead letters or the run log's queue cannot be reached.");
  }
}
