// cohere-ai from npm, v1 and v2, against the running stack: what it reads, which errors it raises,
// and how it retries.
import { Cohere, CohereClient, CohereClientV2 } from "cohere-ai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ClientStack, prefersLongest, refusing, skippedWaits, startClientStack, statusKeeper } from "./stack.ts";

let stack: ClientStack;
beforeAll(async () => {
  stack = await startClientStack();
});
afterAll(() => stack.close());
afterEach(() => {
  stack.verifier.script = prefersLongest;
});

const DOCUMENTS = ["short", "the longest of the three", "in between"];
const ORDER = [1, 2, 0];
const SCORES = [1, 0.5, 0];

/** A deadline below the waits that the verifier asks for here. */
const SOON = { "Kritai-Deadline-Ms": "20000" };

const VERSIONS = {
  v1: (options: { token: string; fetch?: typeof fetch }) => new CohereClient({ environment: stack.url, ...options }),
  v2: (options: { token: string; fetch?: typeof fetch }) => new CohereClientV2({ environment: stack.url, ...options }),
};

describe.each(["v1", "v2"] as const)("the %s client", (version) => {
  const client = (fetchWith?: typeof fetch, token = stack.key) =>
    VERSIONS[version]({ token, ...(fetchWith && { fetch: fetchWith }) });
  const rank = (using: ReturnType<typeof client>, query: string, documents: string[] = DOCUMENTS) =>
    using.rerank({ model: "default", query: `${version} ${query}`, documents }, { headers: SOON });

  it("reads the order, the scores and the tokens", async () => {
    const reply = await rank(client(), "plain");
    expect(reply.results.map(({ index }) => index)).toEqual(ORDER);
    expect(reply.results.map(({ relevanceScore }) => relevanceScore)).toEqual(SCORES);
    expect(reply.meta).toMatchObject({ apiVersion: { version: version.slice(1) }, tokens: { inputTokens: 33 } });
    expect(reply.id).toMatch(/^[0-9A-Z]{26}$/);
  });

  it("reads only the best when asked with topN", async () => {
    const reply = await client().rerank({ model: "default", query: version, documents: DOCUMENTS, topN: 1 });
    expect(reply.results.map(({ index }) => index)).toEqual([1]);
  });

  it.each([
    { refusal: 429, told: 429, wait_ms: 30_000 },
    { refusal: 502, told: 503, wait_ms: 40_000 },
  ] as const)(
    "waits the verifier's own $wait_ms ms of Retry-After on a $told, tries again, and gets its scores",
    async (row) => {
      const { statuses, fetch } = statusKeeper();
      const waits = skippedWaits();
      stack.verifier.script = refusing(row.refusal, 2, row.wait_ms / 1000);
      const reply = await rank(client(fetch), `retried ${row.told}`, DOCUMENTS.slice(0, 2));
      expect(reply.results.map(({ index }) => index)).toEqual([1, 0]);
      expect(statuses).toEqual([row.told, row.told, 200]);
      expect(waits).toEqual([row.wait_ms, row.wait_ms]);
    },
  );

  it.each([
    { refusal: 429, error: Cohere.TooManyRequestsError, code: "verifier_overloaded" },
    { refusal: 502, error: Cohere.ServiceUnavailableError, code: "verifier_unavailable" },
  ] as const)("raises $error.name with our code when the failure outlasts its three tries", async (row) => {
    const { statuses, fetch } = statusKeeper();
    skippedWaits();
    stack.verifier.script = refusing(row.refusal, Number.POSITIVE_INFINITY, 30);
    const failure = await rank(client(fetch), `failed ${row.code}`).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(row.error);
    expect((failure as Cohere.TooManyRequestsError).body).toMatchObject({ code: row.code, retryable: true });
    expect((failure as Error).message).toContain(row.code);
    expect(statuses).toHaveLength(3);
  });

  it("raises its own class for a fault that asking again cannot mend, and asks once", async () => {
    const { statuses, fetch } = statusKeeper();
    await expect(rank(client(fetch), "none", [])).rejects.toBeInstanceOf(Cohere.BadRequestError);
    await expect(rank(client(fetch, "no-such-key"), "key")).rejects.toBeInstanceOf(Cohere.UnauthorizedError);
    stack.verifier.script = refusing(400, Number.POSITIVE_INFINITY);
    await expect(rank(client(fetch), "rejected")).rejects.toBeInstanceOf(Cohere.UnprocessableEntityError);
    expect(statuses).toEqual([400, 401, 422]);
  });
});

describe("the v1 client", () => {
  it("reads documents that are objects, and gets back the text that was ranked", async () => {
    const documents = DOCUMENTS.map((text, at) => ({ title: `t${at}`, text }));
    const client = new CohereClient({ environment: `${stack.url}/v1`, token: stack.key });
    const reply = await client.rerank({ query: "objects", documents, returnDocuments: true });
    expect(reply.results.map(({ document }) => document?.text)).toEqual(ORDER.map((at) => DOCUMENTS[at]));
  });
});
