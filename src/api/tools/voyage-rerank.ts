// Owns POST /voyage/v1/rerank: Voyage AI's reranker, as its client, LiteLLM and rerankers call it.
// Ranking: ranked-documents.ts.

import * as z from "zod";
import { said } from "#said";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import { ModelSchema, QuerySchema, scoresAndHeader, TextsSchema, TopSchema } from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const RequestSchema = z.object({
  model: ModelSchema,
  query: QuerySchema,
  documents: TextsSchema,
  top_k: TopSchema,
  return_documents: z.boolean().nullish(),
  truncation: z.boolean().nullish().meta(said("not read: nothing is ever cut")),
  kritai: KritaiSchema,
});

export const VoyageReplySchema = z.object({
  object: z.literal("list"),
  data: z.array(z.object({ index: z.int(), relevance_score: z.number(), document: z.string().optional() })),
  model: z.string(),
  usage: z.object({ total_tokens: z.int() }),
});

const dialect = {
  schema: RequestSchema,
  reply: VoyageReplySchema,
  read(body: Record<string, unknown>) {
    const request = contractBody(RequestSchema, body, { documents: "rollouts_per_group_max" });
    const { query, documents: texts, model = null, top_k = null, return_documents } = request;
    return {
      ...{ field: "documents", query, texts, model, top_n: top_k, raw: false },
      tell: ({ results, usage }: RankedDocuments): z.output<typeof VoyageReplySchema> => ({
        object: "list",
        data: results.map(({ index, score }) => ({
          ...{ index, relevance_score: score },
          ...(return_documents === true && { document: texts[index] as string }),
        })),
        model: model ?? "default",
        usage: { total_tokens: usage.total_tokens },
      }),
    };
  },
};

export const voyageRerank: Contract = {
  name: "voyage_rerank",
  scope: "score",
  dialect: rerankers,
  // Of the voyageai client; `timeout=` changes it.
  wait_ms: 600_000,
  settable: true,
  content: [
    { at: "query", carrier: "text" },
    { at: "documents", carrier: "text", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/voyage/v1/rerank", handler: textRoute(rankDocuments, () => dialect) }],
};

export const EXAMPLE = { model: "default", query: QUESTION, documents: [WRONG, CORRECT], top_k: 1, truncation: true };

export const page = /* @__PURE__ */ documented(voyageRerank, () => ({
  operations: {
    "POST /voyage/v1/rerank": {
      operationId: "rerankVoyage",
      summary: "Rank candidates: Voyage AI's clients",
      description: `The query is the prompt, the documents are its candidates. ${scoresAndHeader()}`,
      query: SharedOptionsSchema,
      request: RequestSchema,
      reply: VoyageReplySchema,
      example: EXAMPLE,
      refusals: [noChoice()],
    },
  },
}));
