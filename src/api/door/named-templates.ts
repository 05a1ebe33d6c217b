// Resolves the custom templates that a spec names.

import { ApiError } from "../../core/faults/errors.ts";
import type { OwnPreset } from "../../core/judges/presets/own.ts";
import { foreignPrompts, withTemplates } from "../../core/reward/own-templates.ts";
import { SpecSchema } from "../../core/reward/signals-spec.ts";
import type { Spec } from "../../core/reward/spec.ts";
import { asWritten } from "../../core/reward/spec-forms.ts";
import { type RequestScope, timedStore } from "../../scoring/request-scope.ts";
import type { AppDeps } from "./deps.ts";
import { invalidRequest, validated } from "./validation.ts";

export type Templates = ReadonlyMap<string, OwnPreset>;

/**
 * Inlines each custom template that the spec names, so that the spec can be hashed and judged. Unknown names
 * are kept; they are rejected later, when prompts are looked up. The database is queried only for names that
 * are not built in.
 * @param field path of the spec in the request; empty if the spec is the body
 * @throws ApiError `invalid_request` if a template conflicts with the rest of the spec, `store_unavailable`
 */
export async function withOwnTemplates(deps: AppDeps, scope: RequestScope, spec: Spec, field: string): Promise<Spec> {
  return filledIn(spec, await templatesFor(deps, scope, [spec]), field);
}

/** Reads the custom templates that the specs name, each of them once. */
export async function templatesFor(deps: AppDeps, scope: RequestScope, specs: readonly Spec[]): Promise<Templates> {
  const names = [...new Set(specs.flatMap(foreignPrompts))];
  if (names.length === 0 || deps.templates === null) return new Map();
  const found = await timedStore(deps.clock, scope, () => Promise.all(names.map((name) => storedTemplate(deps, name))));
  return new Map(found.flatMap((template) => (template === null ? [] : [[template.name, template] as const])));
}

/** Like `withOwnTemplates`, but with templates that have already been read. */
export function filledIn(spec: Spec, templates: Templates, field: string): Spec {
  if (!foreignPrompts(spec).some((name) => templates.has(name))) return spec;
  try {
    return validated(SpecSchema, asWritten(withTemplates(spec, templates)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const prefix = field === "" ? "" : `${field}.`;
    throw invalidRequest(error.errors.map(({ path, message }) => ({ path: prefix + path, message })));
  }
}

/** The stored template with this name; null if there is none, or no database. */
async function storedTemplate({ templates }: AppDeps, name: string): Promise<OwnPreset | null> {
  try {
    return (await templates?.get(name)) ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_configured") return null;
    throw error;
  }
}
