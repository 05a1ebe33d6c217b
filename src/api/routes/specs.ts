// Owns GET and PUT /v1/specs/:name, and the step from a request's `spec` to the spec itself.

import { compileFormats } from "../../core/candidate/format.ts";
import { type AllowedModels, requireModel, requireModelOfAny } from "../../core/contract/allowed-models.ts";
import { SpecNameSchema } from "../../core/contract/requests.ts";
import { DEFAULT_SPEC } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { type AnySpec, compileSpec, hasSignals, judgesIn } from "../../core/signals/compiled-spec.ts";
import { specLints } from "../../core/signals/lints.ts";
import { preparerRules } from "../../core/signals/preparing.ts";
import { AnySpecSchema } from "../../core/signals/signals-spec.ts";
import { specHash } from "../../scoring/digest.ts";
import { type RequestScope, timedStore } from "../../scoring/request-scope.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import type { AppContext } from "../http/scope.ts";
import { invalidRequest, validated } from "../http/validation.ts";

const BUILT_IN = "default";

/**
 * The spec that a request names or holds. `default` is built in and needs no database. Throws
 * `unknown_spec`, and `model_not_allowed` for one whose model the key may not have judge, whoever
 * stored it.
 * @param field where the request names it, for the refusal
 */
export async function resolveSpec(
  deps: RouteDeps,
  scope: RequestScope,
  spec: string | AnySpec,
  field = "spec",
): Promise<AnySpec> {
  if (typeof spec !== "string") return permitted(deps, scope, spec, field, true);
  const found = await storedSpec(deps, scope, spec);
  if (found !== null) return permitted(deps, scope, found, field);
  throw new ApiError("unknown_spec", "No spec is stored under this name. PUT /v1/specs/:name stores one.", {
    errors: [{ path: field, message: "not the name of a stored spec" }],
  });
}

/**
 * The same spec. Throws `model_not_allowed`.
 * @param field where the spec stands, or, unless it is `inline`, its name
 */
export function permitted(
  { models }: RouteDeps,
  { key_name }: RequestScope,
  spec: AnySpec,
  field: string,
  inline = false,
): AnySpec {
  if (models === undefined) return spec;
  for (const { judge, path } of judgesIn(spec)) {
    requireModel(models, key_name, { judge }, inline ? `${field}.${path}.model` : field);
  }
  return spec;
}

async function storedSpec(deps: RouteDeps, scope: RequestScope, name: string): Promise<AnySpec | null> {
  if (name === BUILT_IN) return DEFAULT_SPEC;
  return timedStore(deps.clock, scope, () => deps.specs.get(name));
}

/** The path's name, and why it cannot be a spec's. */
function pathName(c: AppContext): { name: string; fault: string | null } {
  const name = c.req.param("name") ?? "";
  return { name, fault: SpecNameSchema.safeParse(name).error?.issues[0]?.message ?? null };
}

/**
 * What the schema cannot say of a spec: its range is finite, its regular expressions compile, its
 * prompts exist, its models may be named.
 */
export async function checkedSpec({ models }: RouteDeps, spec: AnySpec): Promise<{ spec: AnySpec; spec_hash: string }> {
  for (const { judge, path } of models === undefined ? [] : judgesIn(spec)) {
    requireModelOfAny(models as AllowedModels, { judge }, `spec.${path}.model`);
  }
  compileFormats(Object.values(preparerRules(compileSpec(spec)).formats));
  return { spec, spec_hash: await specHash(spec) };
}

/** Where the body itself is the spec, faults of a request's `spec` are told so. */
export function bareSpec<T>(check: () => Promise<T>): Promise<T> {
  return check().catch((error) => {
    throw error instanceof ApiError ? ofBareSpec(error) : error;
  });
}

function ofBareSpec({ code, message, errors }: ApiError): ApiError {
  const bare = (text: string) => text.replace(/^spec\./, "");
  return new ApiError(code, bare(message), { errors: errors.map((e) => ({ ...e, path: bare(e.path) })) });
}

/** A spec of signals is told with its warnings, as the check has them. */
async function described(name: string, spec: AnySpec) {
  const told = { name, spec_hash: await specHash(spec), spec };
  if (!hasSignals(spec)) return told;
  return { ...told, warnings: specLints(compileSpec(spec), LIMITS.deadline_ms_default) };
}

export function getSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    if (fault !== null)
      throw new ApiError("not_found", `name: ${fault}`, { errors: [{ path: "name", message: fault }] });
    const spec = await storedSpec(deps, c.get("scope"), name);
    if (spec === null) throw new ApiError("not_found", "No spec is stored under this name.");
    return c.json(await described(name, spec));
  };
}

export function putSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    const refused = name === BUILT_IN ? '"default" is built in; choose another name' : fault;
    if (refused !== null) throw invalidRequest([{ path: "name", message: refused }]);
    const spec = validated(AnySpecSchema, await readJson(c.req.raw));
    await bareSpec(() => checkedSpec(deps, spec));
    const reply = await described(name, spec);
    await timedStore(deps.clock, c.get("scope"), () => deps.specs.put(name, spec));
    return c.json(reply);
  };
}
