// The guarantees of batches and Idempotency-Keys that only real Durable Objects can show: storage, restarts,
// alarms, calls between isolates.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import type { BatchReply } from "../../src/api/routes/batches.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { BatchView } from "../../src/objects/batches/view.ts";
import { durableValues } from "../../src/objects/storage/durable.ts";
import { getPieces, joined, piecesOf, putPieces } from "../../src/objects/storage/values.ts";
import type { Seen } from "./upstream.ts";

const objects = env as unknown as Record<"BATCH" | "IDEMPOTENT_REQUESTS", DurableObjectNamespace>;
const fenced = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const programs = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ text: fenced(i === 1 ? "BETTER = 1" : `x = ${i}`) }));

const seen = async (model: string) =>
  (await (await fetch(`${inject("upstream_url")}/seen?model=${model}`)).json()) as Seen;

const rewards = (model: string, sizes: number[], headers: Record<string, string>) =>
  exports.default.fetch("http://localhost/v1/rewards", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      spec: { judge: { model } },
      groups: sizes.map((n, g) => ({ prompt: `p${g}`, rollouts: programs(n) })),
    }),
  });

const submit = async (model: string, sizes: number[], headers: Record<string, string> = {}) => {
  const response = await rewards(model, sizes, { prefer: "respond-async", ...headers });
  expect(response.status).toBe(202);
  return ((await response.json()) as { batch_id: string }).batch_id;
};

const ask = async (id: string, query = "", method = "GET") =>
  (await (await exports.default.fetch(`http://localhost/v1/batches/${id}${query}`, { method })).json()) as BatchReply;

test("a batch ends as the same request that is waited for, and an alarm that rings again changes nothing", async () => {
  const id = await submit("batch-whole", [2, 4]);
  const done = await ask(id, "?wait=20");
  const direct = await (await rewards("batch-direct", [2, 4], {})).json();
  const { request_id: _, timing_ms: __, groups, spec_hash: ___, ...shared } = direct as Record<string, unknown>;
  expect(done).toMatchObject({ state: "done", reply: shared });
  expect(done.reply?.groups).toHaveLength((groups as unknown[]).length);
  const requests = (await seen("batch-whole")).requests;
  expect(requests).toBe(7);
  await runDurableObjectAlarm(objects.BATCH.getByName(id));
  expect(await ask(id)).toEqual(done);
  expect((await seen("batch-whole")).requests).toBe(requests);
});

test("a batch whose object is thrown away goes on when somebody asks for it", async () => {
  const id = await submit("hang-batch", [3]);
  await expect.poll(async () => (await seen("hang-batch")).open).toBe(3);
  expect((await ask(id)).state).toBe("running");
  await abortAllDurableObjects();
  await expect.poll(async () => (await seen("hang-batch")).cut).toBe(3);
  expect((await ask(id)).state).toBe("running");
  await expect.poll(async () => (await seen("hang-batch")).open).toBe(3);
  expect(await ask(id, "", "DELETE")).toMatchObject({ state: "cancelled", results: [] });
  await expect.poll(async () => (await seen("hang-batch")).cut).toBe(6);
});

test("the list tells of each batch what its own object says, newest first, without those that are forgotten", async () => {
  const list = async (query = "") =>
    (await (await exports.default.fetch(`http://localhost/v1/batches${query}`)).json()) as {
      batches: BatchReply[];
      next_cursor: string | null;
    };
  const ids = [await submit("batch-first", [2]), await submit("batch-second", [2]), await submit("hang-listed", [2])];
  const [first, second, third] = ids as [string, string, string];
  const done = await ask(first, "?wait=20");
  await ask(second, "?wait=20");
  const { batches } = await list("?limit=3");
  expect(batches.map(({ batch_id }) => batch_id)).toEqual([third, second, first]);
  expect(batches.map(({ state }) => state).slice(1)).toEqual(["done", "done"]);
  expect(batches[2]).toMatchObject({ created_at: done.created_at, ended_at: done.ended_at, progress: done.progress });
  expect(batches[2]).not.toHaveProperty("reply");
  await ask(third, "", "DELETE");
  const stub = objects.BATCH.getByName(second);
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAll());
  const after = await list("?limit=3");
  expect(after.batches.map(({ batch_id, state }) => [batch_id, state])).toEqual([
    [third, "cancelled"],
    [first, "done"],
  ]);
});

test("a batch is forgotten with all that it stored", async () => {
  const id = await submit("batch-over", [2]);
  await ask(id, "?wait=20");
  const stub = objects.BATCH.getByName(id);
  await runInDurableObject(stub, (_, { storage }) => {
    const record = storage.kv.get<BatchView>("record") as BatchView;
    storage.kv.put("record", { ...record, ended_at: Date.now() - LIMITS.batch_kept_ms });
  });
  await runDurableObjectAlarm(stub);
  expect(await ask(id)).toMatchObject({ status: 404, code: "not_found" });
  expect(await runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length)).toBe(0);
});

test("requests of one Idempotency-Key at once are computed once, and answered the same over a restart", async () => {
  const headers = { "idempotency-key": "at-once" };
  const texts = await Promise.all([1, 2, 3, 4].map(async () => (await rewards("keyed", [3], headers)).text()));
  expect(new Set(texts).size).toBe(1);
  await abortAllDurableObjects();
  const again = await rewards("keyed", [3], headers);
  expect([again.headers.get("idempotent-replayed"), await again.text()]).toEqual(["true", texts[0]]);
  expect((await rewards("keyed", [2], headers)).status).toBe(422);
  expect((await seen("keyed")).requests).toBe(3);
});

test("a key whose owner was lost is taken over when its lease has run out, under the same request id", async () => {
  const stub = objects.IDEMPOTENT_REQUESTS.getByName("lost") as unknown as {
    begin(owner: string, fingerprint: string): Promise<{ state: string; request_id?: string }>;
  };
  expect(await stub.begin("first", "f")).toEqual({ state: "new", request_id: "first" });
  expect(await stub.begin("second", "f")).toEqual({ state: "running" });
  await runInDurableObject(objects.IDEMPOTENT_REQUESTS.getByName("lost"), (_, { storage }) => {
    const head = storage.kv.get<object>("head") as object;
    storage.kv.put("head", { ...head, leased_until: 0 });
  });
  expect(await stub.begin("second", "f")).toEqual({ state: "new", request_id: "first" });
});

test("storage gives back bytes of many rows, and pieces of a later call alone", async () => {
  const bytes = Uint8Array.from({ length: 3 * LIMITS.object_row_bytes + 1 }, (_, i) => i % 253);
  const lengths = await runInDurableObject(objects.BATCH.getByName("bytes"), (_, state) => {
    const values = durableValues(state);
    putPieces(values, "b", piecesOf(bytes));
    const whole = joined(getPieces(values, "b"));
    const equal = whole.every((byte, i) => byte === bytes[i]);
    putPieces(values, "b", piecesOf(bytes.slice(0, 2)));
    return [equal, whole.byteLength, joined(getPieces(values, "b")).byteLength];
  });
  expect(lengths).toEqual([true, bytes.byteLength, 2]);
});
