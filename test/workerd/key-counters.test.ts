// Holds what only a real Durable Object can show of a key's counters: they outlive their object's memory,
// keys are apart, calls do not race.
import { abortAllDurableObjects } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { CountersNamespace } from "../../src/objects/key-limits/ledger.ts";
import { slotOf } from "../../src/objects/key-limits/stored-bytes.ts";
import type { KeyLimit } from "../../src/ports/key-limits.ts";

const counters = (env as unknown as { KEY_COUNTERS: CountersNamespace }).KEY_COUNTERS;
const NOTHING = { ended: [], tokens: 0, usd: 0, log_rows: 0 };
const limit: KeyLimit = {
  rpm: null,
  tokens_per_day: 1_000,
  usd_per_day: null,
  log_rows_per_day: null,
  concurrency: 2,
  stored_bytes: null,
};

test("a key's leases and tokens are there after a restart of its object, and no other key's", async () => {
  expect((await counters.getByName("a").ask(limit, "one", NOTHING)).refused_by).toBeNull();
  await counters.getByName("a").book({ ...NOTHING, tokens: 400, log_rows: 7 });
  await abortAllDurableObjects();
  expect(await counters.getByName("a").book({ ...NOTHING, log_rows: 3 })).toBe(10);
  const { limits } = await counters.getByName("a").ask(limit, "two", NOTHING);
  expect(limits).toMatchObject([
    { limit: "tokens_per_day", remaining: 600 },
    { limit: "concurrency", remaining: 0 },
  ]);
  expect((await counters.getByName("a").ask(limit, "three", NOTHING)).refused_by).toBe("concurrency");
  expect((await counters.getByName("b").ask(limit, "one", NOTHING)).refused_by).toBeNull();
});

test("of many requests at the same moment exactly as many are granted as the limit allows", async () => {
  const asked = Array.from({ length: 30 }, (_, i) => counters.getByName("c").ask(limit, `${i}`, NOTHING));
  const granted = (await Promise.all(asked)).filter(({ refused_by }) => refused_by === null);
  expect(granted).toHaveLength(2);
});

test("the place of what goes on behind its reply is kept over a restart, and given back", async () => {
  expect((await counters.getByName("d").ask(limit, "batch", NOTHING)).refused_by).toBeNull();
  await counters.getByName("d").holdLease("batch", Date.now() + 60_000, NOTHING);
  await abortAllDurableObjects();
  expect((await counters.getByName("d").ask(limit, "one", NOTHING)).refused_by).toBeNull();
  expect((await counters.getByName("d").ask(limit, "two", NOTHING)).refused_by).toBe("concurrency");
  await counters.getByName("d").book({ ...NOTHING, ended: ["batch"] });
  expect((await counters.getByName("d").ask(limit, "two", NOTHING)).refused_by).toBeNull();
});

test("what a key stores is there after a restart of its object, until its time is over", async () => {
  const slot = slotOf(Date.now() + 3_600_000);
  const past = slotOf(Date.now() - 3_600_000);
  await counters.getByName("e").store([
    [slot, 500],
    [past, 70],
  ]);
  await abortAllDurableObjects();
  expect(await counters.getByName("e").store([[slot, -100]])).toMatchObject({ bytes: 400 });
  expect(await counters.getByName("f").store([])).toMatchObject({ bytes: 0 });
});

test("what rooms store counts for every other room and at the edge, until it is let go", async () => {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
    const response = await exports.default.fetch(`http://localhost${path}`, { ...init, body: JSON.stringify(body) });
    await response.body?.cancel();
    return response.status;
  };
  const rollouts = (text: string, count: number) => Array.from({ length: count }, () => ({ text }));
  const add = (group: string, text: string, count = 1) =>
    post(`/v1/groups/${group}/rollouts`, { prompt: "p", rollouts: rollouts(text, count) });
  const open = counters.getByName("(open)");
  const slot = slotOf(Date.now() + 3_600_000);
  await open.store([[slot, LIMITS.stored_bytes]]);
  const some = Math.ceil(LIMITS.stored_bytes_unreported / LIMITS.rollout_text_bytes);
  expect(await add("first", "x".repeat(LIMITS.rollout_text_bytes), some)).toBe(200);
  await expect.poll(() => add("second", "x")).toBe(429);
  const scored = { groups: [{ prompt: "p", rollouts: rollouts("x", 1) }] };
  expect(await post("/v1/rewards", scored, { "idempotency-key": "k" })).toBe(429);
  expect(await post("/v1/rewards", scored)).toBe(200);
  await open.store([[slot, -LIMITS.stored_bytes]]);
  await expect.poll(() => add("second", "x")).toBe(200);
});
