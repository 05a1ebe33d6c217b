// Holds what only a real Durable Object can show of a key's counters: they outlive their object's
// memory, keys are apart, calls do not race. / <reference types="@cloudflare/vitest-plugin/types"
// />
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { CountersNamespace } from "../../src/objects/key-limits/ledger.ts";
import type { KeyLimit } from "../../src/ports/key-limits.ts";

const counters = (env as unknown as { KEY_COUNTERS: CountersNamespace }).KEY_COUNTERS;
const NOTHING = { ended: [], tokens: 0, log_rows: 0 };
const limit: KeyLimit = { rpm: null, tokens_per_day: 1_000, log_rows_per_day: null, concurrency: 2 };

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
  await counters.getByName("d").hold("batch", Date.now() + 60_000, NOTHING);
  await abortAllDurableObjects();
  expect((await counters.getByName("d").ask(limit, "one", NOTHING)).refused_by).toBeNull();
  expect((await counters.getByName("d").ask(limit, "two", NOTHING)).refused_by).toBe("concurrency");
  await counters.getByName("d").book({ ...NOTHING, ended: ["batch"] });
  expect((await counters.getByName("d").ask(limit, "two", NOTHING)).refused_by).toBeNull();
});
