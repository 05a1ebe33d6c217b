// Owns POST /v1/rerank and /v2/rerank: one body and one reply that Cohere, Jina and vLLM clients
// all read. Ranking: ranked-documents.ts.
import * as z from "zod";
import { GroupSchema, RolloutSchema } from "../../core/contract/requests.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { validAt } from "../door/validation.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import {
  CORRECT,
  documented,
  elements,
  fields,
  has,
  noChoice,
  not,
  type Operation,
  QUESTION,
  refused,
  size,
  WRONG,
  when,
} from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const flag = z.boolean().nullish();
const QuerySchema = GroupSchema.shape.prompt.options[0].min(1);
const DocumentSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);

/**
 * How many there may be, for the document only: the checks themselves name the limit, or answer as
 * the dialect does.
 */
export const DOCUMENT_COUNT = { minItems: 1, maxItems: LIMITS.rollouts_per_group_max };

export const RerankRequestSchema = z.object({
  model: z.string().nullish().meta({
    description:
      "a stored spec's name. One that is nearly a spec's, or a preset's, is refused; any other is only echoed",
  }),
  query: QuerySchema.meta({ description: "the prompt" }),
  documents: z.array(DocumentSchema).meta({
    ...DOCUMENT_COUNT,
    description: `1 to ${LIMITS.rollouts_per_group_max} candidates: texts, or objects with a text`,
  }),
  top_n: z.int().min(0).nullish().meta({ description: "0 or absent: all" }),
  return_documents: flag,
  rank_fields: z
    .array(z.string())
    .nullish()
    .meta({ description: "of documents that are objects: the fields that make up the text" }),
  use_activation: flag.meta({ description: "false: the shaped reward as it is, instead of a score in 0..1" }),
  kritai: KritaiSchema,
});
type RerankRequest = z.output<typeof RerankRequestSchema>;

export const RerankReplySchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.object({
      index: z.int(),
      relevance_score: z.number(),
      document: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    tokens: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
    warnings: z.array(z.string()),
  }),
});
type RerankReply = z.output<typeof RerankReplySchema>;

/** Each document as text. Throws `invalid_request` for one without a text or over its limit. */
function documentTexts({ documents, rank_fields }: RerankRequest): string[] {
  const texts = documents.map((document) =>
    typeof document === "string" ? document : fieldsText(document, rank_fields ?? null),
  );
  return validAt(z.array(RolloutSchema.shape.text), texts, ["documents"]);
}

/**
 * With rank_fields: one `name: value` line for each that is there, a single named field as it is.
 * Else the field `text`, whatever it is: the schema judges it.
 */
function fieldsText(document: Record<string, unknown>, fields: readonly string[] | null): unknown {
  if (fields === null || fields.length === 0) return document.text;
  if (fields.length === 1) return document[fields[0] as string];
  const present = fields.filter((name) => typeof document[name] === "string");
  return present.length === 0 ? undefined : present.map((name) => `${name}: ${document[name]}`).join("\n");
}

/**
 * How a body with `documents` is read and told: the superset reply. Cohere's form, where it asks for
 * documents, gives an object back as it came; vLLM's always has both of a document's members.
 */
export const documentsDialect = (version: "1" | "2", isVllm: boolean) => ({
  schema: RerankRequestSchema,
  reply: RerankReplySchema,
  read(body: Record<string, unknown>) {
    const lists = { documents: "rollouts_per_group_max", rank_fields: "rollouts_per_group_max" } as const;
    const request = contractBody(RerankRequestSchema, body, lists);
    const { query, model = null, top_n = null, use_activation, documents, return_documents } = request;
    const texts = documentTexts(request);
    const documentOf = (index: number): Record<string, unknown> => {
      const given = documents[index];
      if (!isVllm && typeof given === "object") return given;
      return { text: texts[index], ...(isVllm && { multi_modal: null }) };
    };
    const withDocuments = isVllm || return_documents === true;
    return {
      ...{ field: "documents", query, texts, model, top_n, raw: use_activation === false },
      tell: ({ results, usage, warnings }: RankedDocuments, { id }: { id: string }): RerankReply => ({
        id,
        model: model ?? "default",
        results: results.map(({ index, score }) => ({
          ...{ index, relevance_score: score },
          ...(withDocuments && { document: documentOf(index) }),
        })),
        usage,
        meta: {
          api_version: { version },
          tokens: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
          warnings,
        },
      }),
    };
  },
});

const cohere = (version: "1" | "2") => textRoute(rankDocuments, () => documentsDialect(version, false));

export const cohereRerank: Contract = {
  name: "cohere_rerank",
  scope: "score",
  dialect: rerankers,
  // Cohere's SDKs.
  wait_ms: 300_000,
  content: [
    { at: "query", carrier: "text" },
    { at: "documents", carrier: "documents", of: "answer" },
  ],
  routes: [
    { method: "POST", path: "/v1/rerank", handler: cohere("1") },
    { method: "POST", path: "/v2/rerank", handler: cohere("2") },
  ],
};

export const EXAMPLE = { model: "default", query: QUESTION, documents: [WRONG, CORRECT], top_n: 1 };

/** For the document: what scores of documents are. */
export const scoresWords = () =>
  `Scores are shares of wins in 0..1. Documents that could not be judged are left out and named in \`meta.warnings\`; when none could, the request fails. At most ${LIMITS.rollouts_per_group_max} documents.`;

/** For the document: refusals of documents in fields. */
export const fieldsRefusal = () => refused("rank_fields names it", "documents\\[\\]", "string", "rank_fields");

const operation = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  description: `The query is the prompt, the documents are its candidates. ${scoresWords()}`,
  query: SharedOptionsSchema,
  request: RerankRequestSchema,
  reply: RerankReplySchema,
  example: EXAMPLE,
  refusals: [fieldsRefusal(), noChoice()],
});

export const page = /* @__PURE__ */ documented(cohereRerank, () => ({
  operations: {
    "POST /v1/rerank": operation("rerankV1", "Rank candidates: Cohere v1, Jina and vLLM clients"),
    "POST /v2/rerank": operation("rerankV2", "Rank candidates: Cohere v2 and vLLM clients"),
  },
  components: { RerankRequest: RerankRequestSchema, RerankReply: RerankReplySchema },
  rules: {
    RerankRequest: {
      ...when(
        not(has({ rank_fields: { type: "array", minItems: 1 } })),
        elements("documents", has({ text: { type: "string" } })),
      ),
      ...fields({ rank_fields: size("rollouts_per_group_max") }),
    },
  },
}));
