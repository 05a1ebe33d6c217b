// Owns Vertex AI's ranking API, `rankingConfigs/*:rank` of Google's Discovery Engine. Ranking:
// ranked-documents.ts.
import * as z from "zod";
import { said } from "#said";
import { RolloutTextSchema } from "../../core/contract/requests.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { validAt } from "../door/validation.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { google } from "./shared/dialects.ts";
import { DOCUMENT_COUNT, ModelSchema, QuerySchema, scoresAndHeader, TopSchema } from "./shared/document-fields.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, noChoice, QUESTION, WRONG } from "./shared/page.ts";
import { type RankedDocuments, rankDocuments } from "./shared/ranked-documents.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { textRoute } from "./shared/text-route.ts";

const RecordSchema = z.object({
  id: z.string().optional(),
  title: z.string().nullish(),
  content: z.string().nullish(),
});

const RequestSchema = z.object({
  model: ModelSchema,
  query: QuerySchema,
  records: z.array(RecordSchema).meta({ ...DOCUMENT_COUNT, ...said("the candidates: content, title or both") }),
  topN: TopSchema,
  ignoreRecordDetailsInResponse: z.boolean().nullish().meta(said("true: only ids and scores are told")),
  kritai: KritaiSchema,
});

export const VertexReplySchema = z.object({
  records: z
    .array(
      z.object({
        id: z.string().optional(),
        title: z.string().optional(),
        content: z.string().optional(),
        score: z.number(),
      }),
    )
    .meta(said("best first")),
});

/** How a configuration's name ends where it is to rank. */
const RANK = /:rank$/;
const NO_VERB = "Of a ranking configuration there is :rank alone.";

const spaced = (text: string) => text.trim().split(/\s+/).join(" ");

/** A title is judged with the content unless the content begins with it, as LiteLLM's titles do. */
function recordText({ title, content }: z.output<typeof RecordSchema>): string {
  const [head, body] = [title ?? "", content ?? ""];
  if (head === "" || body === "") return head + body;
  return spaced(body.slice(0, 4 * head.length + 64)).startsWith(spaced(head)) ? body : `${head}\n\n${body}`;
}

const dialect = {
  schema: RequestSchema,
  reply: VertexReplySchema,
  read(body: Record<string, unknown>) {
    const request = contractBody(RequestSchema, body, { records: "rollouts_per_group_max" });
    const { query, records, model = null, topN = null, ignoreRecordDetailsInResponse } = request;
    const texts = validAt(z.array(RolloutTextSchema), records.map(recordText), ["records"]);
    return {
      ...{ field: "records", query, texts, model, top_n: topN, raw: false },
      tell: ({ results }: RankedDocuments): z.output<typeof VertexReplySchema> => ({
        records: results.map(({ index, score }) => {
          const { id, title, content } = records[index] as z.output<typeof RecordSchema>;
          const details = ignoreRecordDetailsInResponse !== true;
          return {
            ...(id !== undefined && { id }),
            ...(details && typeof title === "string" && { title }),
            ...(details && typeof content === "string" && { content }),
            score,
          };
        }),
      }),
    };
  },
};

export const vertexRank: Contract = {
  name: "vertex_rank",
  scope: "score",
  dialect: google,
  wait_ms: null,
  content: [
    { at: "query", carrier: "text" },
    { at: "records[].title", carrier: "text", of: "answer" },
    { at: "records[].content", carrier: "text", of: "answer" },
    { at: "records", carrier: "rows", of: "answer" },
  ],
  routes: [
    {
      method: "POST",
      path: "/v1/projects/:project/locations/:location/rankingConfigs/:config",
      handler: (deps, contract) => {
        const rank = textRoute(rankDocuments, () => dialect)(deps, contract);
        return async (c) => {
          if (!RANK.test(c.req.param("config") ?? "")) throw new ApiError("not_found", NO_VERB);
          return rank(c);
        };
      },
    },
  ],
};

export const EXAMPLE = {
  ...{ model: "default", query: QUESTION, topN: 1 },
  records: [
    { id: "a", content: WRONG },
    { id: "b", content: CORRECT },
  ],
};

export const page = /* @__PURE__ */ documented(vertexRank, () => ({
  operations: {
    "POST /v1/projects/:project/locations/:location/rankingConfigs/:config": {
      operationId: "rankVertex",
      summary: "Rank candidates: Vertex AI's ranking API",
      description: `The query is the prompt, the records are its candidates: the content, behind the title where it does not begin with it. ${scoresAndHeader()}`,
      query: SharedOptionsSchema,
      path: z.object({
        project: z.string().meta(said("any")),
        location: z.string().meta(said("any")),
        config: z.string().regex(RANK).meta(said("any name, and `:rank`")),
      }),
      request: RequestSchema,
      reply: VertexReplySchema,
      example: EXAMPLE,
      refusals: [noChoice()],
    },
  },
}));
