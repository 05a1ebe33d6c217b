// Holds what ordered fallback guarantees: what a backend could not answer goes to the next, nothing
// else does, and each sample is reported once with its judge.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createFallbackVerifier } from "../../src/verifier/fan-out/fallback.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { type FakeVerifier, fakeVerifier } from "../harness/fakes.ts";
import { answer, chunk, event, raw, reset } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import fc from "../harness/property.ts";
import { callWith, expectedKeys, judged, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { ManualTime } from "./gateway-setup.ts";
import { clock, gate, instantTimer } from "./setup.ts";

const CODES = [
  "verifier_unavailable",
  "verifier_overloaded",
  "verifier_rejected",
  "verifier_bad_reply",
  "deadline",
] as const;
const HANDED_ON: readonly (string | null)[] = ["verifier_unavailable", "verifier_overloaded"];

/** A backend whose sample numbers say what becomes of them. */
const scripted = (name: string, plan: (shown: readonly number[], sample: number) => (typeof CODES)[number] | null) =>
  fakeVerifier((_, { question, sample }) => {
    const error = plan(question.shown, sample);
    return error === null ? { answer: "no box here", model: `model of ${name}`, backend: name } : { error };
  });

async function asked(
  verifiers: readonly [FakeVerifier, ...FakeVerifier[]],
  job = pairsJob(3, 4),
  strict_model = false,
) {
  const reported: Generation[] = [];
  const call = callWith(new AbortController().signal, { strict_model });
  await createFallbackVerifier(verifiers, clock)
    .session(call)
    .judge(job, (generation) => reported.push(generation));
  return reported;
}

describe("ordered fallback", () => {
  it("hands on exactly what failed for want of a backend, for any failures of any two backends", () => {
    const code = fc.constantFrom(null, ...CODES);
    return fc.assert(
      fc.asyncProperty(
        fc.array(code, { minLength: 12, maxLength: 12 }),
        fc.array(code, { minLength: 12, maxLength: 12 }),
        async (one, two) => {
          const job = pairsJob(3, 4);
          const place = ([a = 0, b = 0]: readonly number[], sample: number) => (a + b - 1) * 4 + sample;
          const first = scripted("one", (order, sample) => one[place(order, sample)] ?? null);
          const second = scripted("two", (order, sample) => two[place(order, sample)] ?? null);
          const reported = await asked([first, second], job);
          expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
          for (const { question, sample, error, backend = null } of reported) {
            const at = place(job.questions[question]?.shown ?? [], sample);
            const handedOn = HANDED_ON.includes(one[at] ?? null);
            expect(error).toBe(handedOn ? (two[at] ?? null) : (one[at] ?? null));
            if (error === null) expect(backend).toBe(handedOn ? "two" : "one");
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("asks the next backend without early stop for a question that has verdicts already", async () => {
    const first = scripted("one", (_, sample) => (sample === 1 ? "verifier_unavailable" : null));
    const second = scripted("two", () => null);
    const questions = [{ id: 9, shown: [1, 0], samples: 3, first_sample: 0, stop: "majority" as const }];
    await asked([first, second], { ...pairsJob(2), questions });
    expect(second.jobs[0]?.questions).toEqual([{ id: 0, shown: [1, 0], samples: 1, first_sample: 1, stop: "all" }]);
  });

  it("asks the next backend with as few tokens as the first was to have", async () => {
    const first = scripted("one", () => "verifier_unavailable");
    const second = scripted("two", () => null);
    const questions = [{ id: 9, shown: [1, 0], samples: 2, max_tokens: 5 }];
    await asked([first, second], { ...pairsJob(2), questions });
    expect(second.jobs[0]?.questions).toMatchObject([{ shown: [1, 0], samples: 2, max_tokens: 5 }]);
  });

  it("does not open a session on a backend that is not needed", async () => {
    const second = scripted("two", () => null);
    await asked([scripted("one", () => null), second]);
    expect(second.calls).toEqual([]);
  });

  it("stays with the first under strict_model", async () => {
    const second = scripted("two", () => null);
    const reported = await asked([scripted("one", () => "verifier_unavailable"), second], pairsJob(3), true);
    expect(reported.map(({ error }) => error)).toEqual(Array(3).fill("verifier_unavailable"));
    expect(second.calls).toEqual([]);
  });

  it("begins with the backend that is configured with the model that is asked for, and hands on in order", async () => {
    const make = (name: string, model: string, failing: boolean) => ({
      ...scripted(name, () => (failing ? "verifier_unavailable" : null)),
      model,
    });
    const answeredBy = async (asks: string | null, smallFails: boolean, strict_model = false) => {
      const [large, small] = [make("one", "large", false), make("two", "small", smallFails)];
      const call = { ...callWith(new AbortController().signal, { strict_model }), model: asks };
      const reported: Generation[] = [];
      const session = createFallbackVerifier([large, small], clock).session(call);
      await session.judge(pairsJob(2), (generation) => reported.push(generation));
      return reported.map(({ backend = null, error }) => backend ?? error);
    };
    expect(await answeredBy(null, false)).toEqual(["one"]);
    expect(await answeredBy("large", false)).toEqual(["one"]);
    expect(await answeredBy("small", false)).toEqual(["two"]);
    expect(await answeredBy("another", false)).toEqual(["one"]);
    expect(await answeredBy("small", true)).toEqual(["one"]);
    expect(await answeredBy("small", true, true)).toEqual(["verifier_unavailable"]);
  });

  it("asks the next when a backend has said nothing at all for half of what was left", async () => {
    const time = new ManualTime();
    const { schedule, clock } = time;
    // Speaks 40 s later, and again after 40 s, on one of three questions: both times a comment too
    // short to fill any buffer.
    const speaks = Promise.withResolvers<() => void>();
    const fetcher: typeof fetch = async (_, init) => {
      const body = new ReadableStream({
        type: "bytes",
        start(stream) {
          speaks.resolve(() => stream.enqueue(new TextEncoder().encode(": alive\n\n")));
          init?.signal?.addEventListener("abort", () => stream.error(new Error("aborted")));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const backend = new Backend({ name: "first", hedging: false });
    const config = { url: "http://backend", model: "m", apiKey: null, schedule, backend, fetch: fetcher };
    const second = scripted("two", () => null);
    const verifier = createFallbackVerifier([createOpenAiVerifier(config, clock), second], clock);
    const reported: Generation[] = [];
    const call = callWith(new AbortController().signal, { deadline_at: clock.now() + 90_000 });
    const judging = verifier.session(call).judge(pairsJob(3), (generation) => reported.push(generation));
    const speak = await speaks.promise;
    time.pass(40_000);
    speak();
    await new Promise((resolve) => setImmediate(resolve));
    time.pass(5_000);
    time.fire();
    expect(time.pending.map(({ ms }) => ms)).toEqual([40_000]);
    time.pass(35_000);
    speak();
    await new Promise((resolve) => setImmediate(resolve));
    time.pass(5_000);
    time.fire();
    expect(time.pending.map(({ ms }) => ms)).toEqual([40_000]);
    expect(second.calls).toEqual([]);
    time.pass(40_000);
    time.fire();
    await judging;
    expect(reported.map(({ backend, error }) => [backend, error])).toEqual(Array(3).fill(["two", null]));
    expect(second.jobs[0]?.questions).toHaveLength(3);
    expect(time.pending).toEqual([]);
  });

  it.each([
    ["no deadline is known", undefined, 2, [LIMITS.fallback_silence_ms]],
    ["the deadline is far", 3_600_000, 2, [LIMITS.fallback_silence_ms]],
    ["three backends stand in line", 30_000, 3, [10_000, 15_000, null]],
  ])("waits so long for the first sign when %s", async (_, deadline_ms, count, waits) => {
    const verifiers = Array.from({ length: count }, (_, at) =>
      scripted(`${at}`, () => (at === count - 1 ? null : "verifier_unavailable")),
    ) as [FakeVerifier, ...FakeVerifier[]];
    const still = { ...clock, now: () => 1_000 };
    const call = callWith(
      new AbortController().signal,
      deadline_ms === undefined ? {} : { deadline_at: 1_000 + deadline_ms },
    );
    await createFallbackVerifier(verifiers, still)
      .session(call)
      .judge(pairsJob(2), () => {});
    expect(verifiers.map(({ calls }) => calls[0]?.silence_ms ?? null).slice(0, waits.length)).toEqual(waits);
    expect(verifiers.at(-1)?.calls[0]?.silence_ms).toBeUndefined();
  });

  it("hands nothing on once the signal has aborted", async () => {
    const controller = new AbortController();
    const second = scripted("two", () => null);
    const first = fakeVerifier(() => {
      controller.abort("deadline");
      return { error: "verifier_unavailable" };
    });
    const { reported } = await judged(createFallbackVerifier([first, second], clock), pairsJob(2), controller.signal);
    expect(reported).toMatchObject([{ error: "verifier_unavailable" }]);
    expect(second.calls).toEqual([]);
  });

  it("never lets a request send more than a Worker may, over all backends together", async () => {
    const first = scripted("one", () => "verifier_overloaded");
    const second = scripted("two", () => null);
    const questions = Array.from({ length: 100 }, (_, id) => ({ id, shown: [0, 1], samples: 64 }));
    const reported = await asked([first, second], { ...pairsJob(2), questions });
    expect(reported).toHaveLength(6400);
    expect(6400 * 2).toBeGreaterThan(LIMITS.subrequests_max);
    expect(second.calls).toEqual([]);
  });

  it("counts what groups that fail at the same moment hand on, and what is still to be sent", async () => {
    let n = 0;
    const first = scripted("one", () => (n++ % 10 < 4 ? "verifier_unavailable" : null));
    // Sends nothing before every group has handed on what it will.
    const { opened, open } = gate();
    const second = fakeVerifier(() => "\\boxed{A}", { gate: opened });
    const call = callWith(new AbortController().signal);
    const session = createFallbackVerifier([first, second], clock).session(call);
    const questions = Array.from({ length: 128 }, (_, id) => ({ id, shown: [0, 1], samples: 1 }));
    const groups = Array.from({ length: 64 }, () => session.judge({ ...pairsJob(2), questions }, () => {}));
    await new Promise((resolve) => setImmediate(resolve));
    open();
    await Promise.all(groups);
    const handed = second.jobs.reduce((sum, job) => sum + job.questions.length, 0);
    expect(handed).toBeGreaterThan(0);
    expect(64 * 128 + handed).toBeLessThanOrEqual(LIMITS.subrequests_max);
  });

  it("never lets more than six requests wait for headers, over both backends together", async () => {
    const { schedule } = instantTimer();
    let waiting = 0;
    let most = 0;
    const counting =
      (behaviour: () => ReturnType<typeof answer>): typeof fetch =>
      async () => {
        most = Math.max(most, ++waiting);
        await new Promise((resolve) => setImmediate(resolve));
        waiting--;
        return behaviour() === refuse
          ? new Response(null, { status: 503 })
          : new Response(DONE, { headers: { "content-type": "text/event-stream" } });
      };
    const refuse = reset();
    const DONE = 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n';
    const make = (fetcher: typeof fetch) =>
      createOpenAiVerifier({ url: "http://backend", model: "m", apiKey: null, schedule, fetch: fetcher }, clock);
    const fine = answer("");
    const verifier = createFallbackVerifier([make(counting(() => refuse)), make(counting(() => fine))], clock);
    const session = verifier.session(callWith(new AbortController().signal));
    const codes: (string | null)[] = [];
    await Promise.all([8, 5, 6].map((size) => session.judge(pairsJob(size), ({ error }) => codes.push(error))));
    expect(new Set(codes)).toEqual(new Set([null]));
    expect(most).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
  });

  it("is ready while one backend is, and says of each how it is", async () => {
    const bad = fakeVerifier(() => "", { health: { ok: false, latency_ms: 3, detail: "not reachable" } });
    const fine = fakeVerifier(() => "", { health: { ok: true, latency_ms: 7 } });
    expect(await createFallbackVerifier([bad, fine], clock).check()).toMatchObject({
      ok: true,
      latency_ms: 7,
      backends: [{ ok: false, detail: "not reachable", breaker: "closed" }, { ok: true }],
    });
    expect(await createFallbackVerifier([bad, bad], clock).check()).toMatchObject({ ok: false });
  });
});

describe("an engine that fails in the middle of an answer", () => {
  it.each([
    ["dies", { message: "EngineCore encountered an issue.", type: "InternalServerError", param: null, code: 500 }],
    ["is too busy after all", { message: "Too many requests.", type: "TooManyRequests", code: 429 }],
    ["says so in OpenAI's words", { message: "Sorry.", type: "server_error", param: null, code: null }],
  ])("and %s hands every generation on", async (_, error) => {
    const { schedule } = instantTimer();
    const first = await startMockVerifier(() => raw([chunk({ content: "\\boxed" }), event({ error })]));
    const second = await startMockVerifier(() => answer("\\boxed{A}"));
    const make = (url: string, name: string) =>
      createOpenAiVerifier(
        { url, model: "m", apiKey: null, schedule, backend: new Backend({ name, hedging: false }) },
        clock,
      );
    const verifier = createFallbackVerifier([make(first.url, "first"), make(second.url, "second")], clock);
    const { reported } = await judged(verifier, pairsJob(3, 4));
    expect(reported.map(({ error, backend }) => [error, backend])).toEqual(Array(12).fill([null, "second"]));
    await Promise.all([first.close(), second.close()]);
  });
});
