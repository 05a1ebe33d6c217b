// Dead letters: kept, counted without their content, put back on the queue, and the routes that ask
// for it.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDeadLetters, type LetterStorage } from "../../src/run-log/write/dead-letters.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { fakeQueue } from "./sent.ts";

function rig() {
  const db = new DatabaseSync(":memory:");
  const storage = {
    databaseSize: 0,
    exec(query: string, ...values: SQLInputValue[]) {
      // Like the object's, several statements without values, or one with.
      if (query.split(";").length > 2) db.exec(query);
      return { toArray: () => (query.split(";").length > 2 ? [] : rowsOf(query, values)) };
    },
  };
  const rowsOf = (query: string, values: SQLInputValue[]) => db.prepare(query).all(...values);
  // The object's storage runs a statement at once, whether its rows are read or not.
  const eager: LetterStorage = {
    get databaseSize() {
      return storage.databaseSize;
    },
    exec(query, ...values) {
      const rows = storage.exec(query, ...values).toArray();
      return { toArray: () => rows };
    },
  };
  const queue = fakeQueue();
  const clock = { now: 1_000 };
  return { letters: createDeadLetters(eager, queue, { ...systemClock, now: () => clock.now }), queue, clock, storage };
}

const letter = (id: string, reason = "sql_22003") => ({ id, owner: "lab", reason, attempts: 1, body: `body of ${id}` });

describe("dead letters", () => {
  it("of a deleted run go, unreadable ones too, and none of it that comes later is kept", async () => {
    const { letters } = rig();
    const of = (id: string, run_id: string, owner: string, more: object = {}) => ({
      ...letter(id),
      ...{
        owner,
        body: JSON.stringify({ request_id: "01KAHG5J00AAAAAAAAAAAAAAAA", shared: { run_id, key_name: owner } }),
      },
      ...more,
    });
    const unreadable = of("d", "r", "lab", { owner: "", reason: "bad_envelope" });
    await letters.store([of("a", "r", "lab"), of("b", "r", "ci"), of("c", "other", "lab"), unreadable]);
    expect(await letters.forget({ run_id: "r", owner: "lab" }, "01KB")).toBe(2);
    const later = of("f", "r", "lab");
    later.body = later.body.replace("01KAHG5J00", "01KBHG5J00");
    await letters.store([of("e", "r", "lab"), unreadable, later, of("g", "other", "lab")]);
    expect(await letters.summary("lab")).toMatchObject({ letters: 3 });
    expect(await letters.summary("ci")).toMatchObject({ letters: 1 });
    expect(await letters.forget({ run_id: "r", owner: "lab" }, "01KC")).toBe(1);
    expect(await letters.forget({ run_id: "r", owner: "lab" }, "01KC")).toBe(0);
  });

  it("are counted by reason, one that comes again once, from its first time to its last", async () => {
    const { letters, clock } = rig();
    expect(await letters.summary(null)).toEqual({ letters: 0, bytes: 0, first_at: null, last_at: null, reasons: [] });
    await letters.store([letter("a"), letter("b"), letter("c", "bad_envelope")]);
    clock.now = 2_000;
    await letters.store([letter("a")]);
    expect(await letters.summary(null)).toEqual({
      ...{ letters: 3, bytes: 27, first_at: "1970-01-01T00:00:01.000Z", last_at: "1970-01-01T00:00:02.000Z" },
      reasons: [
        { reason: "sql_22003", letters: 2 },
        { reason: "bad_envelope", letters: 1 },
      ],
    });
  });

  it("are put back oldest first, at most `limit`, and are then gone", async () => {
    const { letters, queue, clock } = rig();
    for (const id of ["a", "b", "c"]) {
      await letters.store([letter(id)]);
      clock.now++;
    }
    expect(await letters.replay(2, null, null)).toMatchObject({ replayed: 2, remaining: 1 });
    expect(queue.bodies).toEqual(["body of a", "body of b"]);
    expect(await letters.replay(2, null, null)).toMatchObject({ replayed: 1, remaining: 0 });
  });

  it("stay when the queue refuses them", async () => {
    const { letters, queue } = rig();
    await letters.store([letter("a")]);
    queue.faults.push(...Array.from({ length: LIMITS.queue_tries_max }, () => new Error("busy")));
    await expect(letters.replay(10, null, null)).rejects.toThrow("busy");
    expect(await letters.summary(null)).toMatchObject({ letters: 1 });
  });

  it("that come back while they are being put back are not lost, and not put back twice under one `before`", async () => {
    const { letters, queue, clock } = rig();
    await letters.store([letter("a")]);
    const take = queue.sendBatch;
    queue.sendBatch = async (messages) => {
      await take(messages);
      clock.now = 3_000;
      await letters.store([letter("a", "sql_22P02")]);
    };
    const { before, ...first } = await letters.replay(10, null, null);
    expect(first).toEqual({ replayed: 1, remaining: 0 });
    expect(await letters.summary(null)).toMatchObject({ letters: 1, reasons: [{ reason: "sql_22P02", letters: 1 }] });
    expect(await letters.replay(10, before, null)).toMatchObject({ replayed: 0 });
  });

  it("are counted and put back of one owner only, where one is named; what nobody can be told of is everybody's alone", async () => {
    const { letters, queue } = rig();
    await letters.store([letter("a"), { ...letter("b"), owner: "ci" }, { ...letter("c", "bad_envelope"), owner: "" }]);
    expect(await letters.summary("ci")).toMatchObject({ letters: 1, bytes: 9, reasons: [{ letters: 1 }] });
    expect(await letters.summary("none")).toMatchObject({ letters: 0, bytes: 0, first_at: null, reasons: [] });
    expect(await letters.replay(10, null, "ci")).toMatchObject({ replayed: 1, remaining: 0 });
    expect(queue.bodies).toEqual(["body of b"]);
    expect(await letters.replay(10, null, null)).toMatchObject({ replayed: 2, remaining: 0 });
  });

  it("older than an instant are deleted for good, each key's its own, and never shown", async () => {
    const { letters, clock, storage } = rig();
    clock.now = 1_000;
    await letters.store([letter("a"), { ...letter("b"), owner: "ci" }]);
    clock.now = 5_000;
    // A letter that comes again is as old as when it first came.
    await letters.store([letter("a"), letter("c")]);
    const before = new Date(2_000).toISOString();
    expect(await letters.expire(before, { owner: "ci" })).toEqual({ deleted: 1, remaining: 0 });
    expect(await letters.expire(before, null)).toEqual({ deleted: 1, remaining: 1 });
    expect(await letters.expire(before, null)).toEqual({ deleted: 0, remaining: 1 });
    const kept = storage.exec("SELECT body FROM letters").toArray();
    expect(kept).toEqual([{ body: "body of c" }]);
  });

  it("are refused, and so stay on their queue, when their keeper is full", async () => {
    const { letters, storage } = rig();
    storage.databaseSize = LIMITS.dead_letters_bytes + 1;
    await expect(letters.store([letter("a")])).rejects.toThrow("dead_letters_bytes");
    await expect(letters.store([])).resolves.toBeUndefined();
  });
});

describe("the routes of dead letters", () => {
  it("show counts and reasons, never a letter's content, and put letters back", async () => {
    const { letters: deadLetters, queue } = rig();
    await deadLetters.store([letter("a")]);
    const { call, post } = setUp({ deadLetters });
    const shown = await (await call("/v1/logs/dead-letters")).text();
    expect(JSON.parse(shown)).toMatchObject({ letters: 1, reasons: [{ reason: "sql_22003", letters: 1 }] });
    expect(shown).not.toContain("body of");
    const reply = await post("/v1/logs/dead-letters/replay", { limit: 5 });
    expect(await reply.json()).toMatchObject({ replayed: 1, remaining: 0 });
    expect(queue.bodies).toEqual(["body of a"]);
  });

  it("delete letters of before an instant, which has to be given", async () => {
    const { letters: deadLetters, clock } = rig();
    await deadLetters.store([letter("a")]);
    const { call } = setUp({ deadLetters });
    const expire = (query: string) => call(`/v1/logs/dead-letters${query}`, { method: "DELETE" });
    for (const query of ["", "?before=yesterday"]) {
      expect(await problemOf(await expire(query))).toMatchObject({ status: 400, errors: [{ path: "before" }] });
    }
    const later = new Date(clock.now + 1).toISOString();
    expect(await (await expire(`?before=${later}`)).json()).toEqual({ deleted: 1, remaining: 0 });
  });

  it("refuse a limit beyond replay_letters_max and an instant that is none, by name", async () => {
    const { post } = setUp({ deadLetters: rig().letters });
    const problem = await problemOf(
      await post("/v1/logs/dead-letters/replay", { limit: LIMITS.replay_letters_max + 1, before: "yesterday" }),
    );
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.errors?.map(({ path }) => path)).toEqual(["limit", "before"]);
  });

  it("say which binding is missing, and that the keeper cannot be reached, without its words", async () => {
    expect(await problemOf(await setUp().call("/v1/logs/dead-letters"))).toMatchObject({ code: "not_configured" });
    const { letters } = rig();
    const broken = { ...letters, summary: () => Promise.reject(new Error("SECRET")) };
    const problem = await problemOf(await setUp({ deadLetters: broken }).call("/v1/logs/dead-letters"));
    expect(problem).toMatchObject({ code: "not_ready", status: 503 });
    expect(JSON.stringify(problem)).not.toContain("SECRET");
  });
});
