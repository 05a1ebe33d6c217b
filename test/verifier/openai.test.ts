// Holds what one generation through the openai adapter guarantees: the question sent, the answer
// assembled, faults named.
import { describe, expect, it } from "vitest";
import { createRenderer } from "../../src/core/judges/render.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import {
  answer,
  chunk,
  contextLength,
  cut,
  cutRefusal,
  document,
  event,
  raw,
  silence,
  status,
  usageChunk,
} from "../harness/mock-behaviours.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { callWith, judged, pairsJob } from "../port-contracts/verifier.contract.ts";
import { instantTimer, withMock } from "./setup.ts";

/** The result of one generation when the backend behaves so. */
async function one(behaviour: Behaviour) {
  const { schedule } = instantTimer();
  let generation: Awaited<ReturnType<typeof judged>>["reported"][0] | undefined;
  let requests = 0;
  await withMock(
    () => behaviour,
    async (mock, verifier) => {
      const { reported } = await judged(verifier, pairsJob(2));
      generation = reported[0];
      requests = mock.log.length;
    },
    { schedule },
  );
  if (generation === undefined) throw new Error("nothing was reported");
  return { ...generation, requests };
}

describe("the question", () => {
  it("carries the call's settings, the rendered messages, and asks for a stream with usage", async () => {
    await withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        const job = pairsJob(2);
        const session = verifier.session(callWith(new AbortController().signal, { temperature: 0.25, top_p: 0.5 }));
        await session.judge(job, () => {});
        const { body, headers } = mock.log[0] ?? {};
        expect(body).toMatchObject({
          model: "mock-model",
          temperature: 0.25,
          top_p: 0.5,
          max_tokens: 64,
          stream: true,
          stream_options: { include_usage: true },
          messages: createRenderer("code-select", "exact_match", job)([0, 1]),
        });
        expect(body).not.toHaveProperty("n");
        expect(headers?.authorization).toBe("Bearer secret");
      },
      { apiKey: "secret" },
    );
  });

  it("names the call's model when it has one", () =>
    withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        await verifier.session(callWith(new AbortController().signal, { model: "other" })).judge(pairsJob(2), () => {});
        expect(mock.log[0]?.body.model).toBe("other");
      },
    ));

  it("gives equal work equal seeds wherever it stands, and different work different ones", () =>
    withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        const job: VerifierJob = { ...pairsJob(4, 4) };
        const seeds = async (asked: VerifierJob, seed = 7) => {
          mock.log.length = 0;
          await verifier.session(callWith(new AbortController().signal, { seed })).judge(asked, () => {});
          return mock.log.map(({ body }) => `${JSON.stringify(body.messages)} ${body.seed}`).sort();
        };
        const first = await seeds(job);
        const turned = await seeds({
          ...job,
          questions: [...job.questions].reverse().map((c, id) => ({ ...c, id })),
        });
        expect(turned).toEqual(first);
        const numbers = mock.log.map(({ body }) => body.seed);
        expect(new Set(numbers).size).toBe(24);
        expect(numbers.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
        expect(await seeds(job, 8)).not.toEqual(first);
        const moved = await seeds({ ...job, questions: [{ id: 0, shown: [0, 1], samples: 1, first_sample: 3 }] });
        expect(first).toContain(moved[0]);
      },
    ));

  it("is sendable even when a candidate holds half a surrogate pair", () =>
    withMock(
      () => answer("\\boxed{A}"),
      async (mock, verifier) => {
        await judged(verifier, { ...pairsJob(2), candidates: ["a\ud800b", "c"] });
        expect(mock.log[0]?.body.messages.at(-1)?.content).toContain("a<U+D800>b");
        expect(JSON.stringify(mock.log[0]?.body)).not.toMatch(/\\ud8/i);
      },
    ));

  it("is rendered only when its turn has come", () => {
    let rendered = 0;
    const counting: typeof createRenderer = (...args) => {
      const render = createRenderer(...args);
      return (order) => {
        rendered++;
        return render(order);
      };
    };
    return withMock(
      () => silence(),
      async (mock, verifier) => {
        const controller = new AbortController();
        const judging = judged(verifier, pairsJob(16), controller.signal);
        await mock.until(({ log }) => log.length === 6);
        expect(rendered).toBe(6);
        controller.abort("cancelled");
        await judging;
        expect(rendered).toBe(6);
      },
      { createRenderer: counting },
    );
  });

  it("rejects the job, and does not hang, when the prompt is unknown", () =>
    withMock(
      () => answer("\\boxed{A}"),
      async (_, verifier) => {
        const session = verifier.session(callWith(new AbortController().signal));
        await expect(session.judge({ ...pairsJob(3), preset: "no-such" }, () => {})).rejects.toThrow(
          "spec.judge.prompt: must be one of: code-select-cot",
        );
      },
    ));
});

describe("the answer", () => {
  const full = "First, <think>ü 🙂 thoughts</think>\n\\boxed{B}";

  it("is the content, with finish reason and usage", async () => {
    expect(await one(answer(full))).toMatchObject({
      answer: full,
      thinking: "none",
      finish_reason: "stop",
      prompt_tokens: 11,
      completion_tokens: 7,
      requests: 1,
    });
  });

  it.each(["reasoning", "reasoning_content"] as const)(
    "leaves %s apart and says that the answer followed",
    async (field) => {
      const got = await one(
        answer("\\boxed{B}", { reasoning: 'because "content":"x" '.repeat(50), reasoning_field: field }),
      );
      expect(got).toMatchObject({ answer: "\\boxed{B}", thinking: "closed" });
    },
  );

  it("is empty and unclosed when only reasoning came", async () => {
    const got = await one(answer("", { reasoning: "on and on", finish_reason: "length" }));
    expect(got).toMatchObject({ answer: "", thinking: "unclosed", finish_reason: "length", error: null });
  });

  it("keeps the finish reason `length`", async () => {
    expect(await one(answer("\\boxed{B", { finish_reason: "length" }))).toMatchObject({ finish_reason: "length" });
  });

  it("is untouched by keep-alive comments and by where the bytes were cut", async () => {
    expect((await one(answer(full, { comments: 3 }))).answer).toBe(full);
    const bytes = new TextEncoder().encode([...[...full].map((c) => chunk({ content: c })), event("[DONE]")].join(""));
    const split = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect((await one(raw(split))).answer).toBe(full);
  });

  it("needs an end: finish reason or [DONE], either will do", async () => {
    expect(await one(answer("x", { done: false }))).toMatchObject({ answer: "x", finish_reason: "stop" });
    expect(await one(answer("x", { finish_reason: null }))).toMatchObject({
      answer: "x",
      finish_reason: null,
      error: null,
    });
    expect(await one(answer("x", { done: false, finish_reason: null }))).toMatchObject({ error: "verifier_bad_reply" });
  });

  it("takes the last usage from servers that send it with every chunk", async () => {
    const parts = [chunk({ content: "x" }, "stop"), usageChunk(4, 1), usageChunk(4, 2), event("[DONE]")];
    expect(await one(raw(parts))).toMatchObject({ prompt_tokens: 4, completion_tokens: 2 });
  });

  it("is read from servers that do not stream, null content included", async () => {
    expect(await one(document({ content: "\\boxed{A}", reasoning_content: "hm" }))).toMatchObject({
      answer: "\\boxed{A}",
      thinking: "closed",
      prompt_tokens: 5,
    });
    expect(await one(document({ content: null, reasoning: "hm" }, "length"))).toMatchObject({
      answer: "",
      thinking: "unclosed",
      finish_reason: "length",
    });
  });

  it("forgets long thinking in the content but never whether it was closed", async () => {
    const long = "thoughts ".repeat(30_000);
    const closed = await one(answer(`<think>${long}</think>\\boxed{B}`, { piece: 500 }));
    expect(closed.answer).toMatch(/<\/think>\\boxed\{B\}$/);
    const open = await one(answer(`<think>${long}\\boxed{B}`, { piece: 500, finish_reason: "length" }));
    expect(open.answer?.startsWith("<think>")).toBe(true);
    expect(open.answer).not.toContain("</think>");
    expect(open.answer?.length).toBeLessThan(100_000);
    const reopened = await one(answer(`<think>a</think>b<think>${long}`, { piece: 500 }));
    expect(reopened.answer).toMatch(/^<\/think><think>/);
  });

  it.each<[string, Behaviour, string]>([
    ["beyond answer_chars_max", answer("x".repeat(1_100_000), { piece: 50_000 }), "verifier_bad_reply"],
    ["with a line beyond reply_line_bytes", raw([`data: ${"x".repeat(5_000_000)}`]), "verifier_bad_reply"],
    ["of malformed JSON", raw(["data: {oops\n\n"]), "verifier_bad_reply"],
    ["of the wrong shape", raw([event({ choices: [{ delta: { content: 5 } }] })]), "verifier_bad_reply"],
    ["with an error event", raw([event({ error: { message: "boom" } })]), "verifier_bad_reply"],
    ["with a 500 error event", raw([event({ error: { message: "boom", code: 500 } })]), "verifier_unavailable"],
    [
      "of a server's own fault in words",
      raw([event({ error: { type: "server_error", code: null } })]),
      "verifier_unavailable",
    ],
    ["with a 400 error event", raw([event({ error: { message: "long", code: 400 } })]), "verifier_rejected"],
    ["that the engine aborted", answer("\\boxed{A}", { finish_reason: "abort" }), "verifier_unavailable"],
    ["cut in good order", cut("end"), "verifier_bad_reply"],
    ["cut by a reset", cut("reset"), "verifier_unavailable"],
    ["of status 400 (context length)", contextLength(), "context_exceeded"],
    ["of status 413", status(413), "context_exceeded"],
    ["of status 400 (content filter)", status(400, {}, { code: "content_filter" }), "content_filtered"],
    ["of status 400 that breaks off", cutRefusal(), "context_exceeded"],
    [
      "with an error event in OpenAI's words",
      raw([event({ error: { message: "Too long.", code: "context_length_exceeded" } })]),
      "context_exceeded",
    ],
    ["cut by the server's filter", answer("", { finish_reason: "content_filter" }), "content_filtered"],
    ["of status 401", status(401), "verifier_misconfigured"],
    ["of status 404", status(404), "verifier_misconfigured"],
    ["of status 500", status(500), "verifier_unavailable"],
    ["that redirects", status(307, { location: "http://127.0.0.1:1/" }), "verifier_bad_reply"],
  ])("%s is a failure, asked once and named", async (_, behaviour, error) => {
    expect(await one(behaviour)).toMatchObject({ answer: null, error, finish_reason: null, requests: 1 });
  });
});
