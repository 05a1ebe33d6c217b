// Owns POST /mixedbread/v1/reranking: Mixedbread's reranker. Ranking: ranked-documents.ts.

import * as z from "zod";
import { said } from "#said";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import * as shared from "./shared/document-fields.ts";
import { UsageSchema } from "./shared/judging.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const RequestSchema = z.object({
  model: shared.ModelSchema,
  query: shared.QuerySchema,
  input: shared.DocumentsSchema,
  top_k: shared.TopSchema,
  return_input: z.boolean().nullish().meta(said("true: `input` of a result is the document")),
  rank_fields: shared.RankFieldsSchema,
  rewrite_query: z.boolean().nullish().meta(said("not read: a query stays as it is")),
  kritai: KritaiSchema,
});

export const MixedbreadReplySchema = z.object({
  object: z.literal("list"),
  model: z.string(),
  data: z.array(z.object({ index: z.int(), score: z.number(), input: z.unknown(), object: z.literal("rank_result") })),
  usage: UsageSchema,
  top_k: z.int().meta(said("as it was asked, else the number of documents")),
  return_input: z.boolean().meta(said("as it was asked")),
});

const dialect = {
  schema: RequestSchema,
  reply: MixedbreadReplySchema,
  read(body: Record<string, unknown>) {
    const lists = { input: "rollouts_per_group_max", rank_fields: "rollouts_per_group_max" } as const;
    const request = contractBody(RequestSchema, body, lists);
    const { query, input, model = null, top_k = null } = request;
    const return_input = request.return_input === true;
    const texts = shared.documentTexts("input", input, request.rank_fields ?? null);
    return {
      ...{ field: "input", query, texts, model, top_n: top_k, raw: false },
      tell: ({ results, usage }: RankedDocuments): z.output<typeof MixedbreadReplySchema> => ({
        object: "list",
        model: model ?? "default",
        data: results.map(({ index, score }) => ({
          ...{ index, score },
          input: return_input ? input[index] : null,
          object: "rank_result",
        })),
        usage,
        top_k: top_k ?? input.length,
        return_input,
      }),
    };
  },
};

export const mixedbreadRerank: Contract = {
  name: "mixedbread_rerank",
  scope: "score",
  dialect: rerankers,
  // Of the mixedbread client; `timeout=` changes it.
  wait_ms: 60_000,
  settable: true,
  content: [
    { at: "query", carrier: "text" },
    { at: "input", carrier: "documents", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/mixedbread/v1/reranking", handler: textRoute(rankDocuments, () => dialect) }],
};

export const EXAMPLE = { model: "default", query: QUESTION, input: [WRONG, CORRECT], top_k: 1, return_input: false };

export const page = /* @__PURE__ */ documented(mixedbreadRerank, () => ({
  operations: {
    "POST /mixedbread/v1/reranking": {
      operationId: "rerankMixedbread",
      summary: "Rank candidates: Mixedbread's clients",
      description: `The query is the prompt, \`input\` holds its candidates. ${shared.scoresAndHeader()}`,
      query: SharedOptionsSchema,
      request: RequestSchema,
      reply: MixedbreadReplySchema,
      example: EXAMPLE,
      refusals: [shared.fieldsRefusal("input"), noChoice()],
    },
  },
  components: { MixedbreadRequest: RequestSchema },
  rules: { MixedbreadRequest: shared.fieldsRule("input") },
}));
