// Owns what a spec's signals need of a request: facts that every rollout must carry, the step.
// Missing ones refuse the request before anything is asked.

import { ApiError, type FieldError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { type CompiledSpec, hasSignals } from "./compiled-spec.ts";
import type { RewardsRequest } from "./requests.ts";

/**
 * Lengths are in the policy's tokens and never guessed from characters.
 * @throws ApiError `length_tokens_required`, naming the rollouts; `invalid_request` for a missing
 *   step
 */
export function requireFacts({ groups, step }: Pick<RewardsRequest, "groups" | "step">, compiled: CompiledSpec): void {
  if (compiled.facts.includes("step") && step === undefined) {
    const message = "required because the spec's expressions use the step";
    throw new ApiError("invalid_request", `step: ${message}.`, { errors: [{ path: "step", message }] });
  }
  if (!compiled.facts.includes("length_tokens")) return;
  const who = whoNeedsLengths(compiled);
  const errors: FieldError[] = groups.flatMap(({ rollouts }, g) =>
    rollouts.flatMap(({ length_tokens }, r) =>
      length_tokens === undefined
        ? [{ path: `groups[${g}].rollouts[${r}].length_tokens`, message: `required because the spec has ${who}` }]
        : [],
    ),
  );
  if (errors.length === 0) return;
  throw new ApiError(
    "length_tokens_required",
    `The spec has ${who}, so every rollout needs length_tokens (the policy's completion tokens); ${errors.length} have none.`,
    { errors: errors.slice(0, LIMITS.validation_errors_max) },
  );
}

/** What of the spec needs token lengths, in the words of its form; null when nothing does. */
export function needsLengths(compiled: CompiledSpec): string | null {
  return compiled.facts.includes("length_tokens") ? whoNeedsLengths(compiled) : null;
}

function whoNeedsLengths({ spec, signals }: CompiledSpec): string {
  if (!hasSignals(spec)) return "overlong";
  const named = signals.flatMap(({ name, signal, settings }) =>
    signal.facts(settings).includes("length_tokens") ? [`the signal ${name}`] : [],
  );
  return named[0] ?? "an expression over length";
}
