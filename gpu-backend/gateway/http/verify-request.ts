// Reads and validates a verify request: size limits, the schema, and rules that the schema cannot express.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { type FieldLimits, fieldErrors } from "../../../src/core/faults/field-errors.ts";
import { describeJsonFault } from "../../../src/core/faults/json-fault.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { softFault } from "../../../src/core/judges/anchors.ts";
import { promptTitle } from "../../../src/core/judges/presets/own.ts";
import { isPromptName, promptNames, shownBy } from "../../../src/core/judges/render.ts";
import { type VerifyRequest, VerifyRequestSchema } from "../../../src/core/wire/verify-protocol.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import type { BodyBytes } from "../scheduling/open-bytes.ts";
import { readText } from "./body.ts";
import { invalidRequest } from "./problem.ts";

/** Names of the limits that bound each field. */
const FIELD_LIMITS: FieldLimits = {
  deadline_ms: { max: "deadline_ms_max" },
  groups: { max: "groups_max" },
  "groups.group_id": { max: "id_chars" },
  "groups.candidates": { max: "rollouts_per_group_max" },
  "groups.comparisons.order": { max: "list_candidates_max" },
  "groups.comparisons.samples": { max: "samples_max" },
  "groups.comparisons.max_tokens": { max: "max_tokens_max" },
  "sampling.max_tokens": { max: "max_tokens_max" },
};

/**
 * Reads the request from a POST.
 * @throws ApiError `unsupported_media_type`, `body_too_large`, `request_timeout`, `invalid_encoding`,
 *   `invalid_json`, `invalid_request`, `overloaded`, `unknown_prompt` or `too_many_generations`
 */
export async function readVerifyRequest(
  request: IncomingMessage,
  timers: Timers,
  memory: BodyBytes,
): Promise<VerifyRequest> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new ApiError("unsupported_media_type", "The body must be application/json.");
  }
  if (!/^(?:identity)?$/i.test(request.headers["content-encoding"] ?? "")) {
    throw new ApiError("unsupported_media_type", "The body must not be compressed (content-encoding).");
  }
  return parseVerifyRequest(parseJson(await readText(request, timers, memory)));
}

/** Validates a parsed body. @throws ApiError `invalid_request`, `unknown_prompt` or `too_many_generations` */
export function parseVerifyRequest(body: unknown): VerifyRequest {
  requireBoundedLists(body);
  const parsed = VerifyRequestSchema.safeParse(body);
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error.issues, body, [], FIELD_LIMITS));
  const asked = parsed.data;
  if (!isPromptName(asked.prompt)) {
    const known = promptNames().join(", ");
    throw new ApiError("unknown_prompt", `Unknown prompt template; the templates are: ${known}.`, {
      errors: [{ path: "prompt", message: `must be one of: ${known}` }],
    });
  }
  const soft = softFault({ ...asked, vote: asked.soft ? "soft" : "majority" });
  if (soft !== null) throw invalidRequest([{ path: "soft", message: soft }]);
  requireShape(asked);
  requireCountableSamples(asked);
  const generations = asked.groups.reduce(
    (sum, { comparisons }) => comparisons.reduce((inner, { samples }) => inner + samples, sum),
    0,
  );
  if (generations > LIMITS.generations_verify_max) throw tooManyGenerations(generations);
  return asked;
}

const tooManyGenerations = (count: number) =>
  new ApiError(
    "too_many_generations",
    `${count} generations; the limit generations_verify_max is ${LIMITS.generations_verify_max}. Send fewer groups per request.`,
  );

/** Requires that each comparison shows as many candidates as the preset's shape allows. */
function requireShape({ groups, prompt }: VerifyRequest): void {
  const [min, max] = shownBy(prompt);
  groups.forEach(({ comparisons }, at) => {
    const wrong = comparisons.findIndex(({ order }) => order.length < min || order.length > max);
    if (wrong < 0) return;
    const many = min === max ? `${min}` : `${min} to ${max}`;
    const message = `the prompt ${promptTitle(prompt)} takes ${many} candidates`;
    throw invalidRequest([{ path: `groups[${at}].comparisons[${wrong}].order`, message }]);
  });
}

/** Rejects sample numbers above the largest safe integer, where two samples could get the same number. */
function requireCountableSamples({ groups }: VerifyRequest): void {
  groups.forEach(({ comparisons }, at) => {
    const wrong = comparisons.findIndex(
      ({ first_sample, samples }) => !Number.isSafeInteger(first_sample + (samples - 1)),
    );
    if (wrong < 0) return;
    const path = `groups[${at}].comparisons[${wrong}].first_sample`;
    const message = `the last sample's number, first_sample + samples - 1, must be at most ${Number.MAX_SAFE_INTEGER}`;
    throw invalidRequest([{ path, message }]);
  });
}

/**
 * Runs before zod validates the elements, so that an array of a million invalid elements costs one comparison
 * instead of a million errors.
 */
function requireBoundedLists(body: unknown): void {
  const { groups } = (typeof body === "object" && body !== null ? body : {}) as { groups?: unknown };
  if (!Array.isArray(groups)) return;
  if (groups.length > LIMITS.groups_max) {
    throw invalidRequest([
      { path: "groups", message: `${groups.length} elements; the limit groups_max is ${LIMITS.groups_max}` },
    ]);
  }
  let comparisons = 0;
  groups.forEach((group, at) => {
    const lists = (group ?? {}) as { comparisons?: unknown; candidates?: unknown };
    if (Array.isArray(lists.candidates) && lists.candidates.length > LIMITS.rollouts_per_group_max) {
      const limit = `the limit rollouts_per_group_max is ${LIMITS.rollouts_per_group_max}`;
      throw invalidRequest([
        { path: `groups[${at}].candidates`, message: `${lists.candidates.length} elements; ${limit}` },
      ]);
    }
    if (Array.isArray(lists.comparisons)) comparisons += lists.comparisons.length;
  });
  if (comparisons > LIMITS.generations_verify_max) throw tooManyGenerations(comparisons);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { path, message, detail } = describeJsonFault(text);
    throw new ApiError("invalid_json", detail, { errors: [{ path, message }] });
  }
}
