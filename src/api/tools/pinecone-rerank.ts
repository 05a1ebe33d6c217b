// Owns POST /pinecone/rerank: Pinecone's inference rerank. Ranking: ranked-documents.ts.

import * as z from "zod";
import { said } from "#said";
import { type Contract, contractBody } from "./shared/contract.ts";
import { pinecone } from "./shared/dialects.ts";
import * as shared from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const RequestSchema = z.object({
  model: shared.ModelSchema,
  query: shared.QuerySchema,
  documents: shared.DocumentsSchema,
  top_n: shared.TopSchema,
  return_documents: z.boolean().nullish().meta(said("default true")),
  rank_fields: shared.RankFieldsSchema,
  kritai: KritaiSchema,
});

export const PineconeReplySchema = z.object({
  model: z.string(),
  data: z.array(
    z.object({ index: z.int(), score: z.number(), document: z.record(z.string(), z.unknown()).optional() }),
  ),
  usage: z.object({
    rerank_units: z.literal(1).meta(said("Pinecone's unit: a query and up to 100 documents")),
  }),
});

const dialect = {
  schema: RequestSchema,
  reply: PineconeReplySchema,
  read(body: Record<string, unknown>) {
    const lists = { documents: "rollouts_per_group_max", rank_fields: "rollouts_per_group_max" } as const;
    const request = contractBody(RequestSchema, body, lists);
    const { query, documents, model = null, top_n = null, return_documents } = request;
    const texts = shared.documentTexts("documents", documents, request.rank_fields ?? null);
    const documentOf = (index: number): Record<string, unknown> => {
      const given = documents[index];
      return typeof given === "object" ? given : { text: texts[index] };
    };
    return {
      ...{ field: "documents", query, texts, model, top_n, raw: false },
      tell: ({ results }: RankedDocuments): z.output<typeof PineconeReplySchema> => ({
        model: model ?? "default",
        data: results.map(({ index, score }) => ({
          ...{ index, score },
          ...(return_documents !== false && { document: documentOf(index) }),
        })),
        usage: { rerank_units: 1 },
      }),
    };
  },
};

export const pineconeRerank: Contract = {
  name: "pinecone_rerank",
  scope: "score",
  dialect: pinecone,
  // Of the pinecone client; `timeout=` changes it.
  wait_ms: 30_000,
  settable: true,
  content: [
    { at: "query", carrier: "text" },
    { at: "documents", carrier: "documents", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/pinecone/rerank", handler: textRoute(rankDocuments, () => dialect) }],
};

export const EXAMPLE = {
  ...{ model: "default", query: QUESTION, top_n: 1, return_documents: true },
  documents: [
    { id: "a", text: WRONG },
    { id: "b", text: CORRECT },
  ],
};

export const page = /* @__PURE__ */ documented(pineconeRerank, () => ({
  operations: {
    "POST /pinecone/rerank": {
      operationId: "rerankPinecone",
      summary: "Rank candidates: Pinecone's clients",
      description: `The query is the prompt, the documents are its candidates. ${shared.scoresAndHeader()}`,
      query: SharedOptionsSchema,
      request: RequestSchema,
      reply: PineconeReplySchema,
      example: EXAMPLE,
      refusals: [shared.fieldsRefusal(), noChoice()],
    },
  },
  components: { PineconeRequest: RequestSchema },
  rules: { PineconeRequest: shared.fieldsRule() },
}));
