// Makes the OpenAPI document and its pages from the zod schemas.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { createDocument } from "zod-openapi";
import { REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { errorEntries } from "../guides/errors.ts";
import { guideFiles } from "../guides/files.ts";
import { frontPage, notFoundPage } from "../reference/front.ts";
import { type OpenApi, referenceFiles } from "../reference/page.ts";
import { STYLE } from "../reference/style.ts";
import { withRepetition } from "./batches.ts";
import { nameComponents } from "./components.ts";
import { contractPaths, contractStandalone, contractTag } from "./contracts.ts";
import { describeFields } from "./described.ts";
import { nativePaths } from "./native.ts";
import { laidOver, RULES } from "./rules.ts";

const root = new URL("../../../", import.meta.url);

const ProblemSchema = z
  .object({
    type: z.string().meta({ description: "URL of the explanation of `code` on this server" }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(REQUEST_ERRORS) as [string, ...string[]]),
    request_id: z.string(),
    retryable: z.boolean(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ description: "RFC 9457 problem document" });

const HealthSchema = z.object({
  ok: z.boolean(),
  latency_ms: z.number(),
  detail: z.string().optional(),
  context_tokens: z.int().optional(),
  backends: z.array(z.record(z.string(), z.unknown())).optional(),
  reading: z.array(z.record(z.string(), z.unknown())).optional(),
});

const NotReadySchema = ProblemSchema.extend({
  ready: z.literal(false),
  checks: z.object({ database: HealthSchema, verifier: HealthSchema }),
}).meta({ description: "RFC 9457 problem document that names the unhealthy dependencies" });

const DESCRIPTION = `Kritai turns groups of policy rollouts into rewards: a verifier compares the candidates of each group, and the reply contains shaped rewards and win counts.

Failures never become rewards: a reward that could not be decided is \`null\` with an error code. Unknown request fields are rejected, except by the contracts of other tools, which ignore them. Request errors are RFC 9457 problem documents; every code is explained under /docs/errors. Fields of type \`number\` (format \`double\`: rewards, scores, components, means, times) always have a fraction or an exponent, such as \`1.0\`, so that no client parses them as integers; counts, ids and tokens are integers. Every reply has the headers \`X-Request-Id\` and \`Server-Timing\`.`;

const SECURITY = {
  bearer: { type: "http", scheme: "bearer", description: "Authorization: Bearer <key>" },
  apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
  basic: {
    type: "http",
    scheme: "basic",
    description: "The password is the key. Tools that accept only a URL can put /k/<key> in front of the path instead.",
  },
} as const;

/**
 * Replaces `prefixItems`, which tools for older drafts (such as schemathesis) do not support, by a list of
 * fixed length with alternatives.
 */
function withoutTuples(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("prefixItems" in value)) return value;
  const { prefixItems, items: _items, ...rest } = value as { prefixItems: unknown[]; items?: unknown };
  const kinds = [...new Map(prefixItems.map((kind) => [JSON.stringify(kind), kind])).values()];
  const items = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
  return { ...rest, items, minItems: prefixItems.length, maxItems: prefixItems.length };
}

/**
 * Removes bounds from replies that only state the range of exact integers, and fields that accept no value.
 */
function asWritten({ jsonSchema, io }: { jsonSchema: Node; io: "input" | "output" }): void {
  const { properties } = jsonSchema as { properties?: Record<string, Node> };
  // An object without additional properties forbids such fields anyway.
  for (const [name, { not }] of Object.entries(properties ?? {})) if (not !== undefined) delete properties?.[name];
  if (io === "input") return;
  if (jsonSchema.type === "number") jsonSchema.format = "double";
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

type Node = { [keyword: string]: unknown };

/** Flattens nested alternatives into one list. */
function alternatives(kinds: readonly Node[]): Node[] {
  const isList = (kind: Node) => Array.isArray(kind.anyOf) && Object.keys(kind).length === 1;
  return kinds.flatMap((kind) => (isList(kind) ? alternatives(kind.anyOf as Node[]) : [kind]));
}

/**
 * Shortens a schema without changing its meaning: flattens alternatives, and drops the type of property
 * names, which are always strings.
 */
function shortened(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const schema = value as Node;
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  if (Array.isArray(schema.anyOf)) schema.anyOf = alternatives(schema.anyOf);
  return schema;
}

/**
 * Adds the rules between fields to the document's components. Throws if a component is missing.
 */
function withRules<D extends { components?: { schemas?: object } }>(document: D): D {
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  for (const [name, rule] of Object.entries(RULES)) {
    if (schemas[name] === undefined) throw new Error(`no component is named ${name}`);
    schemas[name] = laidOver(schemas[name], rule);
  }
  return { ...document, components: { ...document.components, schemas } };
}

/** The whole document as JSON text, ending in a newline. */
export function openapiText(): string {
  nameComponents();
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: { title: "Kritai", version, description: DESCRIPTION },
      tags: ["Scoring", contractTag, "Specs", "Run log", "Service"].map((name) => ({ name })),
      security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
      paths: withRepetition({ ...nativePaths(), ...contractPaths() }),
      components: {
        securitySchemes: SECURITY,
        schemas: {
          Problem: ProblemSchema,
          NotReady: NotReadySchema,
          ...contractStandalone(),
          StoredSpec: {
            type: "object",
            required: ["name", "spec_hash", "spec"],
            properties: {
              name: { type: "string" },
              spec_hash: {
                type: "string",
                description: "SHA-256 of everything that decides a reward, including the prompt templates",
              },
              spec: { anyOf: [{ $ref: "#/components/schemas/Spec" }, { $ref: "#/components/schemas/SignalsSpec" }] },
              warnings: {
                type: "array",
                items: { type: "string" },
                description: "warnings about a spec with signals, by code",
              },
            },
          },
        },
      },
    },
    { allowEmptySchema: { unknown: true }, override: asWritten },
  );
  const whole = JSON.stringify({ ...withRules(document), "x-errors": errorEntries() });
  const tidied = JSON.parse(whole, (key, value) => shortened(withoutTuples(key, value))) as object;
  return `${JSON.stringify(describeFields(tidied), null, 1)}\n`;
}

/** The files of `public/` that this build makes: the document and its pages. */
export function publicFiles(): Record<string, string> {
  const text = openapiText();
  const document = JSON.parse(text) as OpenApi;
  return {
    "openapi.json": text,
    "docs/style.css": STYLE,
    "index.html": frontPage(document),
    "not-found.html": notFoundPage(),
    ...referenceFiles(document),
    ...guideFiles(),
  };
}
