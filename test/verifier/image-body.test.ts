// Holds that questions in flight share a group's images: each body is written bit by bit from bytes
// that all have, and says what one JSON text would.
import { expect, it } from "vitest";
import { imageHead } from "../../src/core/judges/image-parts.ts";
import { createPartsWriter, createQuestionWriter } from "../../src/core/judges/question-json.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { ImageBody } from "../../src/verifier/openai/image-body.ts";
import { fixedClock } from "../harness/fakes.ts";

const digestOf = (i: number) => `${i}`.repeat(64).slice(0, 64);
const urlOf = (i: number) => `data:image/png;base64,${"AbC/+".repeat(4_000 + i)}=`;
const COUNT = 4;
const INDICES = Array.from({ length: COUNT }, (_, i) => i);
const JOB = {
  question: `Which? \ud83d\ude00 é ${imageHead("P1.1", digestOf(0))}`,
  language: null,
  candidates: INDICES.map((i) => `answer ${i} "quoted" ${imageHead("1.1", digestOf(i))}`),
  images: Object.fromEntries(INDICES.map((i) => [digestOf(i), urlOf(i)])),
};

/** The chunks of a body, and its text. */
async function read(stream: ReadableStream<Uint8Array>): Promise<{ chunks: Uint8Array[]; text: string }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { chunks, text: Buffer.concat(chunks).toString() };
}

it("says what the question's one text says, and holds each image's bytes once for all questions", async () => {
  const [parts, whole] = [createPartsWriter, createQuestionWriter].map((create) =>
    create("mtbench-ab", "exact_match", JOB),
  );
  const images = new Map();
  const bodies = [
    [0, 1],
    [2, 0],
    [1, 3],
  ].map((order) => ({
    body: new ImageBody(["{", ...(parts as ReturnType<typeof createPartsWriter>)(order), "}"], images),
    text: `{${(whole as ReturnType<typeof createQuestionWriter>)(order)}}`,
  }));
  const seen = new Map<string, Uint8Array>();
  for (const { body, text } of bodies) {
    const { chunks, text: sent } = await read(body.stream());
    expect(sent).toBe(text);
    expect(JSON.parse(sent)).toHaveProperty("messages");
    expect(body.text).not.toContain("base64");
    expect((await read(body.stream())).text).toBe(text);
    for (const chunk of chunks.filter(({ byteLength }) => byteLength > 10_000)) {
      const name = Buffer.from(chunk).toString();
      expect(seen.get(name) ?? chunk).toBe(chunk);
      seen.set(name, chunk);
    }
  }
  expect(seen.size).toBe(COUNT);
});

it("is what the adapter sends: no question's body is a text that holds images", async () => {
  const bodies: BodyInit[] = [];
  const fetcher: typeof fetch = async (_, init) => {
    bodies.push(init?.body as BodyInit);
    return new Response(JSON.stringify({ choices: [{ message: { content: "[[A]]" }, finish_reason: "stop" }] }), {
      headers: { "content-type": "application/json" },
    });
  };
  const verifier = createOpenAiVerifier(
    { url: "http://engine", model: "m", apiKey: null, fetch: fetcher },
    fixedClock(),
  );
  const { signal } = new AbortController();
  const call = { form: "exact_match", model: null, temperature: 1, top_p: 1, max_tokens: 64, seed: 1, signal } as const;
  const questions = [
    [0, 1],
    [1, 2],
    [2, 3],
  ].map((shown, id) => ({ id, shown, samples: 1, stop: "all" as const }));
  await verifier.session(call).judge({ ...JOB, to: "chat", preset: "mtbench-ab", questions }, () => {});
  expect(bodies).toHaveLength(questions.length);
  for (const body of bodies) expect(body).toBeInstanceOf(ReadableStream);
});

it("escapes an address that a JSON string could not hold as it is", () => {
  const job = { ...JOB, images: { [digestOf(1)]: 'data:image/png;base64,"}]\\' } };
  const write = createQuestionWriter("mtbench-ab", "exact_match", job);
  expect(JSON.stringify(JSON.parse(`{${write([0, 1])}}`))).toContain(JSON.stringify(job.images[digestOf(1)]));
});
