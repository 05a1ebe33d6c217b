// Owns what a spec's signals need of a request: facts of its groups and rollouts, the step. Missing
// ones refuse the request before anything is asked.

import { type Fact, factOf } from "../asking/signal.ts";
import { ApiError, type FieldError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { type CompiledSpec, hasSignals } from "./compiled-spec.ts";
import type { RewardsRequest } from "./requests.ts";

/**
 * Lengths are in the policy's tokens and never guessed from characters.
 * @throws ApiError `length_tokens_required` or `facts_required`, naming the fields;
 *   `invalid_request` for a missing step, or a group's fact that does not go with the spec
 */
export function requireFacts({ groups, step }: Pick<RewardsRequest, "groups" | "step">, compiled: CompiledSpec): void {
  if (compiled.facts.includes("step") && step === undefined) {
    const message = "required because the spec's expressions use the step";
    throw new ApiError("invalid_request", `step: ${message}.`, { errors: [{ path: "step", message }] });
  }
  for (const fact of compiled.facts) if (fact !== "step") requireFact(groups, compiled, fact);
  groups.forEach((group, g) => {
    for (const { signal, settings } of compiled.signals) {
      const fault = signal.groupFault?.(settings, group, groups) ?? null;
      if (fault === null) continue;
      const path = `groups[${g}].${fault.path}`;
      const code = fault.missing === true ? "facts_required" : "invalid_request";
      throw new ApiError(code, `${path}: ${fault.message}.`, { errors: [{ path, message: fault.message }] });
    }
  });
}

function requireFact(groups: RewardsRequest["groups"], compiled: CompiledSpec, fact: Fact): void {
  const who = whoNeeds(compiled, fact);
  const field = fact.replace(OF_GROUP, "");
  const missing = (of: object, path: string): FieldError[] =>
    factOf(of, field) === undefined && !(field === "step_texts" && factOf(of, "messages") !== undefined)
      ? [{ path: `${path}.${field}`, message: `required because the spec has ${who}` }]
      : [];
  const errors = groups.flatMap((group, g) =>
    OF_GROUP.test(fact)
      ? missing(group, `groups[${g}]`)
      : group.rollouts.flatMap((rollout, r) => missing(rollout, `groups[${g}].rollouts[${r}]`)),
  );
  if (errors.length === 0) return;
  const whose = OF_GROUP.test(fact) ? "group" : "rollout";
  const meaning = fact === "length_tokens" ? "length_tokens (the policy's completion tokens)" : field;
  throw new ApiError(
    fact === "length_tokens" ? "length_tokens_required" : "facts_required",
    `The spec has ${who}, so every ${whose} needs ${meaning}; ${errors.length} have none.`,
    { errors: errors.slice(0, LIMITS.validation_errors_max) },
  );
}

const OF_GROUP = /^group\./;

/** A fact that a spec needs beside lengths and the step, and who needs it; null without one. */
export function needsFact(compiled: CompiledSpec): { field: string; who: string } | null {
  const fact = compiled.facts.find((needed) => needed !== "length_tokens" && needed !== "step");
  return fact === undefined ? null : { field: fact.replace(OF_GROUP, ""), who: whoNeeds(compiled, fact) };
}

/** What of the spec needs token lengths, in the words of its form; null when nothing does. */
export function needsLengths(compiled: CompiledSpec): string | null {
  return compiled.facts.includes("length_tokens") ? whoNeeds(compiled, "length_tokens") : null;
}

/** Who of the spec needs a fact, in the words of its form. */
export function whoNeeds({ spec, signals }: CompiledSpec, fact: Fact): string {
  if (!hasSignals(spec)) {
    const { schedule } = spec.judge;
    if (fact === "length_tokens") return "overlong";
    return `the schedule ${typeof schedule === "string" ? schedule : schedule?.name}`;
  }
  const named = signals.flatMap(({ name, signal, settings }) =>
    signal.facts(settings).includes(fact) ? [`the signal ${name}`] : [],
  );
  return named[0] ?? "an expression over length";
}
