// Holds what a reranker does at the edges: one document, a cut one among programs, programs in
// their fences before a chat judge.
import { describe, expect, it } from "vitest";
import { fenced, setUp } from "../routes/harness.ts";

interface Ranked {
  results: { index: number; relevance_score: number }[];
  meta: { warnings: string[] };
}

const rank = async (documents: string[]) => {
  const reply = await setUp().post("/v2/rerank", { query: "Write a program.", documents });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Ranked;
};

describe("a ranking", () => {
  it("of one document has its score, asks nobody, and says that nothing was compared", async () => {
    const { post, verifier } = setUp();
    const reply = (await (await post("/v2/rerank", { query: "q", documents: ["only"] })).json()) as Ranked;
    expect(reply.results).toEqual([{ index: 0, relevance_score: 1 }]);
    expect(reply.meta.warnings).toEqual(["not_compared 0"]);
    expect(verifier.jobs).toEqual([]);
    const tei = await post("/rerank", { query: "q", texts: ["only"] });
    expect([await tei.json(), tei.headers.get("x-kritai-warnings")]).toEqual([
      [{ index: 0, score: 1 }],
      "not_compared 0",
    ]);
    expect((await post("/v2/rerank", { query: "q", documents: [] })).status).toBe(400);
  });

  it("puts a cut program last, with a warning, and leaves the others in their order", async () => {
    const whole = Array.from({ length: 7 }, (_, i) => fenced("a".repeat(i + 1)));
    const before = await rank(whole);
    const { results, meta } = await rank([...whole, `Here.\n\`\`\`python\n${"a".repeat(99)}`]);
    expect(results.map(({ index }) => index)).toEqual([...before.results.map(({ index }) => index), 7]);
    expect(results.at(-1)?.relevance_score).toBe(0);
    expect(meta.warnings).toEqual(["no_program 7"]);
  });
});

describe("the chat judge", () => {
  it("compares programs as they stand in their fences by the programs, not by what is around them", async () => {
    const candidates = [fenced("a"), `${"words ".repeat(50)}\n${fenced("")}`, fenced("aaa")];
    const content = JSON.stringify({ question: "q", candidates: [candidates[0], candidates[2]] });
    const { post, verifier } = setUp();
    const reply = await post("/v1/chat/completions", { messages: [{ role: "user", content }] });
    expect(JSON.stringify(await reply.json())).toContain("\\\\boxed{B}");
    expect(verifier.jobs.flatMap(({ candidates: shown }) => shown)).toEqual(["a", "aaa"]);
  });
});
