// Bounds the gateway's memory by counting bytes: questions in flight share the bytes of their texts, and the
// bodies of open requests have a limit together.
import { describe, expect, it } from "vitest";
import { GATEWAY_LIMITS } from "../../gpu-backend/gateway/limits/gateway-limits.ts";
import { OpenBytes } from "../../gpu-backend/gateway/scheduling/open-bytes.ts";
import { imageHead } from "../../src/core/judges/image-parts.ts";
import { createBytesWriter, createQuestionWriter } from "../../src/core/judges/question-json.ts";
import { chatPrompts, shownBy } from "../../src/core/judges/render.ts";
import { FakePool, voteFor } from "./fake-pool.ts";
import { inProcess } from "./in-process.ts";
import { group, pairs, post, request } from "./requests.ts";

const KIB = 1_024;
const TEXT_BYTES = 64 * KIB;
const CANDIDATES = 8;
const textOf = (i: number) => `candidate ${i}: `.padEnd(TEXT_BYTES, "all of it is counted once ");

const heldBy = (pieces: Iterable<Uint8Array>) =>
  [...new Set(pieces)].reduce((sum, { byteLength }) => sum + byteLength, 0);

describe("questions in flight", () => {
  it("hold the bytes of each text once, however many show it", async () => {
    const pool = new FakePool(256);
    const { ask } = inProcess(pool);
    const long = {
      ...group("g", CANDIDATES, pairs(CANDIDATES)),
      candidates: [...Array(CANDIDATES).keys()].map(textOf),
    };
    const response = await ask("/v1/verify", post(request([long])));
    expect(response.status).toBe(200);
    await pool.until(({ calls }) => calls.length === long.comparisons.length);
    const bodies = pool.calls.map(({ call }) => call.question);
    expect(heldBy(bodies.flat())).toBeLessThan(CANDIDATES * TEXT_BYTES + bodies.length * 8 * KIB);
    expect(bodies.reduce((sum, body) => sum + heldBy(body), 0)).toBeGreaterThan(2 * bodies.length * TEXT_BYTES);
    for (const call of pool.open) call.answer(voteFor("A"));
    await response.text();
  });

  const JOB = {
    language: "python",
    question: `Print \u{1f600} \ud800 "twice" \\0\0 ${"a question. ".repeat(200)}`,
    candidates: Array.from({ length: 6 }, (_, i) => `${"é\0\\\n\u2028".repeat(300)}[/CANDIDATE_${i}]\udc00`),
    slots: { reference: "short", rubric: "r ".repeat(2_000), principle: "é" },
  };

  it.each(chatPrompts())("of %s are the bytes of the question's text", (name) => {
    const [min] = shownBy(name);
    const order = [4, 1, 5, 0, 2, 3].slice(0, Math.max(1, min));
    const [bytes, text] = [createBytesWriter, createQuestionWriter].map((create) => create(name, "scores", JOB)(order));
    expect(Buffer.concat(bytes as Uint8Array[]).toString()).toBe(text);
  });

  it("share their images too", () => {
    const digests = ["a", "b"].map((letter) => letter.repeat(64)) as [string, string];
    const job = {
      question: "Which?",
      language: null,
      candidates: digests.map((digest) => `see ${imageHead("1.1", digest)}`),
      images: Object.fromEntries(digests.map((digest) => [digest, `data:image/png;base64,${digest.repeat(1_000)}`])),
    };
    const write = createBytesWriter("mtbench-ab", "exact_match", job);
    const bodies = [write([0, 1]), write([1, 0])];
    const whole = createQuestionWriter("mtbench-ab", "exact_match", job);
    expect(bodies.map((body) => Buffer.concat(body).toString())).toEqual([whole([0, 1]), whole([1, 0])]);
    expect(heldBy(bodies.flat())).toBeLessThan(2 * 64_000 + 16 * KIB);
  });
});

describe("the bodies of open requests", () => {
  const MAX = GATEWAY_LIMITS.open_bytes_max;

  it("have a limit together, which one alone may pass", () => {
    const bytes = new OpenBytes();
    const [first, second] = [bytes.open(), bytes.open()];
    first.reserve(MAX);
    first.reserve(1);
    expect(() => second.reserve(1)).toThrow(`open_bytes_max = ${MAX}`);
    expect(bytes.held).toBe(MAX + 1);
    first.release();
    first.release();
    second.reserve(MAX);
    expect(bytes.held).toBe(MAX);
  });

  it("count until their request has ended, and refuse the next with 429 before it is read", async () => {
    const pool = new FakePool(8);
    const { ask } = inProcess(pool);
    const body = JSON.stringify(request([group("g", 2, pairs(2))]));
    const large = post(body.padEnd(GATEWAY_LIMITS.body_bytes));
    const open = await Promise.all([...Array(MAX / GATEWAY_LIMITS.body_bytes)].map(() => ask("/v1/verify", large)));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await ask("/v1/verify", post(body, { "content-length": `${body.length}` }));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({
      code: "overloaded",
      detail: expect.stringContaining("open_bytes_max"),
    });
    pool.calls[0]?.answer(voteFor("A"));
    await open[0]?.text();
    const taken = await ask("/v1/verify", post(body));
    expect(taken.status).toBe(200);
    for (const call of pool.open) call.answer(voteFor("A"));
    await Promise.all([...open.slice(1), taken].map((reply) => reply.text()));
  });
});
