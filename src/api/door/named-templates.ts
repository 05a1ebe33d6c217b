// The step from a spec that names a deployment's own templates to one that holds them.
import { ApiError } from "../../core/faults/errors.ts";
import type { OwnPreset } from "../../core/judges/presets/own.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import { foreignPrompts, withTemplates } from "../../core/reward/own-templates.ts";
import { AnySpecSchema } from "../../core/reward/signals-spec.ts";
import { type RequestScope, timedStore } from "../../scoring/request-scope.ts";
import type { RouteDeps } from "./deps.ts";
import { invalidRequest, validated } from "./validation.ts";

export type Templates = ReadonlyMap<string, OwnPreset>;

/**
 * The spec as it can be judged and hashed, with each template that it names in full. An unknown name is kept,
 * and refused where prompts are looked up. The database is asked only for names that are not built in.
 * @param field path of the spec in the request; empty where it is the body
 * @throws ApiError `invalid_request` where a template does not go with the rest of the spec,
 * `store_unavailable`
 */
export async function withOwnTemplates(
  deps: RouteDeps,
  scope: RequestScope,
  spec: AnySpec,
  field: string,
): Promise<AnySpec> {
  return filledIn(spec, await templatesFor(deps, scope, [spec]), field);
}

/** The deployment's own templates that some specs name, each asked for once. */
export async function templatesFor(
  deps: RouteDeps,
  scope: RequestScope,
  specs: readonly AnySpec[],
): Promise<Templates> {
  const names = [...new Set(specs.flatMap(foreignPrompts))];
  if (names.length === 0 || deps.templates === undefined) return new Map();
  const found = await timedStore(deps.clock, scope, () => Promise.all(names.map((name) => storedTemplate(deps, name))));
  return new Map(found.flatMap((template) => (template === null ? [] : [[template.name, template] as const])));
}

/** As `withOwnTemplates`, of templates that are known. */
export function filledIn(spec: AnySpec, templates: Templates, field: string): AnySpec {
  if (!foreignPrompts(spec).some((name) => templates.has(name))) return spec;
  try {
    return validated(AnySpecSchema, withTemplates(spec, templates));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const prefix = field === "" ? "" : `${field}.`;
    throw invalidRequest(error.errors.map(({ path, message }) => ({ path: prefix + path, message })));
  }
}

/** Without a database no template is stored under any name. */
async function storedTemplate({ templates }: RouteDeps, name: string): Promise<OwnPreset | null> {
  try {
    return (await templates?.get(name)) ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_configured") return null;
    throw error;
  }
}
