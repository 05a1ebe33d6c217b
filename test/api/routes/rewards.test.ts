// The guarantees of POST /v1/rewards over fakes: replies, the log, streams, cancellation.
import { beforeEach, describe, expect, test } from "vitest";
import * as examples from "../../../scripts/build/openapi/examples.ts";
import type { AppDeps } from "../../../src/api/door/deps.ts";
import { RewardsEventSchema, type RewardsReply, RewardsReplySchema } from "../../../src/core/contract/rewards-reply.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { ULID_PATTERN } from "../../../src/platform/request-ids.ts";
import { unconfiguredVerifier } from "../../../src/verifier/unconfigured.ts";
import { fakeRunLog, fakeSpecStore, fakeVerifier, fixedClock } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { fenced, longest, problemOf, setUp, twoRollouts } from "./harness.ts";

const NDJSON = { accept: "application/x-ndjson" };

async function linesOf(response: Response) {
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => RewardsEventSchema.parse(JSON.parse(line)));
}

test("a group's rewards and win counts come back in input order, with an id, timings and logged: true", async () => {
  const { post, runLog } = setUp();
  const response = await post("/v1/rewards", { run_id: "r1", step: 3, ...twoRollouts() });
  expect(response.status).toBe(200);
  const reply = RewardsReplySchema.parse(await response.json());
  expect(reply).toMatchObject({ run_id: "r1", step: 3, rewards: [[1, 0]], logged: true, warnings: [] });
  expect(reply.groups[0]).toMatchObject({ group_id: "0", win_counts: [1, 0], selected: 0 });
  expect(reply.request_id).toMatch(ULID_PATTERN);
  expect(response.headers.get("x-request-id")).toBe(reply.request_id);
  expect(response.headers.get("server-timing")).toMatch(
    /^total;dur=[\d.]+, verifier;dur=[\d.]+, store;dur=[\d.]+, overhead;dur=[\d.]+$/,
  );
  expect(runLog.entries).toHaveLength(1);
  expect(runLog.entries[0]).toMatchObject({ request_id: reply.request_id, kind: "rewards", run_id: "r1", step: 3 });
});

test("the example of the OpenAPI document is accepted and answered as the schema says", async () => {
  const response = await setUp().post("/v1/rewards", examples.rewardsRequest);
  expect(response.status).toBe(200);
  RewardsReplySchema.parse(await response.json());
  RewardsReplySchema.strict().parse(examples.rewardsReply);
});

test("a failed log write returns the rewards with logged: false and a warning, and counts the failure", async () => {
  const { post, call, runLog, lines } = setUp();
  runLog.fault = new Error("password=hunter2 could not connect");
  const reply = (await (await post("/v1/rewards", twoRollouts())).json()) as RewardsReply;
  expect(reply).toMatchObject({ rewards: [[1, 0]], logged: false, warnings: ["log_failed"] });
  expect(JSON.stringify(lines)).not.toContain("hunter2");
  expect(await (await call("/metrics")).text()).toContain("kritai_log_failures_total 1");
});

test("verifier failures are nulls with a code in a 200 reply, and never numbers", async () => {
  const { post, call } = setUp({ script: () => ({ error: "verifier_unavailable" }) });
  const response = await post("/v1/rewards", twoRollouts());
  expect(response.status).toBe(200);
  const reply = (await response.json()) as RewardsReply;
  expect(reply.rewards).toEqual([[null, null]]);
  expect(reply.groups[0]?.rollouts.map((r) => r.error)).toEqual(["verifier_unavailable", "verifier_unavailable"]);
  expect(await (await call("/metrics")).text()).toContain('kritai_rewards_null_total{code="verifier_unavailable"} 2');
});

test("without a verifier the refusal names the variable", async () => {
  const { post } = setUp({ verifier: unconfiguredVerifier("VERIFIER_URL") });
  const problem = await problemOf(await post("/v1/rewards", twoRollouts()));
  expect(problem).toMatchObject({ status: 503, code: "not_configured", errors: [{ path: "VERIFIER_URL" }] });
});

test("a stream carries each group once, then done, which repeats the JSON reply's tail", async () => {
  const { post } = setUp();
  const body = { groups: [0, 1, 2].map((i) => ({ prompt: `p${i}`, rollouts: twoRollouts().groups[0]?.rollouts })) };
  const response = await post("/v1/rewards", body, NDJSON);
  expect(response.headers.get("content-type")).toContain("application/x-ndjson");
  const lines = await linesOf(response);
  expect(lines.map((l) => l.type)).toEqual(["group", "group", "group", "done"]);
  expect(lines.flatMap((l) => (l.type === "group" ? [l.index] : [])).sort()).toEqual([0, 1, 2]);
  expect(lines.at(-1)).toMatchObject({ type: "done", logged: true, request_id: response.headers.get("x-request-id") });
});

test("a fault before the first line of a stream is an ordinary problem", async () => {
  const { post } = setUp();
  const rollouts = Array.from({ length: 6 }, (_, i) => ({ text: fenced(`x = ${i}`) }));
  const body = { spec: { judge: { mode: "listwise" } }, groups: [{ prompt: "p", rollouts }] };
  const problem = await problemOf(await post("/v1/rewards", body, NDJSON));
  expect(problem).toMatchObject({ status: 400, code: "list_too_long" });
});

test("a fault after the first line of a stream is an error line, and the stream ends", async () => {
  const clock = fixedClock();
  let dates = 0;
  const failing = { ...clock, date: () => (++dates > 2 ? raise() : clock.date()) };
  const raise = (): never => {
    throw new Error("secret detail");
  };
  const { post } = setUp({ clock: failing });
  const lines = await linesOf(await post("/v1/rewards", twoRollouts(), NDJSON));
  expect(lines.map((l) => l.type)).toEqual(["group", "error"]);
  expect(lines[1]).toMatchObject({ code: "internal", retryable: true });
  expect(JSON.stringify(lines)).not.toContain("secret detail");
});

test("a stream that has nothing to say opens and beats every heartbeat_ms, which is inside 10 s", async () => {
  const time = new VirtualTime();
  const verifier = fakeVerifier(longest, { gate: new Promise(() => undefined) });
  const pending = setUp({ verifier, ...time.ports }).post(
    "/v1/rewards",
    { deadline_ms: 12_000, ...twoRollouts() },
    NDJSON,
  );
  await expect.poll(() => verifier.jobs).toHaveLength(1);
  await time.advance(LIMITS.heartbeat_ms);
  const response = await pending;
  await time.advance(12_000 - LIMITS.heartbeat_ms);
  const lines = await linesOf(response);
  expect(lines.map((l) => l.type)).toEqual(["heartbeat", "heartbeat", "group", "done"]);
  expect(lines[0]).toEqual({ type: "heartbeat", groups_done: 0, groups: 1 });
  expect(LIMITS.heartbeat_ms).toBeLessThanOrEqual(10_000);
});

describe("a JSON reply that takes longer than heartbeat_ms", () => {
  // A shorter deadline would leave a failure its status: nothing begins before the reply is there.
  const DEADLINE_MS = 42_000;
  const slow = (deps: Partial<AppDeps> = {}) => {
    const verifier = fakeVerifier(longest, { gate: new Promise(() => undefined) });
    return { ...setUp({ verifier, ...time.ports, ...deps }), verifier };
  };
  async function begun({ verifier, post }: ReturnType<typeof slow>) {
    const pending = post("/v1/rewards", { deadline_ms: DEADLINE_MS, ...twoRollouts() });
    await expect.poll(() => verifier.jobs).toHaveLength(1);
    await time.advance(LIMITS.heartbeat_ms);
    return pending;
  }
  let time: VirtualTime;
  beforeEach(() => {
    time = new VirtualTime();
  });

  test("begins then, is kept alive by white space, and is one JSON document", async () => {
    const response = await begun(slow());
    await time.advance(DEADLINE_MS - LIMITS.heartbeat_ms);
    const text = await response.text();
    expect(text).toMatch(/^\n{2,}\{/);
    expect(RewardsReplySchema.parse(JSON.parse(text)).groups[0]?.rollouts[0]?.error).toBe("deadline");
  });

  test("is broken off by a fault, never ended as if it were whole", async () => {
    const { clock } = time;
    let dates = 0;
    const fault = () => {
      throw new Error("late fault");
    };
    const response = await begun(slow({ clock: { ...clock, date: () => (++dates > 2 ? fault() : clock.date()) } }));
    await time.advance(DEADLINE_MS - LIMITS.heartbeat_ms);
    await expect(response.text()).rejects.toThrow();
  });

  test("cancels the verifier's work when the client stops reading", async () => {
    const world = slow();
    await (await begun(world)).body?.cancel();
    expect(world.verifier.calls[0]?.signal.reason).toBe("cancelled");
  });
});

test("a client that stops reading a stream cancels the verifier's work", async () => {
  const verifier = fakeVerifier(longest, { gate: new Promise(() => undefined) });
  const runLog = fakeRunLog();
  const { post } = setUp({ verifier, runLog, script: longest });
  // The first group has one rollout: it is done at once, which opens the stream while the second
  // still waits.
  const alone = { prompt: "p", rollouts: [{ text: fenced("1") }] };
  const response = await post("/v1/rewards", { groups: [alone, ...twoRollouts().groups] }, NDJSON);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  expect(verifier.calls[0]?.signal.aborted).toBe(true);
  expect(verifier.calls[0]?.signal.reason).toBe("cancelled");
  await expect.poll(() => runLog.entries.map(({ kind }) => kind)).toEqual(["attempt"]);
});

test("a client that closes a plain request cancels the verifier's work", async () => {
  const verifier = fakeVerifier(longest, { gate: new Promise(() => undefined) });
  const { call } = setUp({ verifier });
  const client = new AbortController();
  const pending = call("/v1/rewards", {
    method: "POST",
    body: JSON.stringify(twoRollouts()),
    headers: { "content-type": "application/json" },
    signal: client.signal,
  });
  await expect.poll(() => verifier.jobs.length).toBe(1);
  client.abort();
  const reply = (await (await pending).json()) as RewardsReply;
  expect(verifier.calls[0]?.signal.reason).toBe("cancelled");
  expect(reply.groups[0]?.rollouts.map((r) => r.error)).toEqual(["cancelled", "cancelled"]);
});

test("a stored spec is found by its name, and default needs no database", async () => {
  const specs = fakeSpecStore({ wins: ofFlat({ ...DEFAULT_SPEC, reward: "wins" }) });
  const { post } = setUp({ specs });
  const body = {
    spec: "wins",
    groups: [{ prompt: "p", rollouts: ["1", "22", "333"].map((c) => ({ text: fenced(c) })) }],
  };
  expect(((await (await post("/v1/rewards", body)).json()) as RewardsReply).rewards).toEqual([[0, 1, 2]]);
  const down = () => Promise.reject(new Error("down"));
  const broken = { get: down, save: down, names: down, page: down };
  expect((await setUp({ specs: broken }).post("/v1/rewards", twoRollouts())).status).toBe(200);
});

test("an Accept header that rules out every form is 406, and quality decides between the two", async () => {
  const { post } = setUp();
  expect((await problemOf(await post("/v1/rewards", twoRollouts(), { accept: "text/html" }))).code).toBe(
    "not_acceptable",
  );
  const both = await post("/v1/rewards", twoRollouts(), { accept: "application/x-ndjson;q=0.5, application/json" });
  expect(both.headers.get("content-type")).toContain("application/json");
});
