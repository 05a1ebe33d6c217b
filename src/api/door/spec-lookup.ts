// Resolves a request's `spec`, which is a name or an inline spec, to a spec that the key may use.

import { compileFormats } from "../../core/candidate/format.ts";
import { type AllowedModels, requireModel, requireModelOfAny } from "../../core/contract/allowed-models.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { didYouMean } from "../../core/faults/suggestion.ts";
import { compileSpec } from "../../core/reward/compiled-spec.ts";
import { BUILT_IN_DEFAULT } from "../../core/reward/default-spec.ts";
import { preparerRules } from "../../core/reward/preparing.ts";
import type { Spec } from "../../core/reward/spec.ts";
import { judgesIn } from "../../core/reward/spec-judges.ts";
import { specHash } from "../../scoring/digest.ts";
import { type RequestScope, timedStore } from "../../scoring/request-scope.ts";
import type { AppDeps } from "./deps.ts";
import { withOwnTemplates } from "./named-templates.ts";

export const BUILT_IN = "default";

/**
 * Resolves a spec name or an inline spec. `default` is built in and needs no database.
 * @param field path of the spec in the request, for error messages
 * @throws ApiError `unknown_spec`; `model_not_allowed` if the key may not use the spec's model, no matter who
 *   stored the spec
 */
export async function resolveSpec(
  deps: AppDeps,
  scope: RequestScope,
  spec: string | Spec,
  field = "spec",
): Promise<Spec> {
  const suggested = permitted(deps, scope, await specMeant(deps, scope, spec, field), field, typeof spec !== "string");
  return withOwnTemplates(deps, scope, suggested, field);
}

/** Like `resolveSpec`, but without checking models, for specs that are not used for judging. */
export async function specMeant(
  deps: AppDeps,
  scope: RequestScope,
  spec: string | Spec,
  field = "spec",
): Promise<Spec> {
  const found = typeof spec === "string" ? await storedSpec(deps, scope, spec) : spec;
  if (found !== null) return found;
  const suggested = await suggestedName(deps, scope, spec as string);
  // The sentence repeats the field's error word for word, so that clients can print both without repetition.
  const message = `not the name of a stored spec${suggested}`;
  const detail = `${field}: ${message}${suggested === "" ? "." : ""} Store one with PUT /v1/specs/:name.`;
  throw new ApiError("unknown_spec", detail, { errors: [{ path: field, message }] });
}

/** A "did you mean" suggestion with a similar name; empty if there is none or the names cannot be read. */
async function suggestedName(deps: AppDeps, scope: RequestScope, name: string): Promise<string> {
  const names = timedStore(deps.clock, scope, () => deps.specs.names(LIMITS.suggestion_names_max));
  return didYouMean(name, [BUILT_IN, ...(await names.catch(() => []))]);
}

/**
 * Returns the spec unchanged, or throws `model_not_allowed` if the key may not use its models.
 * @param field path of the field that contains the spec (`inline`) or its name
 */
export function permitted(
  { models }: AppDeps,
  { key_name }: RequestScope,
  spec: Spec,
  field: string,
  inline = false,
): Spec {
  if (models === null) return spec;
  for (const { judge, path } of judgesIn(spec)) {
    requireModel(models, key_name, { judge }, inline ? `${field}.${path}.model` : field);
  }
  return spec;
}

export async function storedSpec(deps: AppDeps, scope: RequestScope, name: string): Promise<Spec | null> {
  if (name === BUILT_IN) return deps.default_spec ?? BUILT_IN_DEFAULT;
  return timedStore(deps.clock, scope, () => deps.specs.get(name));
}

/**
 * Checks what a spec's schema cannot: that its range is finite, its regular expressions compile, its prompts
 * exist, and its models are allowed.
 */
export async function checkedSpec(
  deps: AppDeps,
  scope: RequestScope,
  given: Spec,
): Promise<{ spec: Spec; spec_hash: string }> {
  const { models } = deps;
  const spec = await withOwnTemplates(deps, scope, given, "spec");
  for (const { judge, path } of models === null ? [] : judgesIn(spec)) {
    requireModelOfAny(models as AllowedModels, { judge }, `spec.${path}.model`);
  }
  compileFormats(Object.values(preparerRules(compileSpec(spec)).formats));
  return { spec, spec_hash: await specHash(spec) };
}
