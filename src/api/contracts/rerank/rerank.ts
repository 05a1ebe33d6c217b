// Owns POST /v1/rerank and /v2/rerank: one body and one reply that Cohere, Jina and vLLM clients
// all read. Ranking: ranked-documents.ts.
import * as z from "zod";
import { GroupSchema, RolloutSchema } from "../../../core/contract/requests.ts";
import { fieldErrors } from "../../../core/faults/field-errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { contractBody, type ListLimits } from "../body.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { rerankers } from "../dialects.ts";
import { CORRECT, QUESTION, WRONG } from "../example-texts.ts";
import { SharedOptionsSchema } from "../options.ts";
import { documented, type Operation } from "../page.ts";
import { noChoice, refused } from "../refusal.ts";
import { elements, fields, has, not, size, when } from "../schema-rule.ts";
import { type DocumentsRequest, type RankedDocuments, rankDocuments, warningHeaders } from "./ranked-documents.ts";
import { KritaiSchema, rankingOptions } from "./ranking-options.ts";

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

const LISTS: ListLimits = { documents: "rollouts_per_group_max", rank_fields: "rollouts_per_group_max" };

/** The request of a Cohere, Jina or vLLM client. Throws `invalid_request`. */
export function rerankRequest(body: Record<string, unknown>): RerankRequest {
  return contractBody(RerankRequestSchema, body, LISTS);
}

/** Each document as text. Throws `invalid_request` for one without a text or over its limit. */
export function documentTexts({ documents, rank_fields }: Pick<RerankRequest, "documents" | "rank_fields">): string[] {
  const texts = documents.map((document) =>
    typeof document === "string" ? document : fieldsText(document, rank_fields ?? null),
  );
  const parsed = z.array(RolloutSchema.shape.text).safeParse(texts);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, texts, ["documents"]));
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

type DocumentForm = "never" | "cohere" | "vllm";

/**
 * The superset reply. Cohere's form gives an object back as it came; vLLM's always has both of its
 * members.
 */
export function rerankReply(
  id: string,
  version: string,
  request: RerankRequest,
  texts: readonly string[],
  { results, usage, warnings }: RankedDocuments,
  form: DocumentForm,
): RerankReply {
  const documentOf = (index: number): Record<string, unknown> => {
    const given = request.documents[index];
    if (form === "cohere" && typeof given === "object") return given;
    return { text: texts[index], ...(form === "vllm" && { multi_modal: null }) };
  };
  return {
    id,
    model: request.model ?? "default",
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(form !== "never" && { document: documentOf(index) }),
    })),
    usage,
    meta: {
      api_version: { version },
      tokens: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
      warnings,
    },
  };
}

/** What ranking needs of a request. */
export function documentsRequest(
  request: RerankRequest,
  texts: string[],
): Omit<DocumentsRequest, "contract" | "field" | "options"> {
  const { query, model = null, top_n = null, use_activation } = request;
  return { query, texts, model, top_n, raw: use_activation === false };
}

function rerank(deps: RouteDeps, version: "1" | "2") {
  return async (c: AppContext): Promise<Response> => {
    const body = shownBody(c, cohereRerank, await readJson(c.req.raw));
    const request = rerankRequest(body);
    const texts = documentTexts(request);
    const options = rankingOptions(c, body, RerankRequestSchema);
    const asked = { ...documentsRequest(request, texts), contract: cohereRerank, field: "documents", options };
    const form = request.return_documents === true ? "cohere" : "never";
    const told = rankDocuments(c, deps, asked).then((ranked) => ({
      value: rerankReply(c.get("scope").id, version, request, texts, ranked, form),
      headers: warningHeaders(ranked.warnings),
    }));
    return answerJson(c, deps, told, RerankReplySchema);
  };
}

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
    { method: "POST", path: "/v1/rerank", handler: (deps) => rerank(deps, "1") },
    { method: "POST", path: "/v2/rerank", handler: (deps) => rerank(deps, "2") },
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
      ...fields({ rank_fields: size(LIMITS.rollouts_per_group_max) }),
    },
  },
}));
