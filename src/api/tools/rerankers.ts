// Routes and reference pages for the reranker APIs of other vendors. The request and reply formats are in
// shared/reranker-rows.ts.
import * as z from "zod";
import { said } from "#said";
import { ApiError } from "../../core/faults/errors.ts";
import type { Contract } from "./shared/contract.ts";
import { teiEmpty } from "./shared/dialects.ts";
import { fieldsRefusal, fieldsRule, scoresAndHeader, scoresWords } from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, type ContractPage, documented, noChoice, type Operation, QUESTION, WRONG } from "./shared/page.ts";
import { type RerankerRow, rankingRoute } from "./shared/reranker.ts";
import { RERANKERS } from "./shared/reranker-rows.ts";
import { info, TeiInfoSchema } from "./shared/tei-info.ts";

/** Builds one contract from the rows that share a metric name and settings. The first row has the settings. */
const contractOf = (name: string, row: RerankerRow, ...others: RerankerRow[]): Contract => ({
  name,
  scope: "score",
  dialect: row.speaks,
  wait_ms: row.wait_ms,
  ...(row.wait_ms !== null && { settable: true as const }),
  content: row.content,
  routes: [row, ...others].map((reranker) => ({
    method: "POST",
    path: reranker.path,
    handler: rankingRoute(() => reranker),
  })),
});

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

/**
 * The path `/rerank` is used by both TEI and vLLM. A body with `texts` is handled, and errors are reported,
 * as TEI does; a body with `documents` as vLLM does.
 */
const bare: Contract = {
  ...contractOf("bare_rerank", RERANKERS.vllm),
  content: [...RERANKERS.vllm.content, { at: "texts", carrier: "text", side: "answer" }],
  routes: [
    {
      method: "POST",
      path: RERANKERS.tei.path,
      handler: rankingRoute(({ texts }) => {
        if (texts == null) return RERANKERS.vllm;
        return isEmpty(texts) ? { ...RERANKERS.tei, speaks: teiEmpty } : RERANKERS.tei;
      }),
    },
    { method: "GET", path: "/info", access: "public", dialect: null, handler: info },
  ],
};

/** The verb at the end of a ranking configuration's name. */
const RANK = /:rank$/;
const NO_VERB = "A ranking configuration supports only the verb `:rank`.";

const vertex: Contract = {
  ...contractOf("vertex_rank", RERANKERS.vertex),
  routes: [
    {
      method: "POST",
      path: RERANKERS.vertex.path,
      handler: (deps, contract) => {
        const rank = rankingRoute(() => RERANKERS.vertex)(deps, contract);
        return async (c) => {
          if (!RANK.test(c.req.param("config") ?? "")) throw new ApiError("not_found", NO_VERB);
          return rank(c);
        };
      },
    },
  ],
};

export const RERANK_CONTRACTS: readonly Contract[] = [
  contractOf("cohere_rerank", RERANKERS.cohere_v1, RERANKERS.cohere_v2),
  bare,
  contractOf("voyage_rerank", RERANKERS.voyage),
  contractOf("infinity_rerank", RERANKERS.infinity),
  contractOf("pinecone_rerank", RERANKERS.pinecone),
  contractOf("mixedbread_rerank", RERANKERS.mixedbread),
  vertex,
];

const asked = { model: "default", query: QUESTION };
const answers = [WRONG, CORRECT];

export const RERANK_EXAMPLES = {
  rerank: { ...asked, documents: answers, top_n: 1 },
  tei: { query: QUESTION, texts: answers, return_text: false },
  voyage: { ...asked, documents: answers, top_k: 1, truncation: true },
  infinity: { ...asked, documents: answers, return_documents: false },
  pinecone: {
    ...asked,
    top_n: 1,
    return_documents: true,
    documents: [
      { id: "a", text: WRONG },
      { id: "b", text: CORRECT },
    ],
  },
  mixedbread: { ...asked, input: answers, top_k: 1, return_input: false },
  vertex: {
    ...asked,
    topN: 1,
    records: [
      { id: "a", content: WRONG },
      { id: "b", content: CORRECT },
    ],
  },
};

/**
 * The reference page for a reranker row.
 * @param named name of the schema component for the request body, which gets the rule about document fields
 */
function pageOfRow(
  row: RerankerRow,
  words: Pick<Operation, "operationId" | "summary" | "example"> & Partial<Operation>,
  named?: string,
): ContractPage {
  const refusals = row.carrier === "documents" ? [fieldsRefusal(row.list), noChoice()] : [noChoice()];
  const description = `The query is the prompt, and the documents are its candidates. ${scoresAndHeader()}`;
  const operation = {
    description,
    query: SharedOptionsSchema,
    request: row.schema,
    reply: row.reply,
    vendor_types: true as const,
    refusals,
    ...words,
  };
  const operations = { [`POST ${row.path}`]: operation };
  if (named === undefined) return { operations };
  return { operations, components: { [named]: row.schema }, rules: { [named]: fieldsRule(row.list) } };
}

/** The page for both versions of Cohere's route. */
function coherePage(): ContractPage {
  const words = {
    description: `The query is the prompt, and the documents are its candidates. ${scoresWords()}`,
    example: RERANK_EXAMPLES.rerank,
  };
  const v1 = { operationId: "rerankV1", summary: "Rank candidates: Cohere v1, Jina and vLLM clients", ...words };
  const v2 = { operationId: "rerankV2", summary: "Rank candidates: Cohere v2 and vLLM clients", ...words };
  const page = pageOfRow(RERANKERS.cohere_v1, v1, "RerankRequest");
  return {
    ...page,
    operations: { ...page.operations, ...pageOfRow(RERANKERS.cohere_v2, v2).operations },
    components: { ...page.components, RerankReply: RERANKERS.vllm.reply },
  };
}

/** The page for both forms of `/rerank`, and for TEI's `/info`. */
function barePage(): ContractPage {
  const { tei, vllm } = RERANKERS;
  const { operations } = pageOfRow(vllm, {
    operationId: "rerankBare",
    summary: "Rank candidates: TEI (`texts`) and vLLM (`documents`) clients",
    description: `A body with \`texts\` returns TEI's bare array; a body with \`documents\` returns vLLM's object. ${scoresWords()} For TEI clients, warnings are in the header \`X-Kritai-Warnings\`.`,
    request: z.union([tei.schema, vllm.schema]),
    reply: z.union([tei.reply, vllm.reply]),
    example: RERANK_EXAMPLES.tei,
    // In TEI's dialect, the error for an answer without a choice has status 424.
    refusals: [fieldsRefusal(), noChoice(), noChoice(424)],
  });
  const infoWords = {
    operationId: "teiInfo",
    summary: "Limits that TEI's clients read before they rank",
    reply: TeiInfoSchema,
  };
  return {
    operations: { ...operations, "GET /info": infoWords },
    components: { TeiRequest: tei.schema, VllmRerankRequest: vllm.schema },
  };
}

/** The reference page of each contract, in the order of RERANK_CONTRACTS. */
const PAGES: readonly (() => ContractPage)[] = [
  coherePage,
  barePage,
  () =>
    pageOfRow(RERANKERS.voyage, {
      operationId: "rerankVoyage",
      summary: "Rank candidates: Voyage AI's clients",
      example: RERANK_EXAMPLES.voyage,
    }),
  () =>
    pageOfRow(RERANKERS.infinity, {
      operationId: "rerankInfinity",
      summary: "Rank candidates: Infinity's clients",
      description: `The query is the prompt, and the documents are its candidates. ${scoresAndHeader()} An invalid request returns 422 with \`detail\` as a list, like a FastAPI server.`,
      example: RERANK_EXAMPLES.infinity,
    }),
  () =>
    pageOfRow(
      RERANKERS.pinecone,
      {
        operationId: "rerankPinecone",
        summary: "Rank candidates: Pinecone's clients",
        example: RERANK_EXAMPLES.pinecone,
      },
      "PineconeRequest",
    ),
  () =>
    pageOfRow(
      RERANKERS.mixedbread,
      {
        operationId: "rerankMixedbread",
        summary: "Rank candidates: Mixedbread's clients",
        description: `The query is the prompt, and \`input\` contains its candidates. ${scoresAndHeader()}`,
        example: RERANK_EXAMPLES.mixedbread,
      },
      "MixedbreadRequest",
    ),
  () =>
    pageOfRow(RERANKERS.vertex, {
      operationId: "rankVertex",
      summary: "Rank candidates: Vertex AI's ranking API",
      description: `The query is the prompt, and the records are its candidates: each record's content, preceded by its title unless the content begins with the title. ${scoresAndHeader()}`,
      example: RERANK_EXAMPLES.vertex,
      path: z.object({
        project: z.string().meta(said("any value")),
        location: z.string().meta(said("any value")),
        config: z.string().regex(RANK).meta(said("any name, followed by `:rank`")),
      }),
    }),
];

export const pages = /* @__PURE__ */ RERANK_CONTRACTS.map((contract, i) =>
  documented(contract, PAGES[i] as () => ContractPage),
);
