// Judges the groups of a request to another tool's API: checks them, sets the deadline, logs the result, and
// handles cancellation.
import * as z from "zod";
import type { Group } from "../../../core/contract/group.ts";
import type { GroupResult } from "../../../core/contract/group-reply.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import { needsFact, needsLengths } from "../../../core/reward/facts.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import { type ScoredRequest, scoreAndLog } from "../../../scoring/score-and-log.ts";
import type { AppDeps } from "../../door/deps.ts";
import { checkRewardsRequest } from "../../door/rewards-rules.ts";
import { type AppContext, cancellation, keepAlive } from "../../door/scope.ts";
import { type ClientWaits, contractDeadline } from "./deadlines.ts";

interface JudgingRequest {
  groups: Group[];
  spec: Spec;
  /** The body's field that contains the groups, for error messages. Omitted: `groups`. */
  field?: string | undefined;
  /** Set if a person waits for the reply, so that it takes priority over reward batches. */
  interactive?: true;
}

/** Options that a client may add to any request. */
export interface Logged {
  run_id?: string | undefined;
  step?: number | undefined;
  /** A deadline that overrides the default for the API. */
  deadline_ms?: number | undefined;
}

/** Priority of requests that a person waits for. */
const INTERACTIVE_PRIORITY = -10;

export interface RunningJudgement {
  scored: Promise<ScoredRequest>;
  /** Cancels the verifier's work, because the client has stopped reading. */
  stop(): void;
}

/**
 * Starts scoring and logging, like /v1/rewards. The work continues until the log is written, even if the
 * client disconnects.
 * @throws ApiError `too_many_rollouts` synchronously; other request errors reject the promise
 */
export function beginJudging(
  c: AppContext,
  deps: AppDeps,
  contract: ClientWaits,
  { groups, spec, field, interactive }: JudgingRequest,
  options: Logged,
): RunningJudgement {
  const deadline_ms = contractDeadline(contract, options.deadline_ms);
  const request = { groups, spec, run_id: options.run_id, step: options.step, deadline_ms };
  inField(field, () => checkRewardsRequest(request));
  c.set("deadline_ms", deadline_ms);
  const cancel = cancellation(c);
  const scope = c.get("scope");
  if (interactive === true) scope.priority = INTERACTIVE_PRIORITY;
  const scored = scoreAndLog(deps, scope, request, spec, cancel.signal).catch((thrown: unknown) => {
    throw namingField(field, thrown);
  });
  keepAlive(c, scored);
  return { scored, stop: () => cancel.abort("cancelled") };
}

function inField(field: string | undefined, check: () => void): void {
  try {
    check();
  } catch (thrown) {
    throw namingField(field, thrown);
  }
}

/** Replaces error paths under `groups` by the field that the client sent. */
function namingField(field: string | undefined, thrown: unknown): unknown {
  if (field === undefined || !(thrown instanceof ApiError) || thrown.errors.length === 0) return thrown;
  // For example, `response_objs[].usage` becomes `response_objs`.
  const [rootField = field] = field.split(/[[.]/);
  const errors = thrown.errors.map(({ path, message }) => ({
    path: path.startsWith("groups") ? rootField : path,
    message,
  }));
  return new ApiError(thrown.code, thrown.message, { errors, headers: thrown.headers });
}

/** The kinds of facts that a request contains. */
export interface Carried {
  lengths: boolean;
  facts: boolean;
}

/** Rejects a spec that needs facts which requests of this API cannot contain. The error names `field`. */
export function refuseUnmet(compiled: CompiledSpec, field: string, has: Partial<Carried> = {}): void {
  const fact = has.facts === true ? null : needsFact(compiled);
  if (fact !== null) {
    const message = `${field} carry no ${fact.field}, which ${fact.who} of the spec needs; send it to /v1/rewards, or use a spec without it`;
    throw new ApiError("facts_required", `${message}.`, { errors: [{ path: field, message }] });
  }
  const who = has.lengths === true ? null : needsLengths(compiled);
  if (who === null) return;
  const message = `${field} carry no token lengths, which ${who} of the spec needs; use a spec without it`;
  throw new ApiError("length_tokens_required", `${message}.`, { errors: [{ path: field, message }] });
}

/**
 * Warns if the same key ranked the same query with other documents within the last minute, since relative
 * scores are comparable only within one request. Empty for specs without comparisons.
 */
export function notComparable(
  c: AppContext,
  { rankings, clock }: AppDeps,
  compiled: Pick<CompiledSpec, "relative">,
  groups: readonly Group[],
): string[] {
  if (!compiled.relative) return [];
  const { key_name } = c.get("scope");
  const ages = groups.flatMap(({ prompt, rollouts }) => {
    const texts = rollouts.map(({ text }) => text);
    return (
      rankings.note(clock.now(), key_name, typeof prompt === "string" ? prompt : JSON.stringify(prompt), texts) ?? []
    );
  });
  if (ages.length === 0) return [];
  const seconds = Math.ceil(Math.min(...ages) / 1000);
  return [
    `not_comparable: the same query was ranked with other documents ${seconds} s ago, but scores are comparable only within one request. Send all documents of a query in one request, at most ${LIMITS.rollouts_per_group_max}`,
  ];
}

export const UsageSchema = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });
export type Usage = z.output<typeof UsageSchema>;

/** The verifier's token usage, summed over groups. */
export function usageOf(groups: readonly GroupResult[]): Usage {
  const prompt_tokens = groups.reduce((sum, { verifier }) => sum + verifier.prompt_tokens, 0);
  const completion_tokens = groups.reduce((sum, { verifier }) => sum + verifier.completion_tokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
