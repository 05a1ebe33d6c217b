// Idempotency-Key through the whole app over fakes: what is computed once, replayed, refused, given
// back.
import { describe, expect, it } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { IdempotentReplies } from "../../../src/objects/idempotency/reply.ts";
import { longest, problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeVerifier, type Script } from "../../harness/fakes.ts";

const key = { "idempotency-key": "step-7-batch-0" };
const scored = (response: Response) => response.json() as Promise<RewardsReply>;
const verdictsBody = {
  formulation: "list_em",
  run_id: "r",
  items: [{ text: "\\boxed{B}", candidates: 3, correct: 1 }],
};

/** An app whose verifier waits until the gate opens. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const verifier = fakeVerifier(longest, { gate: gate.promise });
  return { ...setUp({ verifier }), verifier, open: gate.resolve };
}

describe("the same key and body", () => {
  it.each([
    ["/v1/rewards", { ...twoRollouts(), run_id: "r" }],
    ["/v1/verdicts", verdictsBody],
    ["/v1/score_batch", { prompts: ["p", "p"], completions: ["a", "bb"] }],
  ])("of %s get the first reply byte for byte, and leave one log entry", async (path, body) => {
    const { post, runLog, verifier } = setUp();
    const first = await post(path, body, key);
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null]);
    const text = await first.text();
    const again = await post(path, body, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"));
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(await again.text()).toBe(text);
    expect(runLog.entries).toHaveLength(1);
    expect(verifier.jobs.length).toBeLessThanOrEqual(1);
  });

  it("get the first stream", async () => {
    const { post, runLog } = setUp();
    const headers = { ...key, accept: "application/x-ndjson" };
    const first = await (await post("/v1/rewards", twoRollouts(), headers)).text();
    const again = await post("/v1/rewards", twoRollouts(), headers);
    expect(again.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(await again.text()).toBe(first);
    expect(runLog.entries).toHaveLength(1);
  });

  it("wait while the first is still running, and get its reply", async () => {
    const { post, verifier, open, runLog } = gated();
    const running = post("/v1/rewards", twoRollouts(), key);
    await expect.poll(() => verifier.jobs.length).toBe(1);
    const waiting = [1, 2, 3].map(() => post("/v1/rewards", twoRollouts(), key));
    open();
    const texts = await Promise.all([running, ...waiting].map(async (reply) => (await reply).text()));
    expect(new Set(texts).size).toBe(1);
    expect([verifier.jobs.length, runLog.entries.length]).toEqual([1, 1]);
  });

  it("are told to come back when they would rather not wait", async () => {
    const { post, verifier, open } = gated();
    const running = post("/v1/rewards", twoRollouts(), key);
    await expect.poll(() => verifier.jobs.length).toBe(1);
    const refused = await post("/v1/rewards", twoRollouts(), { ...key, prefer: "wait=0" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await problemOf(refused)).toMatchObject({ status: 409, code: "idempotency_in_progress", retryable: true });
    open();
    await (await running).text();
  });
});

describe("the same key", () => {
  it("with another body, query, Accept or route is another request", async () => {
    const { post } = setUp();
    await (await post("/v1/rewards", twoRollouts(), key)).text();
    const other = await problemOf(await post("/v1/rewards", { ...twoRollouts(), step: 1 }, key));
    expect(other).toMatchObject({ status: 422, code: "idempotency_key_reused", retryable: false });
    const stream = await post("/v1/rewards", twoRollouts(), { ...key, accept: "application/x-ndjson" });
    expect(stream.status).toBe(422);
    expect((await post("/v1/verdicts", verdictsBody, key)).status).toBe(200);
  });

  it("of another caller is another key", async () => {
    const digest = async (text: string) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    const keys = [
      { name: "one", digest: await digest("1") },
      { name: "two", digest: await digest("2") },
    ];
    const { post, runLog } = setUp({ keys });
    for (const secret of ["1", "2"]) {
      const reply = await post("/v1/rewards", twoRollouts(), { ...key, "x-api-key": secret });
      expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([200, null]);
      await reply.text();
    }
    expect(runLog.entries.map(({ key_name }) => key_name)).toEqual(["one", "two"]);
  });

  it("computes anew after a failure that a retry can mend, and keeps what the retry brings", async () => {
    let down = true;
    const { post } = setUp({ script: (...asked) => (down ? { error: "verifier_unavailable" } : longest(...asked)) });
    const failed = await scored(await post("/v1/rewards", twoRollouts(), key));
    expect(failed.rewards).toEqual([[null, null]]);
    down = false;
    const mended = await post("/v1/rewards", twoRollouts(), key);
    expect(mended.headers.get("idempotent-replayed")).toBe(null);
    const reply = await scored(mended);
    expect(reply.rewards).toEqual([[1, 0]]);
    expect(reply.request_id).not.toBe(failed.request_id);
    expect(await scored(await post("/v1/rewards", twoRollouts(), key))).toEqual(reply);
  });

  it("keeps a missing reward that no retry can mend", async () => {
    const { post } = setUp({ script: () => ({ error: "verifier_rejected" }) });
    await (await post("/v1/rewards", twoRollouts(), key)).text();
    const again = await post("/v1/rewards", twoRollouts(), key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("is free again after a request that was refused", async () => {
    const { post } = setUp();
    expect((await post("/v1/rewards", { groups: [] }, key)).status).toBe(400);
    expect((await post("/v1/rewards", twoRollouts(), key)).status).toBe(200);
  });

  it("is free again when the client goes before the reply is whole", async () => {
    const { post, verifier, open } = gated();
    const headers = { ...key, accept: "application/x-ndjson" };
    const alone = { prompt: "q", rollouts: [{ text: "x" }] };
    const body = { groups: [alone, ...twoRollouts().groups] };
    const first = await post("/v1/rewards", body, headers);
    const reader = (first.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    open();
    const again = await post("/v1/rewards", body, headers);
    expect(again.headers.get("idempotent-replayed")).toBe(null);
    expect(await again.text()).toContain('"type":"done"');
    expect(verifier.jobs).toHaveLength(2);
  });
});

it.each(["", "a b", "é", "x".repeat(LIMITS.idempotency_key_chars + 1)])("a key %j is refused by name", async (bad) => {
  const { app } = setUp();
  const headers = new Headers({ "content-type": "application/json" });
  const init = { method: "POST", body: JSON.stringify(twoRollouts()), headers };
  headers.set("idempotency-key", bad);
  const reply = await app.request("http://localhost/v1/rewards", init);
  expect(await problemOf(reply)).toMatchObject({ status: 400, errors: [{ path: "Idempotency-Key" }] });
});

describe("an outcome with gaps", () => {
  it("gives its key up before it is logged, so that no other outcome ever comes under the id in the log", async () => {
    let working = false;
    const script: Script = (shown, about) => (working ? longest(shown, about) : { error: "verifier_unavailable" });
    const app = setUp({ script });
    const { append } = app.runLog;
    const again: RewardsReply[] = [];
    app.runLog.append = async (entry) => {
      if (!working) {
        working = true;
        again.push(await scored(await app.post("/v1/rewards", twoRollouts(), { ...key, prefer: "wait=0" })));
      }
      await append.call(app.runLog, entry);
    };
    const first = await scored(await app.post("/v1/rewards", twoRollouts(), key));
    expect(first.rewards).toEqual([[null, null]]);
    expect(again[0]?.rewards).toEqual([[1, 0]]);
    expect(again[0]?.request_id).not.toBe(first.request_id);
  });

  it("is logged under the request's own id when another's was taken over, whose outcome may be in the log already", async () => {
    const crashed = "01K00000000000000000000000";
    const replies: IdempotentReplies = {
      begin: async () => ({ state: "new", request_id: crashed }),
      renew: async () => {},
      complete: async (_name, _fingerprint, reply) => reply,
      release: async () => {},
      drop: async () => {},
      wait: async () => {},
    };
    const whole = setUp({ replies });
    expect((await scored(await whole.post("/v1/rewards", twoRollouts(), key))).request_id).toBe(crashed);
    const gaps = setUp({ replies, script: () => ({ error: "verifier_unavailable" }) });
    const { request_id } = await scored(await gaps.post("/v1/rewards", twoRollouts(), key));
    expect(request_id).not.toBe(crashed);
    expect(gaps.runLog.entries.map((entry) => entry.request_id)).toEqual([request_id]);
  });

  it.each([
    ["no_tests", { kind: "tests", score: "rate" }, { tests: [] }],
    ["no_steps", { kind: "steps" }, { step_scores: [null] }],
  ])("that are %s alone is kept, since the same request would have them again", async (code, signal, facts) => {
    const { post, runLog } = setUp();
    const rollouts = ["a", "b"].map((text) => ({ text, ...facts }));
    const body = { spec: { signals: { one: signal } }, groups: [{ prompt: "p", rollouts }] };
    const first = await post("/v1/rewards", body, key);
    const text = await first.text();
    expect(JSON.parse(text).groups[0].rollouts[0]).toMatchObject({ reward: null, error: code });
    const again = await post("/v1/rewards", body, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.text()).toBe(text);
    expect(runLog.entries).toHaveLength(1);
  });
});
