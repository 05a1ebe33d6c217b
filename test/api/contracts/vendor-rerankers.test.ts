// Voyage's, Infinity's, Pinecone's, Mixedbread's and Vertex AI's rerankers: their bodies as the
// clients write them, their replies to the field, keys as they send them, errors as they read them.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import * as examples from "./examples.ts";
import { failing, failingOn, longest, PROGRAMS, replyOf, setUp, TEXTS } from "./setup.ts";

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
  example: object;
  key: Record<string, string>;
  /** Ms that its clients wait; null: the native default holds. */
  wait_ms: number | null;
  /** The members of an error, by what was refused. */
  refused: { status: number; members: object };
  unavailable: object;
}

const bearer = { authorization: "Bearer k" };
const texts = (list: string, field: string) => (reply: Record<string, unknown>) =>
  (reply[list] as Record<string, unknown>[]).map((one) => one[field]);
const scored = (field: string, name: string, texts_: readonly unknown[] = [PROGRAMS[1], PROGRAMS[2]]) => [
  { index: 1, [field]: 1, [name]: texts_[0] },
  { index: 2, [field]: 0.5, [name]: texts_[1] },
];
const records = (given: readonly string[]) => given.map((content, i) => ({ id: `r${i}`, content }));
const empty = expect.stringContaining("0");

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
    example: examples.voyage,
    key: bearer,
    wait_ms: 600_000,
    refused: { status: 400, members: { detail: empty } },
    unavailable: { detail: expect.any(String) },
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
    example: examples.infinity,
    key: bearer,
    wait_ms: null,
    refused: {
      status: 422,
      members: { detail: [{ loc: ["body", "documents"], msg: empty, type: "invalid_request" }] },
    },
    unavailable: { error: { message: expect.any(String), type: "ServiceUnavailableError", code: 503 } },
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
    example: examples.pinecone,
    key: { "Api-Key": "k" },
    wait_ms: 30_000,
    refused: { status: 400, members: { error: { code: "INVALID_ARGUMENT", message: empty } } },
    unavailable: { error: { code: "UNAVAILABLE", message: expect.any(String) } },
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
    example: examples.mixedbread,
    key: bearer,
    wait_ms: 60_000,
    refused: { status: 400, members: { message: empty, detail: empty } },
    unavailable: { message: expect.any(String) },
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
    example: examples.vertex,
    key: { "X-Goog-Api-Key": "k" },
    wait_ms: null,
    refused: { status: 400, members: { error: { code: 400, status: "INVALID_ARGUMENT", message: empty } } },
    unavailable: { error: { code: 503, status: "UNAVAILABLE", message: expect.any(String) } },
  },
];

const keys = [
  { name: "k", digest: new Uint8Array(createHash("sha256").update("k").digest()), scopes: ["score"] as ["score"] },
];

describe.each(VENDORS)("$name", (vendor) => {
  const { path, schema, body } = vendor;
  const down = (error: Parameters<typeof failing>[0]) => setUp({ script: failing(error) });

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

  test("its example is answered", async () => {
    await replyOf(schema, await setUp().post(path, vendor.example));
  });

  test("sends its key in its own way, and a wrong one is told in its own words", async () => {
    const { post } = setUp({ keys });
    expect((await post(path, body(TEXTS, null, false), vendor.key)).status).toBe(200);
    const wrong = Object.fromEntries(Object.keys(vendor.key).map((name) => [name, "Bearer none"]));
    expect((await post(path, body(TEXTS, null, false), wrong)).status).toBe(401);
  });

  test("reads why in its own place: no documents, a verifier that is away, one that has too much", async () => {
    const none = await setUp().post(path, body([], null, false));
    expect([none.status, await none.json()]).toMatchObject([vendor.refused.status, vendor.refused.members]);
    const away = await down("verifier_unavailable").post(path, body(TEXTS, null, false));
    expect([away.status, await away.json()]).toMatchObject([503, vendor.unavailable]);
    expect(away.headers.get("retry-after")).toBe("5");
    expect((await down("verifier_overloaded").post(path, body(TEXTS, null, false))).status).toBe(429);
  });

  test("a text that could not be judged is left out where the header says so, and named in the reply's", async () => {
    const { post } = setUp({ script: failingOn((text) => text === "two now", "verifier_bad_reply") });
    const reply = await post(path, body(TEXTS, null, true), { "Kritai-On-Incomplete": "leave_out" });
    expect(reply.headers.get("x-kritai-warnings")).toBe("not_judged 2: verifier_bad_reply; partly_judged 0,1");
    expect(vendor.textsOf((await reply.json()) as Record<string, unknown>)).toHaveLength(2);
  });

  test("is answered within 80 % of what its client waits, or by the header's deadline", async () => {
    const deadline = async (headers: Record<string, string>) => {
      const { post, verifier, clock } = setUp({ script: longest });
      await post(path, body(TEXTS, null, false), headers);
      return (verifier.calls[0]?.deadline_at ?? 0) - clock.now() + LIMITS.deadline_reserve_ms;
    };
    expect(await deadline({})).toBe(vendor.wait_ms === null ? LIMITS.deadline_ms_default : vendor.wait_ms * 0.8);
    expect(await deadline({ "Kritai-Deadline-Ms": "20000" })).toBe(20_000);
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
