// Owns POST /infinity/rerank: Infinity's reranker, as infinity_client and LangChain call it.
// Ranking: ranked-documents.ts.

import * as z from "zod";
import { said } from "#said";
import { type Contract, contractBody } from "./shared/contract.ts";
import { infinity } from "./shared/dialects.ts";
import { ModelSchema, QuerySchema, scoresAndHeader, TextsSchema, TopSchema } from "./shared/document-fields.ts";
import { UsageSchema } from "./shared/judging.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const RequestSchema = z.object({
  model: ModelSchema,
  query: QuerySchema,
  documents: TextsSchema,
  top_n: TopSchema,
  return_documents: z.boolean().nullish(),
  raw_scores: z.boolean().nullish().meta(said("true: the shaped reward as it is, instead of a score in 0..1")),
  kritai: KritaiSchema,
});

export const InfinityReplySchema = z.object({
  object: z.literal("rerank"),
  results: z.array(z.object({ relevance_score: z.number(), index: z.int(), document: z.string().nullable() })),
  model: z.string(),
  usage: UsageSchema.omit({ completion_tokens: true }),
  id: z.string(),
  created: z.int(),
});

const dialect = {
  schema: RequestSchema,
  reply: InfinityReplySchema,
  read(body: Record<string, unknown>) {
    const request = contractBody(RequestSchema, body, { documents: "rollouts_per_group_max" });
    const { query, documents: texts, model = null, top_n = null, return_documents, raw_scores } = request;
    return {
      ...{ field: "documents", query, texts, model, top_n, raw: raw_scores === true },
      tell: (
        { results, usage: { prompt_tokens, total_tokens } }: RankedDocuments,
        { id, created }: { id: string; created: number },
      ): z.output<typeof InfinityReplySchema> => ({
        object: "rerank",
        results: results.map(({ index, score }) => ({
          ...{ relevance_score: score, index },
          document: return_documents === true ? (texts[index] as string) : null,
        })),
        model: model ?? "default",
        usage: { prompt_tokens, total_tokens },
        ...{ id, created },
      }),
    };
  },
};

export const infinityRerank: Contract = {
  name: "infinity_rerank",
  scope: "score",
  dialect: infinity,
  wait_ms: null,
  content: [
    { at: "query", carrier: "text" },
    { at: "documents", carrier: "text", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/infinity/rerank", handler: textRoute(rankDocuments, () => dialect) }],
};

export const EXAMPLE = { model: "default", query: QUESTION, documents: [WRONG, CORRECT], return_documents: false };

export const page = /* @__PURE__ */ documented(infinityRerank, () => ({
  operations: {
    "POST /infinity/rerank": {
      operationId: "rerankInfinity",
      summary: "Rank candidates: Infinity's clients",
      description: `The query is the prompt, the documents are its candidates. ${scoresAndHeader()} A fault of the request is 422 with \`detail\` as a list, as of a FastAPI server.`,
      query: SharedOptionsSchema,
      request: RequestSchema,
      reply: InfinityReplySchema,
      example: EXAMPLE,
      refusals: [noChoice()],
    },
  },
}));
