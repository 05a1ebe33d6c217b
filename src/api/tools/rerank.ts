// Owns POST /v1/rerank and /v2/rerank: one body and one reply that Cohere, Jina and vLLM clients
// all read. Ranking: ranked-documents.ts.

import * as z from "zod";
import { said } from "#said";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import {
  DocumentsSchema,
  documentTexts,
  fieldsRefusal,
  fieldsRule,
  ModelSchema,
  QuerySchema,
  RankFieldsSchema,
  scoresWords,
  TopSchema,
} from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, type Operation, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const flag = z.boolean().nullish();

export const RerankRequestSchema = z.object({
  model: ModelSchema,
  query: QuerySchema,
  documents: DocumentsSchema,
  top_n: TopSchema,
  return_documents: flag,
  rank_fields: RankFieldsSchema,
  use_activation: flag.meta(said("false: the shaped reward as it is, instead of a score in 0..1")),
  kritai: KritaiSchema,
});

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
    const texts = documentTexts("documents", documents, request.rank_fields ?? null);
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
  // Cohere's SDKs, whose time-out is a setting.
  wait_ms: 300_000,
  settable: true,
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
  rules: { RerankRequest: fieldsRule() },
}));
