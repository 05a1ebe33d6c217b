// Owns GET and PUT /v1/specs/:name, and the step from a request's `spec` to the spec itself.
import { SpecNameSchema } from "../core/contract.ts";
import { ApiError } from "../core/errors.ts";
import { compileFormatRules } from "../core/format.ts";
import { DEFAULT_SPEC, type Spec, SpecSchema } from "../core/spec.ts";
import { specHash } from "../digest.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { type AppContext, type RequestScope, timedStore } from "../http/scope.ts";
import { invalidRequest, validated } from "../http/validation.ts";

const BUILT_IN = "default";

/**
 * The spec that a request names or holds. `default` is built in and needs no database. Throws `unknown_spec`.
 * @param field where the request names it, for the refusal
 */
export async function resolveSpec(
  deps: RouteDeps,
  scope: RequestScope,
  spec: string | Spec,
  field = "spec",
): Promise<Spec> {
  if (typeof spec !== "string") return spec;
  const found = await storedSpec(deps, scope, spec);
  if (found !== null) return found;
  throw new ApiError("unknown_spec", "No spec is stored under this name. PUT /v1/specs/:name stores one.", {
    errors: [{ path: field, message: "not the name of a stored spec" }],
  });
}

async function storedSpec(deps: RouteDeps, scope: RequestScope, name: string): Promise<Spec | null> {
  if (name === BUILT_IN) return DEFAULT_SPEC;
  return timedStore(deps.clock, scope, () => deps.specs.get(name));
}

/** The path's name, and why it cannot be a spec's. */
function pathName(c: AppContext): { name: string; fault: string | null } {
  const name = c.req.param("name") ?? "";
  return { name, fault: SpecNameSchema.safeParse(name).error?.issues[0]?.message ?? null };
}

/** What the schema cannot say of a spec: its expressions compile, its prompt exists. */
async function checked(name: string, spec: Spec) {
  compileFormatRules(spec.format.rules);
  return described(name, spec);
}

/** A fault of a request's `spec` where the body itself is the spec. */
function ofBareSpec({ code, message, errors }: ApiError): ApiError {
  const bare = (text: string) => text.replace(/^spec\./, "");
  return new ApiError(code, bare(message), { errors: errors.map((e) => ({ ...e, path: bare(e.path) })) });
}

async function described(name: string, spec: Spec) {
  return { name, spec_hash: await specHash(spec), spec };
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
    const spec = validated(SpecSchema, await readJson(c.req.raw));
    const reply = await checked(name, spec).catch((error) => {
      throw error instanceof ApiError ? ofBareSpec(error) : error;
    });
    await timedStore(deps.clock, c.get("scope"), () => deps.specs.put(name, spec));
    return c.json(reply);
  };
}
