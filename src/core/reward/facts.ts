// Checks that a request contains the facts that its spec needs: fields of groups and rollouts, and the step.
// A request is rejected before a verifier is asked if all its groups lack a signal's facts; a single group
// that lacks them is scored without the signal.

import { type Fact, factOf, type GroupFault } from "../asking/signal.ts";
import type { Group } from "../contract/group.ts";
import { ApiError, type FieldError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import type { CompiledSignal, CompiledSpec } from "./compiled-spec.ts";
import type { RewardsRequest } from "./requests.ts";
import type { SpecSignal } from "./spec.ts";
import { formOf } from "./spec-forms.ts";

/**
 * Rejects a request that a spec cannot score: the step or token lengths are missing, or no group has the
 * facts of a signal. If only some groups lack a signal's facts, they are scored without the signal (their
 * rollouts get `facts_required`). To support mixed data sets, all groups may lack the facts of a signal that
 * has a `when`, or whose null the reward replaces while another signal has its facts. Lengths are in the
 * policy's tokens and are never estimated from characters.
 * @throws ApiError `length_tokens_required` or `facts_required`, naming the fields; `invalid_request` for a
 *   missing step, or for a group's fact that conflicts with the spec
 */
export function requireFacts({ groups, step }: Pick<RewardsRequest, "groups" | "step">, compiled: CompiledSpec): void {
  requireSound({ groups, step }, compiled);
  const unmet = unmetSignal(groups, compiled);
  if (unmet === null) return;
  for (const fact of factsOf(unmet)) requireFact(groups, compiled, fact);
  groups.forEach((group, g) => {
    const fault = unmet.signal.groupFault?.(unmet.settings, group, groups);
    if (fault != null) throw ofGroup(fault, g);
  });
}

/** The subset of `requireFacts` for endpoints that have already checked which facts the groups contain. */
export function requireSound({ groups, step }: Pick<RewardsRequest, "groups" | "step">, compiled: CompiledSpec): void {
  if (compiled.facts.includes("step") && step === undefined) {
    const message = "required because the spec's expressions use the step";
    throw new ApiError("invalid_request", `step: ${message}.`, { errors: [{ path: "step", message }] });
  }
  if (compiled.facts.includes(LENGTH)) requireFact(groups, compiled, LENGTH);
  groups.forEach((group, g) => {
    for (const compiledSignal of compiled.signals) {
      if (missingFacts(compiledSignal, group, groups).length > 0) continue;
      const fault = compiledSignal.signal.groupFault?.(compiledSignal.settings, group, groups) ?? null;
      if (fault !== null) throw ofGroup(fault, g);
    }
  });
}

function ofGroup(fault: GroupFault, g: number): ApiError {
  const path = `groups[${g}].${fault.path}`;
  const code = fault.missing === true ? "facts_required" : "invalid_request";
  return new ApiError(code, `${path}: ${fault.message}.`, { errors: [{ path, message: fault.message }] });
}

const LENGTH = "length_tokens";
/** Facts that a group may lack: all except the step and token lengths. */
const factsOf = ({ signal, settings }: CompiledSignal): Fact[] =>
  signal.facts(settings).filter((fact) => fact !== "step" && fact !== LENGTH);

/** Whether a fact has content. A blank string and a list of blank strings count as missing. */
const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isGiven) : typeof value !== "string" || value.trim() !== "";

/** Names of the group and rollout fields that a signal needs and the group lacks. */
export function missingFacts(compiled: CompiledSignal, group: Group, groups: readonly Group[] = [group]): string[] {
  const missing = factsOf(compiled).filter((fact) =>
    OF_GROUP.test(fact)
      ? !isGiven(factOf(group, fact.replace(OF_GROUP, "")) ?? "")
      : group.rollouts.some((rollout) => !hasOfRollout(rollout, fact)),
  );
  if (missing.length > 0) return missing.map((fact) => fact.replace(OF_GROUP, ""));
  const fault = compiled.signal.groupFault?.(compiled.settings, group, groups) ?? null;
  return fault?.missing === true ? [fault.path] : [];
}

const hasOfRollout = (rollout: object, fact: Fact): boolean =>
  factOf(rollout, fact) !== undefined || (fact === "step_texts" && factOf(rollout, "messages") !== undefined);

/**
 * Whether at least one signal that measures quality (by a judge, a check or facts) has its facts in this
 * group. Otherwise a reward that replaces nulls would give every rollout the same number.
 */
export function isPayable(
  { signals, reward }: CompiledSpec,
  group: Group,
  groups: readonly Group[] = [group],
): boolean {
  const measuring = signals.filter(
    (compiled) =>
      reward.signals.includes(compiled.name) &&
      (compiled.judge !== null || compiled.signal.verified === true || factsOf(compiled).length > 0),
  );
  const isMet = (compiled: CompiledSignal) => missingFacts(compiled, group, groups).length === 0;
  return measuring.some(isMet) || measuring.every(({ when }) => when !== null);
}

/** The first required signal whose facts are missing in every group; null if there is none. */
export function unmetSignal(groups: readonly Group[], compiled: CompiledSpec): CompiledSignal | null {
  const replaced = new Set(compiled.reward.swallows.flatMap(({ signals }) => signals));
  const isOptional = ({ name, when }: CompiledSignal) =>
    when !== null || (replaced.has(name) && groups.every((group) => isPayable(compiled, group, groups)));
  const isMissed = (signal: CompiledSignal) => groups.every((group) => missingFacts(signal, group, groups).length > 0);
  return compiled.signals.find((signal) => isMissed(signal) && !isOptional(signal)) ?? null;
}

function requireFact(groups: RewardsRequest["groups"], compiled: CompiledSpec, fact: Fact): void {
  const who = whoNeeds(compiled, fact);
  const field = fact.replace(OF_GROUP, "");
  const isThere = (subject: object) =>
    OF_GROUP.test(fact) ? isGiven(factOf(subject, field) ?? "") : hasOfRollout(subject, field);
  const missing = (subject: object, path: string): FieldError[] =>
    isThere(subject) ? [] : [{ path: `${path}.${field}`, message: `required because the spec has ${who}` }];
  const errors = groups.flatMap((group, g) =>
    OF_GROUP.test(fact)
      ? missing(group, `groups[${g}]`)
      : group.rollouts.flatMap((rollout, r) => missing(rollout, `groups[${g}].rollouts[${r}]`)),
  );
  if (errors.length === 0) return;
  const subjectKind = OF_GROUP.test(fact) ? "group" : "rollout";
  const meaning = fact === "length_tokens" ? "length_tokens (the policy's completion tokens)" : field;
  throw new ApiError(
    fact === "length_tokens" ? "length_tokens_required" : "facts_required",
    `The spec has ${who}, so every ${subjectKind} needs ${meaning}; ${errors.length} have none.`,
    { errors: errors.slice(0, LIMITS.validation_errors_max) },
  );
}

const OF_GROUP = /^group\./;

/**
 * The first fact that the spec needs, apart from lengths and the step, with the setting that needs it; null
 * if there is none.
 */
export function needsFact(compiled: CompiledSpec): { field: string; who: string } | null {
  const fact = compiled.facts.find((needed) => needed !== "length_tokens" && needed !== "step");
  return fact === undefined ? null : { field: fact.replace(OF_GROUP, ""), who: whoNeeds(compiled, fact) };
}

/** Names what needs token lengths, for errors; null if nothing does. */
export function needsLengths(compiled: CompiledSpec): string | null {
  return compiled.facts.includes("length_tokens") ? whoNeeds(compiled, "length_tokens") : null;
}

/** Names what needs a fact, for errors. */
function whoNeeds({ spec, signals }: CompiledSpec, fact: Fact): string {
  const needing = signals.find(({ signal, settings }) => signal.facts(settings).includes(fact));
  if (needing === undefined) return "an expression over length";
  return formOf(spec).needing(needing.name, spec.signals[needing.name] as SpecSignal);
}
