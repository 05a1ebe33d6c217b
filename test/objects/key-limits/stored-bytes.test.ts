// Holds the bound of what one key stores in Durable Objects: open groups, kept replies and batches.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { parseKeyLimits } from "../../../src/objects/key-limits/ledger.ts";
import { createKeyLimits } from "../../../src/objects/key-limits/remote.ts";
import { type StoredSlots, slotOf, totalOf, withChanges } from "../../../src/objects/key-limits/stored-bytes.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { setUp, twoRollouts } from "../../api/routes/harness.ts";
import fc from "../../harness/property.ts";
import { memoryCounters } from "./memory-counters.ts";

const KIB = 1024;
const HOUR_MS = 3_600_000;
/** Bytes of a rollout that fill three quarters of the bound in these tests. */
const BIG = "x".repeat(75 * KIB);

function app(text = `*:stored_bytes=${100 * KIB}`, counters = memoryCounters()) {
  const unreachable: number[] = [];
  const limits = parseKeyLimits(text);
  const keyLimits = createKeyLimits({
    limits,
    counters,
    timers: systemClock,
    onUnreachable: () => void unreachable.push(1),
  });
  return { ...setUp({ keyLimits }), counters, keyLimits };
}

type App = ReturnType<typeof app>;

const member = ({ post }: App, id: string, position: number, text = "a") =>
  post(`/v1/groups/${id}/rollouts`, { prompt: "p", size: 8, position, rollouts: [{ text }] });
const sample = ({ post }: App, run: string, response: string) =>
  post(`/slime/reward?group_size=2&run_id=${run}`, { prompt: "p", response, label: null });
const kept = ({ post }: App, key: string) => post("/v1/rewards", twoRollouts(), { "idempotency-key": key });

/** Requests that store something new, by name. */
const STORING: Record<string, (app: App) => Promise<Response> | Response> = {
  "a member of a named group": (app) => member(app, "new", 0),
  "another member of a group that is there": (app) => member(app, "full", 1),
  "a sample of a group": (app) => sample(app, "new", "a"),
  "a kept reply": (app) => kept(app, "new"),
  "a batch": ({ post }) => post("/v1/rewards", twoRollouts(), { prefer: "respond-async" }),
};

describe("a key that stores as much as it may", () => {
  it.each(Object.entries(STORING))("is refused %s, by the limit's name and with Retry-After", async (_, store) => {
    const full = app();
    expect((await member(full, "full", 0, BIG + BIG)).status).toBe(200);
    const refused = await store(full);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      code: "storage_budget_exceeded",
      retryable: true,
      detail: expect.stringContaining(`stored_bytes = ${100 * KIB}`),
    });
  });

  it("loses nothing that is stored, and has what stores nothing", async () => {
    const full = app();
    expect((await member(full, "mine", 0, "aaa")).status).toBe(200);
    const first = await kept(full, "k");
    expect(first.status).toBe(200);
    const reply = await first.text();
    const waiting = sample(full, "r", "a");
    await expect.poll(() => full.counters.calls.filter((call) => call === "store").length).toBeGreaterThan(2);
    expect((await member(full, "full", 0, BIG)).status).toBe(200);
    expect((await sample(full, "r", "b")).status).toBe(429);
    expect((await member(full, "mine", 0, "aaa")).status).toBe(200);
    expect((await kept(full, "k")).headers.get("idempotent-replayed")).toBe("true");
    expect(await (await kept(full, "k")).text()).toBe(reply);
    expect((await full.post("/v1/groups/mine/close", {})).status).toBe(200);
    expect((await full.post("/v1/rewards", twoRollouts())).status).toBe(200);
    // Its place is kept, and its retry takes it.
    for (const answer of [await waiting, await sample(full, "r", "a")])
      expect(await answer.json()).toMatchObject({ code: "gathering" });
  });

  it("is known by every isolate, and by no other key's", async () => {
    const counters = memoryCounters();
    const [one, other] = [app(undefined, counters), app(undefined, counters)];
    expect((await member(one, "a", 0, BIG + BIG)).status).toBe(200);
    expect((await member(other, "b", 0)).status).toBe(200);
    await expect.poll(async () => (await member(other, "c", 0)).status).toBe(429);
    expect(one.keyLimits.refusalToStore("somebody")).toBeNull();
  });

  it("is let in again as soon as there is space", async () => {
    const { keyLimits } = app();
    const until = Date.now() + HOUR_MS;
    await keyLimits.store(null, 200 * KIB, until);
    expect(keyLimits.refusalToStore(null)).toMatchObject({ refused_by: "stored_bytes", limits: [{ remaining: 0 }] });
    await keyLimits.store(null, -150 * KIB, until);
    expect(keyLimits.refusalToStore(null)).toBeNull();
  });
});

describe("the default bound", () => {
  it("asks nobody before much is stored, and never for what stores nothing", async () => {
    const few = app("other:rpm=1");
    for (let i = 0; i < 3; i++) expect((await member(few, "mine", i, BIG)).status).toBe(200);
    expect((await few.post("/v1/rewards", twoRollouts())).status).toBe(200);
    expect(few.counters.calls).toEqual([]);
    await few.keyLimits.store(null, LIMITS.stored_bytes_unreported, Date.now() + HOUR_MS);
    expect(few.counters.calls).toEqual(["store"]);
  });
});

describe("a group's bytes", () => {
  const bytesOf = ({ counters }: App) => totalOf(counters.stored.get("(open)") ?? {}, Date.now()).bytes;

  it("count once however often a member is sent, and are let go with its run", async () => {
    const counters = memoryCounters();
    const some = app(`*:stored_bytes=${1000 * KIB}`, counters);
    const send = () => some.post("/v1/groups/g/rollouts", { prompt: "p", run_id: "r", rollouts: [{ text: BIG }] });
    for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200);
    await expect.poll(() => bytesOf(some)).toBeGreaterThan(75 * KIB);
    expect(bytesOf(some)).toBeLessThan(75 * KIB + LIMITS.object_base_bytes + LIMITS.object_member_bytes + KIB);
    expect((await some.call("/v1/runs/r", { method: "DELETE" })).status).toBe(200);
    await expect.poll(() => bytesOf(some)).toBe(0);
  });
});

describe("bytes by when they are forgotten", () => {
  const change = fc.record({
    wait: fc.nat({ max: HOUR_MS }),
    bytes: fc.integer({ min: -500, max: 1_000 }),
    lasts: fc.integer({ min: 1, max: 24 * HOUR_MS }),
  });

  it("whatever is booked and let go: the sum is what is not forgotten, and a lost release expires", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let slots: StoredSlots = {};
        let now = 20_000 * 24 * HOUR_MS;
        const model = new Map<number, number>();
        for (const { wait, bytes, lasts } of changes) {
          now += wait;
          const slot = slotOf(now + lasts);
          slots = JSON.parse(JSON.stringify(withChanges(slots, [[slot, bytes]], now))) as StoredSlots;
          model.set(slot, Math.max(0, (model.get(slot) ?? 0) + bytes));
          const alive = [...model].filter(([end, held]) => end * 600_000 > now && held > 0);
          const { bytes: sum, frees_in_s } = totalOf(slots, now);
          expect(sum).toBe(alive.reduce((all, [, held]) => all + held, 0));
          expect(frees_in_s).toBeGreaterThan(0);
          if (alive.length === 0) continue;
          expect(frees_in_s).toBe(Math.ceil((Math.min(...alive.map(([end]) => end)) * 600_000 - now) / 1000));
        }
        expect(totalOf(withChanges(slots, [], now + 25 * HOUR_MS), now + 25 * HOUR_MS).bytes).toBe(0);
      }),
    );
  });
});
