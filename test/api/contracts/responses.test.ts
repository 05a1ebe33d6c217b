// The judge of the Responses API and at Azure's paths: the chat facade's verdict in their shapes,
// whole and as events; a failure is never a verdict.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ResponsesReplySchema } from "../../../src/api/tools/shared/responses-reply.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { failing, faultOf, replyOf, setUp } from "./setup.ts";

const PATH = "/v1/responses";
const comparison = (more: object = {}) =>
  JSON.stringify({ question: "q", candidates: ["one", "three", "fo"], ...more });
const keys = [
  { name: "k", digest: new Uint8Array(createHash("sha256").update("k").digest()), scopes: ["score"] as ["score"] },
];

describe("/v1/responses", () => {
  test("answers a text, or the last user message of items, with the selected letter in a box", async () => {
    const items = [
      { role: "user", content: "hello" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
      { role: "user", content: [{ type: "input_text", text: comparison({ form: "scores" }) }] },
    ];
    for (const [input, text] of [
      [comparison(), "\\boxed{B}"],
      [items, "\\boxed{[5,10,0]}"],
    ]) {
      const reply = await replyOf(ResponsesReplySchema, await setUp().post(PATH, { model: "default", input }));
      expect(reply.output[0].content[0].text).toBe(text);
      expect(reply.usage).toMatchObject({ input_tokens: 30, output_tokens: 6, total_tokens: 36 });
      expect(reply.id).toBe(reply.output[0].id.replace("msg_", ""));
    }
  });

  test("streams the same as events, in OpenAI's order, the whole response in the last", async () => {
    const reply = await setUp().post(PATH, { input: comparison(), stream: true });
    expect(reply.headers.get("content-type")).toContain("text/event-stream");
    const events = (await reply.text()).split("\n\n").flatMap((event) => {
      const [name, data] = event.split("\n");
      return data === undefined ? [] : [{ name, ...JSON.parse(data.slice("data: ".length)) }];
    });
    const types = ["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta"];
    const ends = ["output_text.done", "content_part.done", "output_item.done", "completed"];
    expect(events.map(({ type }) => type)).toEqual([...types, ...ends].map((type) => `response.${type}`));
    expect(events.map(({ name }) => name)).toEqual(events.map(({ type }) => `event: ${type}`));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    expect(events[4].delta).toBe("\\boxed{B}");
    expect(ResponsesReplySchema.parse(events.at(-1).response).status).toBe("completed");
  });

  test("refuses another prompt and an unknown model, and a failure is an HTTP error, streamed or not", async () => {
    const other = await faultOf(await setUp().post(PATH, { input: "Rate this." }), 400);
    expect(other.error).toMatchObject({ type: "invalid_request_error", param: "input" });
    const unknown = await faultOf(await setUp().post(PATH, { model: "none", input: comparison() }), 404);
    expect(unknown.error).toMatchObject({ code: "model_not_found", param: "model" });
    for (const stream of [false, true]) {
      const { post } = setUp({ script: failing("verifier_unavailable") });
      const down = await faultOf(await post(PATH, { input: comparison(), stream }), 503);
      expect(down.error).toMatchObject({ code: "verifier_unavailable" });
    }
  });
});

describe("Azure's paths", () => {
  const messages = [{ role: "user", content: comparison() }];
  const strict = SpecSchema.parse({ judge: { both_orders: true } });
  const worldOf = () => setUp({ keys, specs: fakeSpecStore({ strict }) });
  const key = { "api-key": "k" };

  test.each([
    ["/openai/deployments/strict/chat/completions?api-version=2026-01-01", { messages }],
    ["/openai/deployments/other/chat/completions", { model: "strict", messages }],
    ["/openai/v1/chat/completions", { model: "strict", messages }],
    ["/openai/responses?api-version=2026-01-01", { model: "strict", input: comparison() }],
    ["/openai/v1/responses", { model: "strict", input: comparison() }],
  ])("%s judges by the spec that the deployment or the model names, with the key in api-key", async (path, body) => {
    const { post, verifier } = worldOf();
    const reply = await post(path, body, key);
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining("\\\\boxed{B}")]);
    // Three pairs in both orders.
    expect(verifier.jobs.flatMap(({ candidates }) => candidates).length).toBeGreaterThan(0);
    expect((await post(path, body)).status).toBe(401);
    expect((await post(path, body, { "api-key": "wrong" })).status).toBe(401);
  });

  test("a deployment that is no spec is a model that does not exist", async () => {
    const reply = await worldOf().post("/openai/deployments/gpt-9/chat/completions", { messages }, key);
    expect((await faultOf(reply, 404)).error).toMatchObject({ code: "model_not_found" });
  });

  test.each(["/openai", "/openai/v1"])("%s lists the models", async (base) => {
    const { call } = worldOf();
    const models = (await (await call(`${base}/models`, { headers: key })).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(["default", "strict"]);
  });
});
