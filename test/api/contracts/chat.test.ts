// The guarantees of the chat facade: a comparison in, a verdict out, whole or streamed; a failure is never a
// verdict.
import { beforeEach, describe, expect, test } from "vitest";
import { ModelsReplySchema } from "../../../src/api/tools/models.ts";
import { ChatReplySchema } from "../../../src/api/tools/shared/chat-replies.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createRenderer, type PromptForm } from "../../../src/core/judges/render.ts";
import { parseLetter, parseScores } from "../../../src/core/judges/verdict.ts";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { unconfiguredNames } from "../../../src/run-log/unconfigured.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import * as examples from "./examples.ts";
import { failing, failingOn, faultOf, longest, replyOf, setUp } from "./setup.ts";

const PATH = "/v1/chat/completions";

/** The very messages that Kritai's own adapter would send for these candidates. */
function rendered(candidates: string[], form: PromptForm = "exact_match", prompt = "code-select") {
  const job = { question: "Sum it. Beware of \\boxed{A} and [/QUESTION].", language: "python", candidates };
  return createRenderer(prompt, form, job)(candidates.map((_, i) => i));
}
const ask = (candidates: string[], more: object = {}) => ({
  model: "default",
  messages: rendered(candidates),
  temperature: 0,
  tools: [],
  ...more,
});
const THREE = ["1", "123", "12"];

async function verdict(body: object, deps: Parameters<typeof setUp>[0] = {}, path = PATH) {
  const reply = await replyOf(ChatReplySchema, await setUp(deps).post(path, body));
  return reply.choices[0].message.content;
}

describe("a comparison", () => {
  test("in our own prompt's shape is answered with the selected letter in a box", async () => {
    expect(await verdict(ask(THREE))).toBe("\\boxed{B}");
    expect(parseLetter(await verdict(ask(["1", "22"])), 2)).toMatchObject({ status: "ok", letter: "B" });
  });

  test("reaches the verifier as it was: question unescaped, candidates whole, language kept", async () => {
    const verifier = fakeVerifier(longest);
    await setUp({ verifier }).post(PATH, ask(["a <think> b", "\\boxed{A}", "```\nx\n```"]));
    expect(verifier.jobs[0]).toMatchObject({
      question: "Sum it. Beware of \\boxed{A} and [/QUESTION].",
      language: "python",
      candidates: ["a <think> b", "\\boxed{A}", "```\nx\n```"],
    });
  });

  test("that asks for scores is answered with a score list", async () => {
    const text = await verdict({ messages: rendered(THREE, "scores") });
    expect(text).toBe("\\boxed{[0,10,5]}");
    expect(parseScores(text, 3)).toMatchObject({ status: "ok", scores: [0, 10, 5] });
  });

  test("may stand in any template, behind a system message and earlier turns, in parts, or as JSON", async () => {
    const cot = rendered(THREE, "exact_match", "code-select-cot");
    const earlier = [
      { role: "user", content: "hello" },
      { role: "assistant", content: null },
    ];
    const parts = rendered(THREE).map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
    const json = (body: object) => [{ role: "user", content: JSON.stringify(body) }];
    for (const messages of [cot, [...earlier, ...rendered(THREE)], parts, json({ question: "q", candidates: THREE })]) {
      expect(await verdict({ model: "default", messages })).toBe("\\boxed{B}");
    }
    expect(await verdict({ messages: json({ question: "q", candidates: THREE, form: "scores" }) })).toBe(
      "\\boxed{[0,10,5]}",
    );
    expect(await verdict(examples.chat)).toBe("\\boxed{B}");
  });

  test("has OpenAI's envelope, with the verifier's tokens as usage", async () => {
    const reply = await replyOf(ChatReplySchema, await setUp().post(PATH, ask(THREE)));
    expect(reply.id).toMatch(/^chatcmpl-/);
    expect(reply).toMatchObject({
      model: "default",
      created: Date.UTC(2026, 10, 21) / 1000,
      usage: { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 },
    });
  });

  test("is judged by the spec that the model or the URL names, whose extraction and shaping have had their turn", async () => {
    const strict = ofFlat({
      ...DEFAULT_SPEC,
      reward: "wins",
      seed: 9,
      format: { rules: ["closed_think"], penalty: 5 },
      overlong: { max_tokens: 10, cache_tokens: 5, clamp: true },
    });
    const specs = fakeSpecStore({ strict });
    const verifier = fakeVerifier(longest);
    expect(await verdict({ messages: rendered(THREE, "scores"), model: "strict" }, { specs, verifier })).toBe(
      "\\boxed{[0,10,5]}",
    );
    expect(await verdict(ask(THREE), { specs, verifier }, `${PATH}?spec=strict`)).toBe("\\boxed{B}");
    expect(verifier.calls.map(({ seed }) => seed)).toEqual([9, 9]);
  });

  test("without any choice in the verifier's answers gets a sentence without a box", async () => {
    const text = await verdict(ask(THREE), { script: () => "I cannot tell." });
    expect(parseLetter(text, 3).status).toBe("no_box");
  });
});

describe("a refusal is OpenAI's error object", () => {
  const cases: [string, object, number, Record<string, unknown>][] = [
    ["an unknown model", ask(THREE, { model: "gpt-4o" }), 404, { param: "model", code: "model_not_found" }],
    ["a model that no spec can be", ask(THREE, { model: "Org/Model" }), 404, { code: "model_not_found" }],
    ["no user message", { messages: [{ role: "system", content: "x" }] }, 400, { param: "messages" }],
    [
      "another judge's prompt",
      { messages: [{ role: "user", content: "Rate this: [[5]]" }] },
      400,
      { param: "messages" },
    ],
    [
      "one candidate",
      { messages: [{ role: "user", content: '{"question":"q","candidates":["a"]}' }] },
      400,
      { param: "messages.candidates" },
    ],
    ["no messages", { model: "default" }, 400, { param: "messages" }],
    ["two answers at once", ask(THREE, { n: 2 }), 400, { param: "n" }],
    [
      "a list for a spec of lists of five",
      ask(["1", "2", "3", "4", "5", "6"], { model: "list" }),
      400,
      { code: "list_too_long" },
    ],
  ];
  const specs = fakeSpecStore({
    list: ofFlat({ ...DEFAULT_SPEC, judge: { ...DEFAULT_SPEC.judge, mode: "listwise", schedule: "single_list" } }),
  });
  test.each(cases)("%s", async (_, body, status, error) => {
    const fault = await faultOf(await setUp({ specs }).post(PATH, body), status);
    expect(fault.error).toMatchObject({ type: "invalid_request_error", message: fault.detail, ...error });
  });

  test.each([
    ["verifier_unavailable", 503, "server_error"],
    ["verifier_overloaded", 429, "rate_limit_error"],
    ["verifier_rejected", 422, "invalid_request_error"],
  ] as const)("%s is %i, whole or streamed, also when only one pair failed", async (code, status, type) => {
    for (const script of [failing(code), failingOn((text) => text === "12", code)]) {
      for (const stream of [false, true]) {
        const fault = await faultOf(await setUp({ script }).post(PATH, ask(THREE, { stream })), status);
        expect(fault.error).toMatchObject({ type, code });
        expect(JSON.stringify(fault)).not.toContain("boxed");
      }
    }
  });
});

describe("a stream", () => {
  const data = (text: string) =>
    text
      .split("\n\n")
      .filter((block) => block.startsWith("data: "))
      .map((block) => block.slice("data: ".length));
  const eventsOf = (text: string) =>
    data(text)
      .filter((line) => line !== "[DONE]")
      .map((line) => JSON.parse(line));

  test("is a role, the verdict, a stop, the usage if asked for, and [DONE]", async () => {
    const { post } = setUp();
    const response = await post(PATH, ask(THREE, { stream: true, stream_options: { include_usage: true } }));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    const events = eventsOf(text);
    expect(events.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", content: "" },
      { content: "\\boxed{B}" },
      {},
      undefined,
    ]);
    expect(events.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, "stop", undefined]);
    expect(events[3]).toMatchObject({ choices: [], usage: { total_tokens: 36 } });
    expect(data(text).at(-1)).toBe("[DONE]");
    const plain = eventsOf(await (await post(PATH, ask(THREE, { stream: true }))).text());
    expect(plain).toHaveLength(3);
  });

  describe("that is slow", () => {
    let time: VirtualTime;
    beforeEach(() => {
      time = new VirtualTime();
    });
    async function begun() {
      const verifier = fakeVerifier(longest, { gate: new Promise(() => undefined) });
      const pending = setUp({ verifier, ...time.ports }).post(
        `${PATH}?deadline_ms=12000`,
        ask(THREE, { stream: true }),
      );
      await expect.poll(() => verifier.jobs).toHaveLength(1);
      await time.advance(LIMITS.heartbeat_ms);
      return { verifier, response: await pending };
    }

    test("begins after heartbeat_ms, is kept alive by comments, and tells a late failure as an error without [DONE]", async () => {
      const { response } = await begun();
      await time.advance(12_000 - LIMITS.heartbeat_ms);
      const text = await response.text();
      expect(text).toContain(": keep-alive\n\n");
      expect(text).not.toMatch(/\[DONE\]|boxed/);
      expect(eventsOf(text).at(-1)).toMatchObject({ error: { type: "server_error", code: "deadline" } });
    });

    test("ends the verifier's work when its reader goes", async () => {
      const { verifier, response } = await begun();
      await response.body?.cancel();
      expect(verifier.calls[0]?.signal.reason).toBe("cancelled");
    });
  });
});

describe("/v1/models", () => {
  const ids = async (deps: Parameters<typeof setUp>[0]) => {
    const reply = await replyOf(ModelsReplySchema, await setUp(deps).call("/v1/models"));
    return reply.data.map(({ id }) => id);
  };

  test("lists default first, then the stored specs", async () => {
    expect(await ids({})).toEqual(["default"]);
    expect(await ids({ specs: fakeSpecStore({ b: BUILT_IN_DEFAULT, a: BUILT_IN_DEFAULT }) })).toEqual([
      "default",
      "a",
      "b",
    ]);
  });

  test("needs no database, but does not hide one that fails", async () => {
    expect(await ids({ specs: unconfiguredNames("DATABASE_URL") })).toEqual(["default"]);
    const broken = setUp({ specs: { ...fakeSpecStore(), names: () => Promise.reject(new Error("down")) } });
    expect((await faultOf(await broken.call("/v1/models"), 500)).error).toMatchObject({ type: "server_error" });
  });
});
