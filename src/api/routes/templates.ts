// GET and PUT /v1/templates/:name and GET /v1/templates: custom presets of the deployment.

import * as z from "zod";
import { said } from "#said";
import { canonicalJson } from "../../core/contract/canonical-json.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { type OwnPreset, TemplateNameSchema, TemplateSchema, templateKey } from "../../core/judges/presets/own.ts";
import type { Preset } from "../../core/judges/presets/preset.ts";
import { presetNamed, presetNames } from "../../core/judges/presets/table.ts";
import { templateFaults } from "../../core/judges/presets/template-faults.ts";
import { isPromptName } from "../../core/judges/render.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { noQueryParameters, pathParameter } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { invalidRequest, overLimit, validated } from "../door/validation.ts";
import { documented, pathOf, READ } from "./words.ts";

export const TemplateReplySchema = z.object({
  name: z.string(),
  built_in: z.boolean(),
  template_hash: z.string().meta(said("`sha256:` of the template's canonical JSON")),
  template: TemplateSchema,
});

const TemplatesReplySchema = z.object({
  built_in: z.array(z.string()),
  stored: z
    .array(z.string())
    .meta(said(`ascending names, at most templates_listed_max = ${LIMITS.templates_listed_max}`)),
});

async function templateReply(name: string, template: Preset, built_in: boolean) {
  return { name, built_in, template_hash: `sha256:${await sha256Hex(canonicalJson(template))}`, template };
}

const withoutName = ({ name: _, ...template }: OwnPreset): Preset => template;

export function listTemplates(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    const names = async () => (await deps.templates?.names(LIMITS.templates_listed_max)) ?? [];
    const stored = await timedStore(deps.clock, c.get("scope"), names);
    const built_in = presetNames().sort();
    return c.json({ built_in, stored } satisfies z.output<typeof TemplatesReplySchema>);
  };
}

export function getTemplate(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const name = pathParameter(c, "name", TemplateNameSchema);
    const built = presetNamed(name);
    if (built !== null) return c.json(await templateReply(name, built, true));
    const get = async () => (await deps.templates?.get(name)) ?? null;
    const template = await timedStore(deps.clock, c.get("scope"), get);
    if (template === null) throw new ApiError("not_found", "No template is stored under this name.");
    return c.json(await templateReply(name, withoutName(template), false));
  };
}

/**
 * Stores a template for all keys. New judgements use the new version; specs in the run log keep the version
 * that they were logged with.
 */
export function putTemplate(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { templates } = deps;
    const name = storableName(c.req.param("name") ?? "");
    const template = validated(TemplateSchema, await readJson(c.req.raw)) as Preset;
    const faults = templateFaults(template);
    if (faults.length > 0) throw invalidRequest(faults);
    const { length } = templateKey({ ...template, name });
    if (length > LIMITS.template_chars)
      throw invalidRequest([{ path: "$", message: overLimit(length, "template_chars") }]);
    if (templates === null) throw new ApiError("not_configured", "This deployment has no storage for templates.");
    const reply = await templateReply(name, template, false);
    await timedStore(deps.clock, c.get("scope"), () => templates.save({ ...template, name }));
    return c.json(reply);
  };
}

function storableName(name: string): string {
  const fault = TemplateNameSchema.safeParse(name).error?.issues[0]?.message;
  const taken = isPromptName(name) ? `"${name}" is built in; choose another name` : undefined;
  const message = fault ?? taken;
  if (message !== undefined) throw invalidRequest([{ path: "name", message }]);
  return name;
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/templates": {
    operationId: "listTemplates",
    tag: "Specs",
    summary: "Lists the names of built-in and stored presets",
    said: "The names.",
    reply: TemplatesReplySchema,
    faults: READ,
  },
  "GET /v1/templates/:name": {
    operationId: "getTemplate",
    tag: "Specs",
    summary: "Returns a preset: the questions to a verifier and the parser of its answers",
    path: pathOf("name", TemplateNameSchema, "name of a stored or built-in preset"),
    said: "The template and its hash.",
    reply: TemplateReplySchema,
    faults: READ,
  },
  "PUT /v1/templates/:name": {
    operationId: "putTemplate",
    tag: "Specs",
    summary: "Stores a preset under a name, for use in `judge.preset`",
    description:
      "Rejected, with the field at fault, if a candidate would be outside a delimiter, if a slot that the shape needs is missing, or if the prompt never shows the model the format that the parser reads.",
    path: pathOf("name", TemplateNameSchema, "any name except that of a built-in preset"),
    request: TemplateSchema,
    said: "Stored.",
    reply: TemplateReplySchema,
    faults: [400, 401, 404, 408, 413, 415, 503],
  },
}));
