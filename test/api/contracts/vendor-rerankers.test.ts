// Voyage's, Infinity's, Pinecone's, Mixedbread's and Vertex AI's rerankers: their bodies as the
// clients write them, their replies to the field, keys as they send them, errors as they read them.
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import * as examples from "./examples.ts";
import { PROGRAMS, replyOf, setUp } from "./setup.ts";

const RANK = "/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank";
const query = "Sum it.";

interface Vendor {
  name: string;
  path: string;
  schema: z.ZodType;
  /** As its client writes it: the two best, with their texts. */
  body(texts: readonly string[], top: number | null, withTexts: boolean): object;
  /** Its values for PROGRAMS: the second, then the third. */
  whole: object;
  /** The texts of a reply, where it has them. */
  textsOf(reply: Record<string, unknown>): unknown[];
}

const texts = (list: string, field: string) => (reply: Record<string, unknown>) =>
  (reply[list] as Record<string, unknown>[]).map((one) => one[field]);
const scored = (field: string, name: string, texts_: readonly unknown[] = [PROGRAMS[1], PROGRAMS[2]]) => [
  { index: 1, [field]: 1, [name]: texts_[0] },
  { index: 2, [field]: 0.5, [name]: texts_[1] },
];
const records = (given: readonly string[]) => given.map((content, i) => ({ id: `r${i}`, content }));

const VENDORS: Vendor[] = [
  {
    name: "voyage",
    path: "/voyage/v1/rerank",
    schema: RERANKERS.voyage.reply,
    body: (documents, top_k, return_documents) => ({
      ...{ model: "rerank-2.5", query, documents, top_k, truncation: true },
      ...(return_documents && { return_documents }),
    }),
    whole: {
      object: "list",
      data: scored("relevance_score", "document"),
      model: "rerank-2.5",
      usage: { total_tokens: 36 },
    },
    textsOf: texts("data", "document"),
  },
  {
    name: "infinity",
    path: "/infinity/rerank",
    schema: RERANKERS.infinity.reply,
    body: (documents, top_n, return_documents) => ({
      ...{ query, documents, return_documents, raw_scores: false, model: "default/not-specified", top_n },
    }),
    whole: {
      ...{ object: "rerank", model: "default/not-specified", results: scored("relevance_score", "document") },
      usage: { prompt_tokens: 30, total_tokens: 36 },
      ...{ id: expect.any(String), created: expect.any(Number) },
    },
    textsOf: (reply) => texts("results", "document")(reply).map((text) => text ?? undefined),
  },
  {
    name: "pinecone",
    path: "/pinecone/rerank",
    schema: RERANKERS.pinecone.reply,
    body: (given, top_n, return_documents) => ({
      ...{ model: "bge-reranker-v2-m3", query, documents: given.map((text) => ({ text })) },
      ...{ rank_fields: ["text"], return_documents, ...(top_n !== null && { top_n }) },
    }),
    whole: {
      model: "bge-reranker-v2-m3",
      data: scored("score", "document", [{ text: PROGRAMS[1] }, { text: PROGRAMS[2] }]),
      usage: { rerank_units: 1 },
    },
    textsOf: texts("data", "document"),
  },
  {
    name: "mixedbread",
    path: "/mixedbread/v1/reranking",
    schema: RERANKERS.mixedbread.reply,
    body: (input, top_k, return_input) => ({
      ...{ model: "mixedbread-ai/mxbai-rerank-large-v2", query, input, return_input },
      ...(top_k !== null && { top_k }),
    }),
    whole: {
      ...{ object: "list", model: "mixedbread-ai/mxbai-rerank-large-v2", top_k: 2, return_input: true },
      data: scored("score", "input").map((one) => ({ ...one, object: "rank_result" })),
      usage: { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 },
    },
    textsOf: (reply) => texts("data", "input")(reply).map((text) => text ?? undefined),
  },
  {
    name: "vertex",
    path: RANK,
    schema: RERANKERS.vertex.reply,
    body: (given, topN, details) => ({
      ...{ model: "semantic-ranker-default@latest", query, records: records(given) },
      ...{ ignoreRecordDetailsInResponse: !details, ...(topN !== null && { topN }) },
    }),
    whole: {
      records: [
        { id: "r1", content: PROGRAMS[1], score: 1 },
        { id: "r2", content: PROGRAMS[2], score: 0.5 },
      ],
    },
    textsOf: texts("records", "content"),
  },
];

describe.each(VENDORS)("$name", (vendor) => {
  const { path, schema, body } = vendor;

  test("gets the best first, as many as it asked for, to the field", async () => {
    const reply = await replyOf(schema, await setUp().post(path, body(PROGRAMS, 2, true)));
    expect(reply).toEqual(vendor.whole);
    const all = (await replyOf(schema, await setUp().post(path, body(PROGRAMS, null, true)))) as Record<
      string,
      unknown
    >;
    expect(vendor.textsOf(all)).toHaveLength(3);
  });

  test("gets no texts back that it did not ask for", async () => {
    const reply = await replyOf(schema, await setUp().post(path, body(PROGRAMS, null, false)));
    expect(vendor.textsOf(reply as Record<string, unknown>)).toEqual([undefined, undefined, undefined]);
  });
});

test("Vertex: a title is judged with the content, but for one that the content begins with", async () => {
  const { post, verifier } = setUp();
  const given = [
    { id: "a", title: "Answer one", content: "is here" },
    { id: "b", title: "The second  answer", content: "The second\nanswer is longer" },
    { id: "c", title: "Only a title, which is the longest of them" },
  ];
  const reply = await replyOf(RERANKERS.vertex.reply, await post(RANK, { query, records: given }));
  expect(reply.records.map(({ id }) => id)).toEqual(["c", "b", "a"]);
  const shown = new Set(verifier.jobs.flatMap(({ candidates }) => candidates));
  expect([...shown].sort()).toEqual(["Answer one\n\nis here", given[2]?.title, given[1]?.content].sort());
});

test("Pinecone and Mixedbread: rank_fields make up an object's text, and the object comes back as it was", async () => {
  const documents = [
    { id: 1, head: "x", body: "short" },
    { id: 2, head: "y", body: "much longer" },
  ];
  const rank_fields = ["head", "body"];
  for (const [path, field, back] of [
    ["/pinecone/rerank", "documents", "document"],
    ["/mixedbread/v1/reranking", "input", "input"],
  ] as const) {
    const { post, verifier } = setUp();
    const reply = await post(path, { query, [field]: documents, rank_fields, return_input: true });
    const { data } = (await reply.json()) as { data: Record<string, unknown>[] };
    expect(data.map((one) => one[back])).toEqual([documents[1], documents[0]]);
    expect(JSON.stringify(verifier.jobs)).toContain("head: y\\nbody: much longer");
  }
});

test("a ranking configuration of Vertex AI knows no other verb", async () => {
  const response = await setUp().post(RANK.replace(/:rank$/, ":other"), examples.vertex as Record<string, unknown>);
  expect(response.status).toBe(404);
});
