// Table of reranker APIs (Cohere, Jina, vLLM, TEI, Voyage, Infinity, Pinecone, Mixedbread and Vertex AI): how
// to parse each request and format each reply, so that the vendors' SDKs work unchanged. The routes are in
// ../rerankers.ts.
import * as z from "zod";
import { said } from "#said";
import { RolloutTextSchema } from "../../../core/contract/group.ts";
import { validAt } from "../../door/validation.ts";
import * as dialects from "./dialects.ts";
import * as shared from "./document-fields.ts";
import { UsageSchema } from "./judging.ts";
import { KritaiSchema } from "./ranking-options.ts";
import { reranker } from "./reranker.ts";

const flag = z.boolean().nullish();
const raw = flag.meta(said("true: returns the unscaled shaped reward instead of a score in 0..1"));
const { ModelSchema: model, QuerySchema: query, TopSchema: top } = shared;
const score = z.number();

/** A document as an object; a string becomes the object's `text`. */
const objectOf = (document: unknown, text: string): Record<string, unknown> =>
  typeof document === "object" ? (document as Record<string, unknown>) : { text };

const CohereSchema = z.object({
  model,
  query,
  documents: shared.DocumentsSchema,
  top_n: top,
  return_documents: flag,
  rank_fields: shared.RankFieldsSchema,
  use_activation: flag.meta(said("false: returns the unscaled shaped reward instead of a score in 0..1")),
  kritai: KritaiSchema,
});
const VllmSchema = CohereSchema.extend({ top_n: shared.TopOrAllSchema });

const CohereReplySchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.object({ index: z.int(), relevance_score: score, document: z.record(z.string(), z.unknown()).optional() }),
  ),
  usage: UsageSchema,
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    tokens: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
    warnings: z.array(z.string()),
  }),
});

/**
 * A row in the format that clients of Cohere, Jina and vLLM all understand. For vLLM, replies always include
 * the documents, with both of their members.
 */
const cohereRow = (path: string, version: "1" | "2", isVllm: boolean) =>
  reranker({
    path,
    faults: dialects.rerankers,
    // Default timeout of Cohere's SDKs.
    wait_ms: isVllm ? null : 300_000,
    list: "documents",
    carrier: "documents",
    body: isVllm ? VllmSchema : CohereSchema,
    reply: CohereReplySchema,
    prepare: (body) => (Array.isArray(body.documents) ? body : shared.withPartsAsTexts(body, ["documents"])),
    read: ({ documents, rank_fields = null, top_n, use_activation }) => ({
      texts: shared.documentTexts("documents", documents, rank_fields),
      top: top_n,
      raw: use_activation === false,
    }),
    toReply: ({ id, model, results, usage, warnings }, { documents, return_documents }) => ({
      id,
      model,
      results: results.map(({ index, score, text }) => {
        const document = isVllm ? { text, multi_modal: null } : objectOf(documents[index], text);
        return { index, relevance_score: score, ...((isVllm || return_documents === true) && { document }) };
      }),
      usage,
      meta: {
        api_version: { version },
        tokens: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
        warnings,
      },
    }),
  });

const RecordSchema = z.object({
  id: z.string().optional(),
  title: z.string().nullish(),
  content: z.string().nullish(),
});

const spaced = (text: string) => text.trim().split(/\s+/).join(" ");

/**
 * The title followed by the content. If the content already starts with the title, as in LiteLLM's records,
 * the title is not repeated.
 */
function recordText({ title, content }: z.output<typeof RecordSchema>): string {
  const [head, body] = [title ?? "", content ?? ""];
  if (head === "" || body === "") return head + body;
  return spaced(body.slice(0, 4 * head.length + 64)).startsWith(spaced(head)) ? body : `${head}\n\n${body}`;
}

export const RERANKERS = {
  cohere_v1: cohereRow("/v1/rerank", "1", false),
  cohere_v2: cohereRow("/v2/rerank", "2", false),
  vllm: cohereRow("/rerank", "2", true),
  tei: reranker({
    path: "/rerank",
    faults: dialects.tei,
    wait_ms: null,
    list: "texts",
    carrier: "text",
    body: z.object({ query, texts: shared.TextsSchema, raw_scores: raw, return_text: flag, kritai: KritaiSchema }),
    reply: z.array(z.object({ index: z.int(), score, text: z.string().optional() })),
    read: ({ texts, raw_scores }) => ({ texts, raw: raw_scores === true }),
    toReply: ({ results }, { return_text }) =>
      results.map(({ index, score, text }) => ({ index, score, ...(return_text === true && { text }) })),
  }),
  voyage: reranker({
    path: "/voyage/v1/rerank",
    faults: dialects.rerankers,
    wait_ms: 600_000,
    list: "documents",
    carrier: "text",
    body: z.object({
      model,
      query,
      documents: shared.TextsSchema,
      top_k: top,
      return_documents: flag,
      truncation: flag.meta(said("ignored; texts are never truncated")),
      kritai: KritaiSchema,
    }),
    reply: z.object({
      object: z.literal("list"),
      data: z.array(z.object({ index: z.int(), relevance_score: score, document: z.string().optional() })),
      model: z.string(),
      usage: z.object({ total_tokens: z.int() }),
    }),
    read: ({ documents: texts, top_k }) => ({ texts, top: top_k }),
    toReply: ({ results, model, usage: { total_tokens } }, { return_documents }) => ({
      object: "list" as const,
      data: results.map(({ index, score, text }) => ({
        index,
        relevance_score: score,
        ...(return_documents === true && { document: text }),
      })),
      model,
      usage: { total_tokens },
    }),
  }),
  infinity: reranker({
    path: "/infinity/rerank",
    faults: dialects.infinity,
    wait_ms: null,
    list: "documents",
    carrier: "text",
    body: z.object({
      model,
      query,
      documents: shared.TextsSchema,
      top_n: top,
      return_documents: flag,
      raw_scores: raw,
      kritai: KritaiSchema,
    }),
    reply: z.object({
      object: z.literal("rerank"),
      results: z.array(z.object({ relevance_score: score, index: z.int(), document: z.string().nullable() })),
      model: z.string(),
      usage: UsageSchema.omit({ completion_tokens: true }),
      id: z.string(),
      created: z.int(),
    }),
    read: ({ documents: texts, top_n, raw_scores }) => ({ texts, top: top_n, raw: raw_scores === true }),
    toReply: ({ results, model, usage: { prompt_tokens, total_tokens }, id, created }, { return_documents }) => ({
      object: "rerank" as const,
      results: results.map(({ index, score, text }) => ({
        relevance_score: score,
        index,
        document: return_documents === true ? text : null,
      })),
      model,
      usage: { prompt_tokens, total_tokens },
      id,
      created,
    }),
  }),
  pinecone: reranker({
    path: "/pinecone/rerank",
    faults: dialects.pinecone,
    wait_ms: 30_000,
    list: "documents",
    carrier: "documents",
    body: z.object({
      model,
      query,
      documents: shared.DocumentsSchema,
      top_n: top,
      return_documents: flag.meta(said("whether results include the document; default: true")),
      rank_fields: shared.RankFieldsSchema,
      kritai: KritaiSchema,
    }),
    reply: z.object({
      model: z.string(),
      data: z.array(z.object({ index: z.int(), score, document: z.record(z.string(), z.unknown()).optional() })),
      usage: z.object({
        rerank_units: z.literal(1).meta(said("Pinecone's unit: one query with up to 100 documents")),
      }),
    }),
    read: ({ documents, rank_fields = null, top_n }) => ({
      texts: shared.documentTexts("documents", documents, rank_fields),
      top: top_n,
    }),
    toReply: ({ model, results }, { documents, return_documents }) => ({
      model,
      data: results.map(({ index, score, text }) => ({
        index,
        score,
        ...(return_documents !== false && { document: objectOf(documents[index], text) }),
      })),
      usage: { rerank_units: 1 as const },
    }),
  }),
  mixedbread: reranker({
    path: "/mixedbread/v1/reranking",
    faults: dialects.rerankers,
    wait_ms: 60_000,
    list: "input",
    carrier: "documents",
    body: z.object({
      model,
      query,
      input: shared.DocumentsSchema,
      top_k: top,
      return_input: flag.meta(said("true: returns each document as `input` of its result")),
      rank_fields: shared.RankFieldsSchema,
      rewrite_query: flag.meta(said("ignored; queries are never rewritten")),
      kritai: KritaiSchema,
    }),
    reply: z.object({
      object: z.literal("list"),
      model: z.string(),
      data: z.array(z.object({ index: z.int(), score, input: z.unknown(), object: z.literal("rank_result") })),
      usage: UsageSchema,
      top_k: z.int().meta(said("`top_k` of the request; default: the number of documents")),
      return_input: z.boolean().meta(said("`return_input` of the request")),
    }),
    read: ({ input, rank_fields = null, top_k }) => ({
      texts: shared.documentTexts("input", input, rank_fields),
      top: top_k,
    }),
    toReply: ({ model, results, usage }, { input, top_k, return_input }) => ({
      object: "list" as const,
      model,
      data: results.map(({ index, score }) => ({
        index,
        score,
        input: return_input === true ? input[index] : null,
        object: "rank_result" as const,
      })),
      usage,
      top_k: top_k ?? input.length,
      return_input: return_input === true,
    }),
  }),
  vertex: reranker({
    path: "/v1/projects/:project/locations/:location/rankingConfigs/:config",
    faults: dialects.google,
    wait_ms: null,
    list: "records",
    carrier: "rows",
    body: z.object({
      model,
      query,
      records: z
        .array(RecordSchema)
        .meta({ ...shared.DOCUMENT_COUNT, ...said("candidates with content, title or both") }),
      topN: shared.TopOrAllSchema,
      ignoreRecordDetailsInResponse: flag.meta(said("true: returns only ids and scores")),
      kritai: KritaiSchema,
    }),
    reply: z.object({
      records: z
        .array(
          z.object({
            id: z.string().optional(),
            title: z.string().optional(),
            content: z.string().optional(),
            score,
          }),
        )
        .meta(said("ranked records, best first")),
    }),
    read: ({ records, topN }) => ({
      texts: validAt(z.array(RolloutTextSchema), records.map(recordText), ["records"]),
      top: topN,
    }),
    toReply: ({ results }, { records, ignoreRecordDetailsInResponse }) => ({
      records: results.map(({ index, score }) => {
        const { id, title, content } = records[index] as z.output<typeof RecordSchema>;
        const details = ignoreRecordDetailsInResponse === true ? {} : { title, content };
        const textFields = Object.entries({ id, ...details }).filter(([, value]) => typeof value === "string");
        return { ...(Object.fromEntries(textFields) as { id?: string; title?: string; content?: string }), score };
      }),
    }),
  }),
};
