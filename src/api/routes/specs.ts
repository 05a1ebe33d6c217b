// Owns GET /v1/specs, GET and PUT /v1/specs/:name, and the step from a request's `spec` to the spec
// itself.

import { compileFormats } from "../../core/candidate/format.ts";
import { type AllowedModels, requireModel, requireModelOfAny } from "../../core/contract/allowed-models.ts";
import { SpecNameSchema } from "../../core/contract/requests.ts";
import { DEFAULT_SPEC } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { didYouMean } from "../../core/faults/suggestion.ts";
import { type AnySpec, compileSpec, hasSignals, judgesIn } from "../../core/signals/compiled-spec.ts";
import { specLints } from "../../core/signals/lints.ts";
import { preparerRules } from "../../core/signals/preparing.ts";
import { AnySpecSchema } from "../../core/signals/signals-spec.ts";
import { specHash } from "../../scoring/digest.ts";
import { type RequestScope, timedStore } from "../../scoring/request-scope.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { PageQuerySchema, queryParameters } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { invalidRequest, validated } from "../http/validation.ts";
import { filledIn, type Templates, templatesFor, withOwnTemplates } from "./named-templates.ts";

const BUILT_IN = "default";

/** The cursor is a name. */
export const SpecsQuerySchema = PageQuerySchema.extend({
  cursor: SpecNameSchema.nullable().default(null).meta({ description: "next_cursor of the page before" }),
});

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
  const meant = permitted(deps, scope, await specMeant(deps, scope, spec, field), field, typeof spec !== "string");
  return withOwnTemplates(deps, scope, meant, field);
}

/** The same for one that nobody judges by: its models are not looked at. */
export async function specMeant(
  deps: RouteDeps,
  scope: RequestScope,
  spec: string | AnySpec,
  field = "spec",
): Promise<AnySpec> {
  const found = typeof spec === "string" ? await storedSpec(deps, scope, spec) : spec;
  if (found !== null) return found;
  const meant = await suggestedName(deps, scope, spec as string);
  throw new ApiError(
    "unknown_spec",
    `No spec is stored under this name${meant || "."} PUT /v1/specs/:name stores one.`,
    {
      errors: [{ path: field, message: `not the name of a stored spec${meant}` }],
    },
  );
}

/**
 * The stored name that this one may be a misspelling of, as a question; without it the refusal is
 * as good.
 */
async function suggestedName(deps: RouteDeps, scope: RequestScope, name: string): Promise<string> {
  const names = timedStore(deps.clock, scope, () => deps.specs.names(LIMITS.suggestion_names_max));
  return didYouMean(name, [BUILT_IN, ...(await names.catch(() => []))]);
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
  if (name === BUILT_IN) return deps.default_spec ?? DEFAULT_SPEC;
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
export async function checkedSpec(
  deps: RouteDeps,
  scope: RequestScope,
  given: AnySpec,
): Promise<{ spec: AnySpec; spec_hash: string }> {
  const { models } = deps;
  const spec = await withOwnTemplates(deps, scope, given, "spec");
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

/**
 * A spec of signals is told with its warnings, as the check has them.
 * @param resolved the same with the templates that it names, which its hash covers
 */
async function described(name: string, spec: AnySpec, resolved: AnySpec) {
  const told = { name, spec_hash: await specHash(resolved), spec };
  if (!hasSignals(spec)) return told;
  return { ...told, warnings: specLints(compileSpec(resolved), LIMITS.deadline_ms_default) };
}

export function getSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    if (fault !== null)
      throw new ApiError("not_found", `name: ${fault}`, { errors: [{ path: "name", message: fault }] });
    const spec = await storedSpec(deps, c.get("scope"), name);
    if (spec === null) throw new ApiError("not_found", "No spec is stored under this name.");
    const resolved = await withOwnTemplates(deps, c.get("scope"), spec, "spec");
    return c.json(await described(name, spec, resolved));
  };
}

/** Its hash; null where it names a prompt that is no more, or that does not go with the rest. */
async function hashOf(spec: AnySpec, templates: Templates): Promise<string | null> {
  try {
    return await specHash(filledIn(spec, templates, "spec"));
  } catch {
    return null;
  }
}

export function specList(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { cursor, limit } = queryParameters(c, SpecsQuerySchema);
    const scope = c.get("scope");
    const { rows, more } = await timedStore(deps.clock, scope, () => deps.specs.page(cursor, limit));
    const templates = await templatesFor(
      deps,
      scope,
      rows.flatMap(({ spec }) => spec ?? []),
    );
    const told = rows.map(async ({ name, spec, updated_at }) => ({
      name,
      spec_hash: spec === null ? null : await hashOf(spec, templates),
      spec,
      updated_at: updated_at.toISOString(),
    }));
    return c.json({ specs: await Promise.all(told), next_cursor: more ? (rows.at(-1)?.name ?? null) : null });
  };
}

export function putSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    const refused = name === BUILT_IN ? '"default" is built in; choose another name' : fault;
    if (refused !== null) throw invalidRequest([{ path: "name", message: refused }]);
    const spec = validated(AnySpecSchema, await readJson(c.req.raw));
    const checked = await bareSpec(() => checkedSpec(deps, c.get("scope"), spec));
    const reply = await described(name, spec, checked.spec);
    await timedStore(deps.clock, c.get("scope"), () => deps.specs.put(name, spec));
    return c.json(reply);
  };
}
