// openai from npm against the running stack as a judge: whole and streamed verdicts, models,
// errors, retries.
import OpenAI, { APIError, AuthenticationError, BadRequestError, InternalServerError, NotFoundError } from "openai";
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

const client = (options: { apiKey?: string; fetch?: typeof fetch; defaultHeaders?: Record<string, string> } = {}) =>
  new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.key, ...options });

const asked = (question: string, candidates = ["short", "a longer one"]) => [
  { role: "user" as const, content: JSON.stringify({ question, candidates }) },
];

describe("the openai client", () => {
  it("reads a verdict, its finish reason and the verifier's tokens", async () => {
    const reply = await client().chat.completions.create({ model: "default", messages: asked("whole") });
    expect(reply.choices[0]).toMatchObject({ message: { content: "\\boxed{B}" }, finish_reason: "stop" });
    expect(reply.usage).toEqual({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
    expect(reply._request_id).toBe(reply.id.replace("chatcmpl-", ""));
  });

  it("reads the same verdict as a stream, with the usage in its last chunk", async () => {
    const stream = await client().chat.completions.create({
      model: "default",
      messages: asked("streamed"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("\\boxed{B}");
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(18);
  });

  it("lists the stored specs as models and judges by one of them", async () => {
    await fetch(`${stack.url}/v1/specs/strict`, {
      method: "PUT",
      headers: { authorization: `Bearer ${stack.key}`, "content-type": "application/json" },
      body: JSON.stringify({ judge: { both_orders: true } }),
    });
    const models = [];
    for await (const { id } of client().models.list()) models.push(id);
    expect(models).toEqual(expect.arrayContaining(["default", "strict"]));
    const reply = await client().chat.completions.create({ model: "strict", messages: asked("by a spec") });
    expect(reply.usage?.total_tokens).toBe(36);
  });

  it.each([
    { refusal: 429, told: 429, wait_ms: 30_000 },
    { refusal: 502, told: 503, wait_ms: 40_000 },
  ] as const)(
    "waits the verifier's own $wait_ms ms of Retry-After on a $told, tries again, and gets its verdict",
    async (row) => {
      const { statuses, fetch } = statusKeeper();
      const waits = skippedWaits();
      stack.verifier.script = refusing(row.refusal, 2, row.wait_ms / 1000);
      const headers = { "Kritai-Deadline-Ms": "20000" };
      const reply = await client({ fetch, defaultHeaders: headers }).chat.completions.create({
        model: "default",
        messages: asked(`retried ${row.told}`),
      });
      expect(reply.choices[0]?.message.content).toBe("\\boxed{B}");
      expect(statuses).toEqual([row.told, row.told, 200]);
      expect(waits).toEqual([row.wait_ms, row.wait_ms]);
    },
  );

  it("raises InternalServerError, never a verdict, when the verifier stays away, whole or streamed", async () => {
    skippedWaits();
    stack.verifier.script = refusing(502, Number.POSITIVE_INFINITY);
    for (const stream of [false, true]) {
      const { statuses, fetch } = statusKeeper();
      const create = client({ fetch }).chat.completions.create({
        model: "default",
        messages: asked("lost"),
        stream,
      });
      const failure = await create.catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(InternalServerError);
      expect(failure).toMatchObject({ status: 503, code: "verifier_unavailable" });
      expect(statuses).toEqual([503, 503, 503]);
    }
  });

  it("raises its own class for a fault that asking again cannot mend, and asks once", async () => {
    const { statuses, fetch } = statusKeeper();
    const create = (model: string, messages = asked("fault"), apiKey = stack.key) =>
      client({ fetch, apiKey }).chat.completions.create({ model, messages });
    await expect(create("no-such-model")).rejects.toBeInstanceOf(NotFoundError);
    await expect(create("default", [{ role: "user", content: "Rate this from 1 to 5." }])).rejects.toBeInstanceOf(
      BadRequestError,
    );
    await expect(create("default", asked("key"), "no-such-key")).rejects.toBeInstanceOf(AuthenticationError);
    expect(statuses).toEqual([404, 400, 401]);
  });

  it("tells the request's id and our code in every error", async () => {
    const failure = await client()
      .chat.completions.create({ model: "default", messages: asked("one", ["alone"]) })
      .catch((error: unknown) => error as APIError);
    expect(failure).toBeInstanceOf(APIError);
    expect((failure as APIError).requestID).toMatch(/^[0-9A-Z]{26}$/);
    expect((failure as APIError).code).toBe("invalid_request");
  });
});
