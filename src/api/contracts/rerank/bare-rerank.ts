// Owns POST /rerank, which TEI and vLLM share: a body with `texts` is TEI's and gets a bare array,
// one with `documents` is vLLM's.
import * as z from "zod";
import { RolloutSchema } from "../../../core/contract/requests.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { contractBody, objectBody } from "../body.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { rerankers, tei, teiEmpty } from "../dialects.ts";
import { CORRECT, QUESTION, WRONG } from "../example-texts.ts";
import { speak } from "../faults.ts";
import { SharedOptionsSchema } from "../options.ts";
import { documented } from "../page.ts";
import { noChoice } from "../refusal.ts";
import { rankDocuments, warningHeaders } from "./ranked-documents.ts";
import { KritaiSchema, rankingOptions } from "./ranking-options.ts";
import {
  cohereRerank,
  DOCUMENT_COUNT,
  documentsRequest,
  documentTexts,
  fieldsRefusal,
  RerankReplySchema,
  RerankRequestSchema,
  rerankReply,
  rerankRequest,
  scoresWords,
} from "./rerank.ts";

export const TeiRequestSchema = z.object({
  query: RerankRequestSchema.shape.query,
  texts: z.array(RolloutSchema.shape.text).meta({
    ...DOCUMENT_COUNT,
    description: `1 to ${LIMITS.rollouts_per_group_max} candidates; never cut, whatever truncate says`,
  }),
  raw_scores: z
    .boolean()
    .nullish()
    .meta({ description: "true: the shaped reward as it is, instead of a score in 0..1" }),
  return_text: z.boolean().nullish(),
  kritai: KritaiSchema,
});
export const TeiReplySchema = z.array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() }));

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const body = objectBody(await readJson(c.req.raw));
    return Object.hasOwn(body, "texts") ? teiRerank(c, deps, body) : vllmRerank(c, deps, body);
  };
}

async function teiRerank(c: AppContext, deps: RouteDeps, body: Record<string, unknown>): Promise<Response> {
  speak(c, Array.isArray(body.texts) && body.texts.length === 0 ? teiEmpty : tei);
  const { query, texts, raw_scores, return_text } = contractBody(TeiRequestSchema, shownBody(c, bareRerank, body), {
    texts: "rollouts_per_group_max",
  });
  const asked = { query, texts, model: null, top_n: null, raw: raw_scores === true } as const;
  const options = rankingOptions(c, body, TeiRequestSchema);
  const ranked = rankDocuments(c, deps, { ...asked, contract: bareRerank, field: "texts", options });
  const told = ranked.then(({ results, warnings }) => ({
    value: results.map(({ index, score }) => ({ index, score, ...(return_text === true && { text: texts[index] }) })),
    headers: warningHeaders(warnings),
  }));
  return answerJson(c, deps, told, TeiReplySchema);
}

async function vllmRerank(c: AppContext, deps: RouteDeps, body: Record<string, unknown>): Promise<Response> {
  const request = rerankRequest(shownBody(c, bareRerank, body));
  const texts = documentTexts(request);
  const options = rankingOptions(c, body, RerankRequestSchema);
  const asked = { ...documentsRequest(request, texts), contract: bareRerank, field: "documents", options };
  const told = rankDocuments(c, deps, asked).then((ranked) => ({
    value: rerankReply(c.get("scope").id, "2", request, texts, ranked, "vllm"),
    headers: warningHeaders(ranked.warnings),
  }));
  return answerJson(c, deps, told, RerankReplySchema);
}

/** Its faults may turn to TEI's. */
export const bareRerank: Contract = {
  name: "bare_rerank",
  scope: "score",
  dialect: rerankers,
  wait_ms: null,
  content: [...cohereRerank.content, { at: "texts", carrier: "text", of: "answer" }],
  routes: [{ method: "POST", path: "/rerank", handler: route }],
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
