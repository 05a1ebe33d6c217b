// Owns the OpenAPI document: generates src/openapi.json from the zod schemas, or with --check says whether it has drifted.
import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { createDocument } from "zod-openapi";
import { GroupSchema, RewardsRequestSchema, RolloutSchema, VerdictItemSchema } from "../src/core/contract.ts";
import {
  GroupResultSchema,
  RewardsReplySchema,
  RolloutResultSchema,
  VerifierUseSchema,
} from "../src/core/contract-replies.ts";
import { REQUEST_ERRORS } from "../src/core/errors.ts";
import { SpecSchema } from "../src/core/spec.ts";
import { batchPaths, withRepetition } from "./openapi-batches.ts";
import { contractPaths, contractTag } from "./openapi-contracts.ts";
import { readErrorPage } from "./openapi-errors.ts";
import { GroupRowSchema, StoredVerdictSchema } from "./openapi-log.ts";
import { paths } from "./openapi-routes.ts";
import { samplePaths } from "./openapi-sample-contracts.ts";

const root = new URL("../", import.meta.url);
const target = new URL("src/openapi.json", root);

const ProblemSchema = z
  .object({
    type: z.string().meta({ description: "where the code is explained, a path on this host" }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(REQUEST_ERRORS) as [string, ...string[]]),
    request_id: z.string(),
    retryable: z.boolean(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ description: "RFC 9457 problem document" });

const DESCRIPTION = `Kritai turns groups of policy rollouts into rewards: it asks a verifier to compare the candidates of each group and returns shaped rewards and win counts.

A failure never becomes a reward: it is \`null\` with a code beside it. Unknown request fields are refused, except by the contracts of other tools, which ignore them. Faults of a request are RFC 9457 documents, each explained under /docs/errors. Every reply carries \`X-Request-Id\` and \`Server-Timing\`.`;

const SECURITY = {
  bearer: { type: "http", scheme: "bearer", description: "Authorization: Bearer <key>" },
  apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "the password is the key; for tools that only take a URL, /k/<key>/ in front of the path does the same",
  },
} as const;

/** Readers of older drafts, schemathesis among them, stumble over `prefixItems`: a list of known length whose items are all of some kind. */
function withoutTuples(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("prefixItems" in value)) return value;
  const { prefixItems, items: _items, ...rest } = value as { prefixItems: unknown[]; items?: unknown };
  const kinds = [...new Map(prefixItems.map((kind) => [JSON.stringify(kind), kind])).values()];
  const items = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
  return { ...rest, items, minItems: prefixItems.length, maxItems: prefixItems.length };
}

/** The whole document as JSON text, ending in a newline. */
export function openapiText(): string {
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: { title: "Kritai", version, description: DESCRIPTION },
      tags: ["Scoring", contractTag, "Specs", "Run log", "Service"].map((name) => ({ name })),
      security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
      paths: withRepetition({ ...paths, ...batchPaths, ...contractPaths, ...samplePaths }),
      components: {
        securitySchemes: SECURITY,
        schemas: {
          Problem: ProblemSchema,
          Spec: SpecSchema,
          StoredSpec: {
            type: "object",
            required: ["name", "spec_hash", "spec"],
            properties: {
              name: { type: "string" },
              spec_hash: { type: "string", description: "of all that decides a reward, the prompt templates included" },
              spec: { $ref: "#/components/schemas/Spec" },
            },
          },
          RewardsRequest: RewardsRequestSchema,
          Group: GroupSchema,
          Rollout: RolloutSchema,
          RewardsReply: RewardsReplySchema,
          GroupResult: GroupResultSchema,
          RolloutResult: RolloutResultSchema,
          VerifierUse: VerifierUseSchema,
          VerdictItem: VerdictItemSchema,
          GroupRow: GroupRowSchema,
          StoredVerdict: StoredVerdictSchema,
        },
      },
    },
    { allowEmptySchema: { unknown: true } },
  );
  const errors = readErrorPage(readFileSync(new URL("docs/errors.md", root), "utf8"));
  const tupled: unknown = JSON.parse(JSON.stringify({ ...document, "x-errors": errors }), withoutTuples);
  return `${JSON.stringify(tupled, null, 1)}\n`;
}

if (import.meta.main) {
  const text = openapiText();
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
    console.log(`src/openapi.json: ${text.length} bytes`);
  } else if (readFileSync(target, "utf8") === text) {
    console.log("src/openapi.json is what the schemas say");
  } else {
    console.error("src/openapi.json has drifted from the schemas; run: node scripts/openapi.ts");
    process.exitCode = 1;
  }
}
