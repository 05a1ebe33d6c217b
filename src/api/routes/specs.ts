// GET /v1/specs, GET and PUT /v1/specs/:name.

import { said } from "#said";
import { withLogTexts } from "../../core/contract/kept-texts.ts";
import { SpecNameSchema } from "../../core/contract/request-fields.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { compileSpec } from "../../core/reward/compiled-spec.ts";
import { specLints } from "../../core/reward/lints.ts";
import { SpecSchema } from "../../core/reward/signals-spec.ts";
import type { Spec } from "../../core/reward/spec.ts";
import { asWritten, formOf } from "../../core/reward/spec-forms.ts";
import { specHash } from "../../scoring/digest.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { filledIn, type Templates, templatesFor, withOwnTemplates } from "../door/named-templates.ts";
import { PageQuerySchema, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { BUILT_IN, checkedSpec, storedSpec } from "../door/spec-lookup.ts";
import { invalidRequest, validated } from "../door/validation.ts";
import { documented, pathOf, READ } from "./words.ts";

/** Query parameters for paging; the cursor is the name of a spec. */
export const SpecsQuerySchema = PageQuerySchema.extend({
  cursor: SpecNameSchema.nullable().default(null).meta(said("`next_cursor` of the previous page")),
});

/** The name in the path, and the reason why it is not a valid spec name (null if it is valid). */
function pathName(c: AppContext): { name: string; fault: string | null } {
  const name = c.req.param("name") ?? "";
  return { name, fault: SpecNameSchema.safeParse(name).error?.issues[0]?.message ?? null };
}

/** For routes whose body is the spec itself: removes `spec.` from the paths in errors. */
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
 * The reply for a spec. If its author named the signals, it includes the warnings of POST /v1/specs/check.
 * @param resolved the spec with its templates inlined, as hashed
 */
async function described(deps: AppDeps, name: string, spec: Spec, resolved: Spec) {
  const entry = { name, spec_hash: await specHash(resolved), spec: asWritten(withLogTexts(spec, deps)) };
  if (!formOf(spec).named) return entry;
  return { ...entry, warnings: specLints(compileSpec(resolved), LIMITS.deadline_ms_default) };
}

export function getSpec(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    if (fault !== null)
      throw new ApiError("not_found", `name: ${fault}`, { errors: [{ path: "name", message: fault }] });
    const spec = await storedSpec(deps, c.get("scope"), name);
    if (spec === null) throw new ApiError("not_found", "No spec is stored under this name.");
    const resolved = await withOwnTemplates(deps, c.get("scope"), spec, "spec");
    return c.json(await described(deps, name, spec, resolved));
  };
}

/** The spec's hash; null if the spec names a template that is missing or conflicts with the spec. */
async function hashOf(spec: Spec, templates: Templates): Promise<string | null> {
  try {
    return await specHash(filledIn(spec, templates, "spec"));
  } catch {
    return null;
  }
}

export function specList(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { cursor, limit } = queryParameters(c, SpecsQuerySchema);
    const scope = c.get("scope");
    const { rows, more } = await timedStore(deps.clock, scope, () => deps.specs.page(cursor, limit));
    const templates = await templatesFor(
      deps,
      scope,
      rows.flatMap(({ spec }) => spec ?? []),
    );
    const entries = rows.map(async ({ name, spec, updated_at }) => ({
      name,
      spec_hash: spec === null ? null : await hashOf(spec, templates),
      spec: spec === null ? null : asWritten(withLogTexts(spec, deps)),
      updated_at: updated_at.toISOString(),
    }));
    return c.json({ specs: await Promise.all(entries), next_cursor: more ? (rows.at(-1)?.name ?? null) : null });
  };
}

export function putSpec(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { name, fault } = pathName(c);
    const refused = name === BUILT_IN ? '"default" is built in; choose another name' : fault;
    if (refused !== null) throw invalidRequest([{ path: "name", message: refused }]);
    const spec = validated(SpecSchema, await readJson(c.req.raw));
    const checked = await bareSpec(() => checkedSpec(deps, c.get("scope"), spec));
    const reply = await described(deps, name, spec, checked.spec);
    await timedStore(deps.clock, c.get("scope"), () => deps.specs.save(name, spec));
    return c.json(reply);
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/specs": {
    operationId: "listSpecs",
    tag: "Specs",
    summary: "Lists stored specs by name",
    description: "Specs are shared by all keys. The built-in spec `default` is not listed.",
    query: SpecsQuerySchema,
    said: "A page.",
    faults: [400, 401, 503],
  },
  "GET /v1/specs/:name": {
    operationId: "getSpec",
    tag: "Specs",
    summary: "Returns a stored spec and its hash",
    path: pathOf("name", SpecNameSchema, "name of a stored spec, or `default`, which is built in"),
    said: "The spec.",
    faults: READ,
  },
  "PUT /v1/specs/:name": {
    operationId: "putSpec",
    tag: "Specs",
    summary: "Stores a spec under a name",
    path: pathOf("name", SpecNameSchema, "any name except `default`"),
    request: SpecSchema,
    said: "Stored.",
    faults: [400, 401, 404, 408, 413, 415, 503],
  },
}));
