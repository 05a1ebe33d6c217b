// Batches through the whole app over fakes: submitted, polled, waited for, cancelled, refused.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AppDeps } from "../../../src/api/door/deps.ts";
import { BatchPageSchema, BatchReplySchema } from "../../../src/api/routes/batches.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { readEnv } from "../../../src/env.ts";
import { BatchList } from "../../../src/objects/batches/batch-list.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { fenced, longest, problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeVerifier, type Script } from "../../harness/fakes.ts";

const later = { prefer: "respond-async" };

function app(more: Partial<AppDeps> & { script?: Script; gate?: Promise<unknown> } = {}) {
  const { script = longest, gate, ...deps } = more;
  const verifier = fakeVerifier(script, gate === undefined ? {} : { gate });
  const parts = setUp({ verifier, ...deps });
  const submit = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await parts.post(path, body, { ...later, ...headers });
    expect(response.status).toBe(202);
    return response.headers.get("location") as string;
  };
  const poll = async (location: string, query = "", init: RequestInit = {}) =>
    BatchReplySchema.parse(await (await parts.call(location + query, init)).json());
  return { ...parts, verifier, submit, poll };
}

/** A verifier that answers the first job at once and the others when `open` is called. */
function halfGated() {
  const gate = Promise.withResolvers<void>();
  const verifier = fakeVerifier(longest);
  let jobs = 0;
  const gated = {
    ...verifier,
    session: (call: Parameters<typeof verifier.session>[0]) => {
      const session = verifier.session(call);
      const aborted = new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      return {
        stats: session.stats,
        async judge(...asked: Parameters<typeof session.judge>) {
          if (jobs++ > 0) await Promise.race([gate.promise, aborted]);
          await session.judge(...asked);
        },
      };
    },
  };
  return { ...app({ verifier: gated }), fake: verifier, open: () => gate.resolve() };
}

const twoGroups = () => ({
  run_id: "r",
  groups: [1, 2].map((g) => ({ prompt: `p${g}`, rollouts: [{ text: fenced("sum(xs) + 0") }, { text: fenced("0") }] })),
});

describe("a request that prefers respond-async", () => {
  it("is answered 202 with where and when to ask, and ends as the same request without it", async () => {
    const { post, poll, runLog } = app();
    const accepted = await post("/v1/rewards", { ...twoRollouts(), run_id: "r" }, later);
    expect(accepted.status).toBe(202);
    const said = (await accepted.json()) as { batch_id: string };
    expect(said).toMatchObject({ batch_id: accepted.headers.get("x-request-id"), state: "queued" });
    const named = ["location", "retry-after", "preference-applied"].map((name) => accepted.headers.get(name));
    expect(named).toEqual([`/v1/batches/${said.batch_id}`, `${LIMITS.batch_poll_s}`, "respond-async"]);
    const ended = await poll(named[0] as string, "?wait=10");
    const direct = await (await post("/v1/rewards", { ...twoRollouts(), run_id: "r" })).json();
    const timeless = { request_id: expect.any(String), timing_ms: expect.anything() };
    expect(ended).toMatchObject({ state: "done", results: [], error: null });
    expect(ended.reply).toEqual({ ...(direct as object), ...timeless });
    expect(ended.reply?.request_id).toBe(said.batch_id);
    expect(ended.progress).toEqual({ comparisons_total: 1, comparisons_done: 1, groups_total: 1, groups_done: 1 });
    expect(runLog.entries.map(({ request_id }) => request_id)).toContain(said.batch_id);
  });

  it("of /v1/score_batch ends in that contract's own shape", async () => {
    const { post, submit, poll } = app();
    const body = { prompts: ["p", "p"], completions: [fenced("a"), fenced("bb")], response_field: "scores" };
    const { reply } = await poll(await submit("/v1/score_batch?on_failure=-1", body), "?wait=10");
    const direct = (await (await post("/v1/score_batch?on_failure=-1", body)).json()) as { metrics: object };
    const metrics = { ...direct.metrics, verifier_ms: expect.any(Number), total_ms: expect.any(Number) };
    expect(reply).toEqual({ ...direct, metrics, request_id: expect.any(String) });
    expect(reply?.scores).toEqual([0, 1]);
  });

  it("with one Idempotency-Key is one batch", async () => {
    const { post, verifier, poll } = app();
    const headers = { ...later, "idempotency-key": "k" };
    const replies = [
      await post("/v1/rewards", twoRollouts(), headers),
      await post("/v1/rewards", twoRollouts(), headers),
    ];
    const locations = replies.map((reply) => [reply.status, reply.headers.get("location")]);
    expect(locations[1]).toEqual(locations[0]);
    await Promise.all(replies.map((reply) => reply.text()));
    expect((await poll(locations[0]?.[1] as string, "?wait=10")).state).toBe("done");
    expect(verifier.jobs).toHaveLength(1);
  });

  it("may take longer than one that is waited for, up to its own limit", async () => {
    const { post, submit, poll } = app();
    const most = LIMITS.batch_deadline_ms_max;
    const seen = await poll(await submit("/v1/rewards", { ...twoRollouts(), deadline_ms: most }));
    expect(Date.parse(seen.deadline_at) - Date.parse(seen.created_at)).toBe(most);
    const refused = await post("/v1/rewards", { ...twoRollouts(), deadline_ms: most + 1 }, later);
    expect(await problemOf(refused)).toMatchObject({ status: 400, errors: [{ path: "deadline_ms" }] });
    expect((await post("/v1/rewards", { ...twoRollouts(), deadline_ms: most })).status).toBe(400);
  });

  it("is refused at once for what it says, and fails later for what its spec cannot do", async () => {
    const { post, submit, poll } = app();
    expect((await post("/v1/rewards", { groups: [] }, later)).status).toBe(400);
    const rollouts = Array.from({ length: 6 }, (_, i) => ({ text: fenced(`${i}`) }));
    const body = { spec: { judge: { mode: "listwise" } }, groups: [{ prompt: "p", rollouts }] };
    const failed = await poll(await submit("/v1/rewards", body), "?wait=10");
    expect(failed).toMatchObject({ state: "failed", reply: null, error: { code: "list_too_long" } });
  });
});

describe("a batch that runs", () => {
  it("shows its progress and the groups that are finished", async () => {
    const { submit, poll, open } = halfGated();
    const location = await submit("/v1/rewards", twoGroups());
    await expect.poll(async () => (await poll(location)).progress.groups_done).toBe(1);
    const half = await poll(location);
    expect(half).toMatchObject({ state: "running", reply: null, ended_at: null });
    expect(half.progress).toEqual({ comparisons_total: 2, comparisons_done: 1, groups_total: 2, groups_done: 1 });
    expect(half.results.map(({ index, win_counts }) => [index, win_counts])).toEqual([[0, [1, 0]]]);
    open();
    expect(await poll(location, "?wait=10")).toMatchObject({ state: "done", progress: { groups_done: 2 } });
  });

  it("is cancelled down to the verifier; what is finished stays readable, and cancelling again changes nothing", async () => {
    const { submit, poll, fake, runLog } = halfGated();
    const location = await submit("/v1/rewards", twoGroups());
    await expect.poll(async () => (await poll(location)).progress.groups_done).toBe(1);
    const cancelled = await poll(location, "", { method: "DELETE" });
    expect(cancelled).toMatchObject({ state: "cancelled", reply: null, results: [{ index: 0, status: "ok" }] });
    expect(fake.calls[0]?.signal.reason).toBe("cancelled");
    await expect.poll(() => runLog.entries.length).toBe(1);
    expect(await poll(location, "", { method: "DELETE" })).toEqual(cancelled);
    expect(await poll(location)).toEqual(cancelled);
  });

  it("ends at its deadline with nulls that say so", async () => {
    const { submit, poll } = app({ gate: new Promise(() => undefined) });
    const ended = await poll(await submit("/v1/rewards", { ...twoRollouts(), deadline_ms: 100 }), "?wait=10");
    expect(ended).toMatchObject({ state: "done", reply: { rewards: [[null, null]] } });
  });
});

describe("a batch id", () => {
  it("of another caller, an unknown one and a malformed one are the same 404", async () => {
    const digest = async (text: string) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    const keys = [
      { name: "one", digest: await digest("1") },
      { name: "two", digest: await digest("2") },
    ];
    const { submit, call } = app({ keys });
    const location = await submit("/v1/rewards", twoRollouts(), { "x-api-key": "1" });
    for (const path of [location, "/v1/batches/01K00000000000000000000000", "/v1/batches/x"]) {
      for (const method of ["GET", "DELETE"]) {
        const reply = await call(`${path}?`, { method, headers: { "x-api-key": "2" } });
        expect(await problemOf(reply)).toMatchObject({ status: 404, code: "not_found" });
      }
    }
    expect((await call(location, { headers: { "x-api-key": "1" } })).status).toBe(200);
  });

  it.each(["61", "-1", "x"])("is refused with wait=%s", async (wait) => {
    const { call } = app();
    const reply = await call(`/v1/batches/01K00000000000000000000000?wait=${wait}`);
    expect(await problemOf(reply)).toMatchObject({ status: 400, errors: [{ path: "wait" }] });
  });
});

describe("the list of batches", () => {
  const digest = (key: string) => createHash("sha256").update(key).digest("hex");
  const keys = readEnv({ API_KEYS: `a:${digest("a")},b:${digest("b")}` }).config.API_KEYS ?? [];
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const listed = async (call: ReturnType<typeof app>["call"], key: string, query = "") => {
    const response = await call(`/v1/batches${query}`, { headers: bearer(key) });
    return BatchPageSchema.parse(await response.json());
  };

  it("has the key's own, newest first, each once over pages, in the state that each is in", async () => {
    const { submit, call, poll } = app({ keys });
    const own: string[] = [];
    for (let i = 0; i < 5; i++) own.push(await submit("/v1/rewards", twoRollouts(), bearer("a")));
    await submit("/v1/rewards", twoRollouts(), bearer("b"));
    for (const location of own) await poll(location, "?wait=10", { headers: bearer("a") });
    const seen: string[] = [];
    for (let query = "?limit=2"; ; ) {
      const { batches, next_cursor } = await listed(call, "a", query);
      for (const one of batches) {
        const { batch_id, state, progress, created_at, ended_at } = one;
        expect(await poll(`/v1/batches/${batch_id}`, "", { headers: bearer("a") })).toMatchObject({
          ...{ batch_id, state, progress, created_at, ended_at },
        });
        expect(one).toMatchObject({ state: "done", route: "rewards" });
      }
      seen.push(...batches.map(({ batch_id }) => `/v1/batches/${batch_id}`));
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${next_cursor}`;
    }
    expect(seen).toEqual(own.toReversed());
    expect((await listed(call, "b")).batches).toHaveLength(1);
  });

  it("refuses a cursor and a limit that are none, by name", async () => {
    const { call } = app();
    const pathOf = async (query: string) => (await problemOf(await call(`/v1/batches?${query}`))).errors?.[0]?.path;
    expect(await pathOf("cursor=x")).toBe("cursor");
    expect(await pathOf(`limit=${LIMITS.batch_page_rows_max + 1}`)).toBe("limit");
    expect(await pathOf("state=done")).toBe("state");
  });
});

describe("a key's list of ids", () => {
  const id = (n: number) => `01K${`${n}`.padStart(23, "0")}`;

  it("lets go of what is forgotten by now, and of the oldest beyond its limit", () => {
    const list = new BatchList(memoryValues(systemClock, () => undefined));
    const over = LIMITS.batch_deadline_ms_max + LIMITS.batch_kept_ms + LIMITS.batch_alarm_ms;
    for (let n = 0; n < 3; n++) list.note(id(n), n);
    expect(list.page(null, 9)).toEqual({ ids: [id(2), id(1), id(0)], more: false });
    expect(list.page(id(2), 1)).toEqual({ ids: [id(1)], more: true });
    list.note(id(3), 1 + over);
    expect(list.page(null, 9).ids).toEqual([id(3), id(2)]);
    list.note(id(3), 1 + over);
    expect(list.page(null, 9).ids).toEqual([id(3), id(2)]);
  });
});
