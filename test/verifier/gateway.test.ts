// Holds what one request through the verify adapter guarantees: the question sent, events become
// reports, faults named, the health check.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { chatPrompts } from "../../src/core/judges/render.ts";
import { VERIFY_REVISION, VerifyRequestSchema } from "../../src/core/wire/verify-protocol.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { raw, silence, status } from "../harness/mock-behaviours.ts";
import {
  accepted,
  answers,
  broken,
  done,
  events,
  failure,
  heartbeat,
  line,
  samplesOf,
  saved,
  startMockGateway,
  verdict,
} from "../harness/mock-gateway.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import fc from "../harness/property.ts";
import { callWith, judged, pairsJob } from "../port-contracts/verifier.contract.ts";
import { withGateway } from "./gateway-setup.ts";
import { clock, instantTimer } from "./setup.ts";

const anySignal = () => new AbortController().signal;

describe("the question", () => {
  it("is one request a job: every candidate once, comparisons by index, the call's settings, the key", () =>
    withGateway(
      (asked) => answers(asked),
      async (gateway, verifier) => {
        const job = pairsJob(4, 2);
        const questions = job.questions.map((c) => ({ ...c, stop: "majority" as const }));
        const call = callWith(anySignal(), { temperature: 0.25, top_p: 0.5, deadline_at: clock.now() + 9_000 });
        await verifier.session(call).judge({ ...job, questions }, () => {});
        expect(gateway.requests).toHaveLength(1);
        const [request] = gateway.requests;
        expect(request).toMatchObject({
          prompt: "code-select",
          form: "exact_match",
          model: null,
          sampling: { temperature: 0.25, top_p: 0.5, max_tokens: 64, seed: 7 },
          soft: false,
        });
        expect(request?.deadline_ms).toBeGreaterThan(8_000);
        expect(request?.deadline_ms).toBeLessThanOrEqual(9_000);
        expect(request?.groups).toEqual([
          {
            group_id: "0",
            question: job.question,
            language: "python",
            candidates: job.candidates,
            comparisons: questions.map(({ shown, ...c }) => ({ ...c, order: shown, first_sample: 0 })),
          },
        ]);
        expect(gateway.mock.log[0]?.headers).toMatchObject({
          authorization: "Bearer secret",
          accept: "application/x-ndjson",
          "content-type": "application/json",
        });
      },
      { apiKey: "secret" },
    ));

  it("carries one id for all groups of a request, and another for another request", () =>
    withGateway(
      (asked) => answers(asked),
      async (gateway, verifier) => {
        for (let request = 0; request < 2; request++) {
          const session = verifier.session(callWith(anySignal()));
          await Promise.all([session.judge(pairsJob(3, 1), () => {}), session.judge(pairsJob(2, 1), () => {})]);
        }
        const ids = gateway.mock.log.map(({ headers }) => headers["x-request-id"]);
        expect(ids[0]).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
        expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
        expect(ids[2]).not.toBe(ids[0]);
      },
    ));

  it.each([
    [null, null, null],
    [null, "configured", "configured"],
    ["asked", "configured", "asked"],
  ])(
    "names the call's model, else the configured one, else leaves it to the gateway (%s, %s)",
    (called, configured, sent) =>
      withGateway(
        (asked) => answers(asked),
        async (gateway, verifier) => {
          await verifier.session(callWith(anySignal(), { model: called })).judge(pairsJob(2), () => {});
          expect(gateway.requests[0]?.model).toBe(sent);
        },
        { model: configured },
      ),
  );

  it("carries large groups and halves of surrogate pairs unharmed", () =>
    withGateway(
      (asked) => answers(asked),
      async (gateway, verifier) => {
        const long = 'print("ü\\n")\n'.repeat(30_000);
        const candidates = [`${long}a\ud800`, `\udc00b${long}`, "c\u2028"];
        const { reported } = await judged(verifier, { ...pairsJob(3), candidates });
        expect(reported.map(({ error }) => error)).toEqual([null, null, null]);
        expect(gateway.requests[0]?.groups[0]?.candidates).toEqual(candidates);
      },
    ));

  it("reaches the gateway by any form of its address", async () => {
    const gateway = await startMockGateway((asked) => answers(asked));
    for (const path of ["", "/", "/v1", "/v1/", "/v1/verify"]) {
      const verifier = createGatewayVerifier({ url: gateway.url + path, model: null, apiKey: null }, clock);
      expect((await judged(verifier, pairsJob(2))).reported).toMatchObject([{ error: null }]);
      expect(await verifier.check()).toMatchObject({ ok: true });
    }
    await gateway.close();
    expect(() => createGatewayVerifier({ url: "http://u:p@h", model: null, apiKey: null }, clock)).toThrow(TypeError);
  });
});

/** The result of a job of one pair, sampled `samples` times with early stop, when the gateway behaves so. */
async function outcomeOf(behave: Parameters<typeof withGateway>[0], samples = 1) {
  const { schedule } = instantTimer();
  let result: Awaited<ReturnType<typeof judged>> | undefined;
  await withGateway(
    behave,
    async (_, verifier) => {
      const job = pairsJob(2, samples);
      result = await judged(verifier, {
        ...job,
        questions: job.questions.map((c) => ({ ...c, stop: "majority" })),
      });
    },
    { schedule },
  );
  const { reported, stats } = result as Awaited<ReturnType<typeof judged>>;
  return { reported, requests: stats.requests };
}

describe("the reply", () => {
  it("becomes one report a sample: verdicts, saved ones and errors, whatever else is said in between", async () => {
    const { reported, requests } = await outcomeOf((asked) => {
      const [a, b, c, d] = samplesOf(asked) as [never, never, never, never];
      return events([
        accepted(asked),
        heartbeat,
        verdict(b, {
          answer: "\\boxed{B}",
          thinking: "unclosed",
          finish_reason: "repetition",
          total_ms: 31.5,
          model: "the gateway's",
        }),
        { type: "progress", of: "tomorrow" },
        { ...failure(a, "verifier_rejected"), more: 1 },
        saved(a, [2, 3], 40),
        verdict(b, { answer: "a second verdict on the same sample" }),
        verdict(c),
        verdict(d),
        done,
      ]);
    }, 4);
    expect(requests).toBe(1);
    const none = { answer: null, thinking: "none", finish_reason: null, prompt_tokens: 0, completion_tokens: 0 };
    const by = { backend: "verifier", model: null };
    expect(reported).toEqual([
      {
        question: 0,
        sample: 1,
        answer: "\\boxed{B}",
        thinking: "unclosed",
        finish_reason: "repetition",
        error: null,
        prompt_tokens: 11,
        completion_tokens: 7,
        latency_ms: 31.5,
        ...by,
        model: "the gateway's",
      },
      { question: 0, sample: 0, ...none, ...by, error: "verifier_rejected", latency_ms: expect.any(Number) },
      { question: 0, sample: 2, ...none, ...by, error: null, saved: true, completion_tokens: 40, latency_ms: 0 },
      { question: 0, sample: 3, ...none, ...by, error: null, saved: true, latency_ms: 0 },
    ]);
  });

  it("is the same wherever the network cut it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 8 }), async (cuts) => {
        const { reported } = await outcomeOf((asked) => {
          const [a] = samplesOf(asked) as [never];
          const sent = [accepted(asked), heartbeat, verdict(a, { answer: "ü\u2028 \\boxed{Ā}" }), done];
          const bytes = new TextEncoder().encode(sent.map(line).join("\r\n").trimEnd());
          const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((x, y) => x - y), bytes.length];
          const pieces = places.slice(1).map((place, i) => bytes.slice(places[i], place));
          return raw(pieces.filter(({ length }) => length > 0));
        });
        expect(reported).toMatchObject([{ answer: "ü\u2028 \\boxed{Ā}", error: null }]);
      }),
      { numRuns: 30 },
    );
  });

  it("reports what has come although the next line has not", () =>
    withGateway(
      (asked) => {
        const [a] = samplesOf(asked) as [never];
        return broken("silence", [accepted(asked), verdict(a)]);
      },
      async (_, verifier) => {
        const controller = new AbortController();
        const codes: (string | null)[] = [];
        await verifier.session(callWith(controller.signal)).judge(pairsJob(2, 2), ({ error }) => {
          codes.push(error);
          controller.abort("deadline");
        });
        expect(codes).toEqual([null, "deadline"]);
      },
    ));

  it.each<[string, Behaviour, string]>([
    ["that says done too early", events([done]), "verifier_bad_reply"],
    ["with a line beyond reply_line_bytes", raw(["x".repeat(LIMITS.reply_line_bytes + 1)]), "verifier_bad_reply"],
    ["with an event out of shape", events([{ type: "verdict", sample: 0 }, done]), "verifier_bad_reply"],
    [
      "about a sample that was never asked",
      events([verdict({ group_id: "0", comparison: 0, sample: 1, shown: [] }), done]),
      "verifier_bad_reply",
    ],
    [
      "that saves the only sample",
      events([saved({ group_id: "0", comparison: 0, sample: 0, shown: [] }, [0]), done]),
      "verifier_bad_reply",
    ],
    ["of status 401", status(401), "verifier_misconfigured"],
    ["of status 413", status(413), "verifier_rejected"],
    ["of status 500", status(500), "verifier_unavailable"],
    ["that redirects", status(307, { location: "http://127.0.0.1:1/" }), "verifier_bad_reply"],
  ])("%s is a failure, asked once and named", async (_, behaviour, error) => {
    const { reported, requests } = await outcomeOf(() => behaviour);
    expect(reported).toMatchObject([{ answer: null, error, finish_reason: null }]);
    expect(requests).toBe(1);
  });
});

it("a request that may hold something new has a revision of its own: raise it with the digest here", () => {
  const withoutWords = (key: string, value: unknown) => (key === "description" ? undefined : value);
  const may = [z.toJSONSchema(VerifyRequestSchema, { io: "input", unrepresentable: "any" }), chatPrompts().sort()];
  const digest = createHash("sha256").update(JSON.stringify(may, withoutWords)).digest("hex").slice(0, 16);
  expect({ revision: VERIFY_REVISION, digest }).toEqual({ revision: 3, digest: "58155b5e43ff5594" });
});

describe("the health check", () => {
  const health = async (ready: { status: number; body: unknown }) => {
    let said: unknown;
    await withGateway(
      () => silence(),
      async (_, verifier) => {
        said = await verifier.check();
      },
      { mock: { ready } },
    );
    return said;
  };

  it("repeats what the gateway says of its engines", async () => {
    const detail = "0 of 2 engines serve the model (not reachable)";
    expect(await health({ status: 503, body: { status: "not_ready", engine: { ok: false, detail } } })).toMatchObject({
      ok: false,
      detail,
    });
  });

  it("says of a gateway that is older than this edge that it is to be deployed, and asks it all the same", async () => {
    const engine = { ok: true, context_tokens: 32_768 };
    const detail = "gateway is older than this edge: deploy it too";
    for (const revision of [undefined, VERIFY_REVISION - 1])
      expect(await health({ status: 200, body: { status: "ready", revision, engine } })).toMatchObject({
        ...{ ok: true, context_tokens: 32_768, detail },
      });
    for (const revision of [VERIFY_REVISION, VERIFY_REVISION + 1])
      expect(await health({ status: 200, body: { status: "ready", revision, engine } })).not.toHaveProperty("detail");
  });

  it.each([
    [503, { status: "draining", engine: { ok: true, detail: "fine" } }, "gateway is shutting down"],
    [401, {}, "key refused: VERIFIER_API_KEY"],
    [404, { error: "no such page" }, "status 404"],
    [503, null, "status 503"],
  ])("names status %i", async (code, body, detail) => {
    expect(await health({ status: code, body })).toMatchObject({ ok: false, detail });
  });
});
