// Owns POST /rerank, which TEI and vLLM share: a body with `texts` is TEI's and gets a bare array,
// one with `documents` is vLLM's.

import * as z from "zod";
import { said } from "#said";
import { cohereRerank, documentsDialect, RerankReplySchema, RerankRequestSchema } from "./rerank.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers, tei, teiEmpty } from "./shared/dialects.ts";
import { fieldsRefusal, scoresWords, TextsSchema } from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

export const TeiRequestSchema = z.object({
  query: RerankRequestSchema.shape.query,
  texts: TextsSchema,
  raw_scores: z.boolean().nullish().meta(said("true: the shaped reward as it is, instead of a score in 0..1")),
  return_text: z.boolean().nullish(),
  kritai: KritaiSchema,
});
export const TeiReplySchema = z.array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() }));

const teiDialect = (given: Record<string, unknown>) => ({
  schema: TeiRequestSchema,
  reply: TeiReplySchema,
  speaks: Array.isArray(given.texts) && given.texts.length === 0 ? teiEmpty : tei,
  read(body: Record<string, unknown>) {
    const request = contractBody(TeiRequestSchema, body, { texts: "rollouts_per_group_max" });
    const { query, texts, raw_scores, return_text } = request;
    return {
      ...{ field: "texts", query, texts, model: null, top_n: null, raw: raw_scores === true },
      tell: ({ results }: RankedDocuments): z.output<typeof TeiReplySchema> =>
        results.map(({ index, score }) => ({
          ...{ index, score },
          ...(return_text === true && { text: texts[index] as string }),
        })),
    };
  },
});

/** Its faults may turn to TEI's. */
export const bareRerank: Contract = {
  name: "bare_rerank",
  scope: "score",
  dialect: rerankers,
  wait_ms: null,
  content: [...cohereRerank.content, { at: "texts", carrier: "text", of: "answer" }],
  routes: [
    {
      method: "POST",
      path: "/rerank",
      handler: textRoute(rankDocuments, (body) =>
        Object.hasOwn(body, "texts") ? teiDialect(body) : documentsDialect("2", true),
      ),
    },
  ],
};

export const EXAMPLE = { query: QUESTION, texts: [WRONG, CORRECT], return_text: false };

export const page = /* @__PURE__ */ documented(bareRerank, () => ({
  operations: {
    "POST /rerank": {
      operationId: "rerankBare",
      summary: "Rank candidates: TEI (`texts`) and vLLM (`documents`) clients",
      description: `A body with \`texts\` is answered with TEI's bare array, one with \`documents\` with vLLM's object. ${scoresWords()} For TEI the warnings are in the header \`X-Kritai-Warnings\`.`,
      query: SharedOptionsSchema,
      request: z.union([TeiRequestSchema, RerankRequestSchema]),
      reply: z.union([TeiReplySchema, RerankReplySchema]),
      example: EXAMPLE,
      // TEI tells of no choice by another status.
      refusals: [fieldsRefusal(), noChoice(), noChoice(424)],
    },
  },
  components: { TeiRequest: TeiRequestSchema },
}));
