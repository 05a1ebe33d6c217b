// Owns the description of specs and templates for the OpenAPI document.
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { SpecCheckQuerySchema, SpecCheckReplySchema } from "../../../src/api/routes/spec-check.ts";
import { SpecsQuerySchema } from "../../../src/api/routes/specs.ts";
import { TemplateReplySchema, TemplatesReplySchema } from "../../../src/api/routes/templates.ts";
import { SpecNameSchema } from "../../../src/core/contract/requests.ts";
import { TemplateNameSchema, TemplateSchema } from "../../../src/core/judges/presets/own.ts";
import { AnySpecSchema } from "../../../src/core/signals/signals-spec.ts";
import * as examples from "./examples.ts";
import { SpecPageSchema } from "./log.ts";
import { queryOf } from "./parameters.ts";
import { body, json, path, problems, READ } from "./words.ts";

export const specs: ZodOpenApiPathsObject = {
  "/v1/specs/check": {
    post: {
      operationId: "checkSpec",
      tags: ["Specs"],
      summary: "What a spec means, costs and warns of, without judging anything",
      description:
        "Canonical form, hash, proved range of the reward, facts that requests must carry, generations and tokens of a group of `n`, warnings. The body is the spec.",
      requestParams: { query: queryOf(SpecCheckQuerySchema) },
      requestBody: body(AnySpecSchema, examples.signalsSpec),
      responses: { "200": json("Checked.", SpecCheckReplySchema), ...problems(400, 401, 408, 413, 415) },
    },
  },
  "/v1/specs": {
    get: {
      operationId: "listSpecs",
      tags: ["Specs"],
      summary: "Stored specs by name",
      description: "Specs belong to no key. `default` is built in and not among them.",
      requestParams: { query: queryOf(SpecsQuerySchema) },
      responses: { "200": json("A page.", SpecPageSchema), ...problems(400, 401, 503) },
    },
  },
  "/v1/specs/{name}": {
    get: {
      operationId: "getSpec",
      tags: ["Specs"],
      summary: "A stored spec and its hash",
      requestParams: { path: path("name", SpecNameSchema, "`default` is built in") },
      responses: { "200": json("The spec.", { $ref: "#/components/schemas/StoredSpec" }), ...problems(...READ) },
    },
    put: {
      operationId: "putSpec",
      tags: ["Specs"],
      summary: "Store a spec under a name",
      requestParams: { path: path("name", SpecNameSchema, "any name but `default`") },
      requestBody: body(AnySpecSchema, examples.spec),
      responses: {
        "200": json("Stored.", { $ref: "#/components/schemas/StoredSpec" }),
        ...problems(400, 401, 404, 408, 413, 415, 503),
      },
    },
  },
};

export const templates: ZodOpenApiPathsObject = {
  "/v1/templates": {
    get: {
      operationId: "listTemplates",
      tags: ["Specs"],
      summary: "The names of the presets: built in, and stored here",
      responses: { "200": json("The names.", TemplatesReplySchema), ...problems(...READ) },
    },
  },
  "/v1/templates/{name}": {
    get: {
      operationId: "getTemplate",
      tags: ["Specs"],
      summary: "A preset: how a judge is asked and read",
      requestParams: { path: path("name", TemplateNameSchema, "of a built-in preset too") },
      responses: { "200": json("The template and its hash.", TemplateReplySchema), ...problems(...READ) },
    },
    put: {
      operationId: "putTemplate",
      tags: ["Specs"],
      summary: "Store a preset of your own under a name, for `judge.preset`",
      description:
        "Refused by field where a candidate would stand outside a delimiter, a slot that the shape needs is missing, or the words never tell the model the form that its parser reads.",
      requestParams: { path: path("name", TemplateNameSchema, "any name but a built-in preset's") },
      requestBody: body(TemplateSchema, examples.template),
      responses: { "200": json("Stored.", TemplateReplySchema), ...problems(400, 401, 404, 408, 413, 415, 503) },
    },
  },
};
