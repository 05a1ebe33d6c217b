// Owns GET and PUT /v1/specs/:name, and the step from a request's `spec` to the spec itself.
import { SpecNameSchema } from "../core/contract.ts";
import { ApiError } from "../core/errors.ts";
import { compileFormatRules } from "../core/format.ts";
import { DEFAULT_SPEC, type Spec, SpecSchema } from "../core/spec.ts";
import { specHash } from "../digest.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { pathParameter } from "../http/parameters.ts";
import { type AppContext, type RequestScope, timedStore } from "../http/scope.ts";
import { invalidRequest, validated } from "../http/validation.ts";

const BUILT_IN = "default";

/** The spec that a request names or holds. `default` is built in and needs no database. Throws `unknown_spec`. */
export async function resolveSpec(deps: RouteDeps, scope: RequestScope, spec: string | Spec): Promise<Spec> {
  if (typeof spec !== "string") return spec;
  const found = await storedSpec(deps, scope, spec);
  if (found !== null) return found;
  throw new ApiError("unknown_spec", "No spec is stored under this name. PUT /v1/specs/:name stores one.", {
    errors: [{ path: "spec", message: "not the name of a stored spec" }],
  });
}

async function storedSpec(deps: RouteDeps, scope: RequestScope, name: string): Promise<Spec | null> {
  if (name === BUILT_IN) return DEFAULT_SPEC;
  return timedStore(deps.clock, scope, () => deps.specs.get(name));
}

async function described(name: string, spec: Spec) {
  return { name, spec_hash: await specHash(spec), spec };
}

export function getSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const name = pathParameter(c, "name", SpecNameSchema);
    const spec = await storedSpec(deps, c.get("scope"), name);
    if (spec === null) throw new ApiError("not_found", "No spec is stored under this name.");
    return c.json(await described(name, spec));
  };
}

export function putSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const name = pathParameter(c, "name", SpecNameSchema);
    if (name === BUILT_IN) {
      throw invalidRequest([{ path: "name", message: '"default" is built in; choose another name' }]);
    }
    const spec = validated(SpecSchema, await readJson(c.req.raw));
    compileFormatRules(spec.format.rules);
    const reply = await described(name, spec);
    await timedStore(deps.clock, c.get("scope"), () => deps.specs.put(name, spec));
    return c.json(reply);
  };
}
