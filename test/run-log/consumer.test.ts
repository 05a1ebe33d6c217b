// The queue's consumer: what is stored, what comes again, what becomes a dead letter.
import { describe, expect, it } from "vitest";
import type { DeadLetter } from "../../src/core/contract/dead-letter.ts";
import type { RunKey } from "../../src/core/contract/owner.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { StoreWriteError } from "../../src/run-log/db/store-write-error.ts";
import { type Envelope, sealed } from "../../src/run-log/write/envelope.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import { consumeLogs, keepLetters, retryDelay_s } from "../../src/run-log/write/queue-consumer.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";
import { delivery, entries } from "./sent.ts";

const bodies = (count: number) => entries(count).map((entry) => (sealed(entryRows(entry)) as [string])[0]);

function rig(fault: (envelopes: readonly Envelope[]) => Error | null = () => null) {
  const stored: string[] = [];
  const letters: DeadLetter[] = [];
  const ends: string[] = [];
  const state = { writes: 0, lettersFault: null as Error | null, missing: new Set<string>() };
  const deps = {
    async store(envelopes: readonly Envelope[]) {
      state.writes++;
      const error = fault(envelopes);
      if (error !== null) throw error;
      stored.push(...envelopes.map(({ request_id }) => request_id));
      return state.missing;
    },
    letters: {
      async store(some: readonly DeadLetter[]) {
        if (state.lettersFault !== null && some.length > 0) throw state.lettersFault;
        letters.push(...some);
      },
    },
    random: () => 0.5,
    now: () => 5_000,
    count: (end: string, reason: string, age_s: number) => void ends.push(`${end} ${reason} ${age_s}`),
  };
  return { deps, stored, letters, ends, state };
}

const ownerIn = (body: string): string => JSON.parse(body).shared.key_name ?? "";

describe("a batch of the run-log queue", () => {
  it("is stored in one write, and every message acknowledged", async () => {
    const { deps, stored, state, ends } = rig();
    const batch = bodies(100).map((body) => delivery(body));
    await consumeLogs(batch, deps);
    expect(state.writes).toBe(1);
    expect(stored).toHaveLength(100);
    expect(batch.every(({ end }) => end === "ack")).toBe(true);
    expect(new Set(ends)).toEqual(new Set(["stored  5"]));
  });

  it("has the runs looked at of which steps of rewards were stored, and no others", async () => {
    const looked: RunKey[] = [];
    const sent = ["a", "b", "c", "d"].map((run_id, i) => {
      const entry = sizedEntry({ run_id, step: 1, groups: 1, size: 2 });
      return { ...entry, key_name: "trainer", step: i === 1 ? null : 1 };
    });
    const gone = sent[2]?.request_id;
    const fault = (envelopes: readonly Envelope[]) =>
      envelopes.some(({ request_id }) => request_id === gone) ? new StoreWriteError("22003") : null;
    const { deps } = rig(fault);
    const batch = sent.flatMap((entry) => (sealed(entryRows(entry)) as string[]).map((body) => delivery(body)));
    await consumeLogs(batch, { ...deps, look: async (runs) => void looked.push(...runs) });
    expect(looked).toEqual([
      { owner: "trainer", run_id: "a" },
      { owner: "trainer", run_id: "d" },
    ]);
  });

  it("of long messages is stored in writes of at most log_write_bytes, so that an isolate's memory holds them", async () => {
    const text = "x".repeat(LIMITS.text_part_chars);
    const long = entries(60).map((entry) => {
      const [body] = sealed(entryRows({ ...entry, warnings: Array(6).fill(text) })) as [string];
      return delivery(body);
    });
    const { deps, stored, state } = rig();
    await consumeLogs(long, deps);
    expect(stored).toHaveLength(60);
    const bytes = long.reduce((sum, { body }) => sum + `${body}`.length, 0);
    expect(state.writes).toBe(Math.ceil(bytes / LIMITS.log_write_bytes));
  });

  it.each([null, "08006", "40001", "53300", "57P01"])(
    "comes again whole, each message after its own wait, on %s",
    async (sqlstate) => {
      const { deps, letters, state } = rig(() => new StoreWriteError(sqlstate));
      const batch = bodies(8).map((body, i) => delivery(body, i + 1));
      await consumeLogs(batch, deps);
      expect(state.writes).toBe(1);
      expect(letters).toEqual([]);
      expect(batch.map(({ end }) => end)).toEqual([2, 3, 5, 9, 17, 33, 65, 121]);
    },
  );

  it.each([0, 41, 99])(
    "with one message that the database refuses at place %i loses that one only, in few writes",
    async (at) => {
      const all = bodies(100);
      const poison = JSON.parse(all[at] as string).request_id;
      const { deps, stored, letters, state } = rig((envelopes) =>
        envelopes.some(({ request_id }) => request_id === poison) ? new StoreWriteError("22003") : null,
      );
      const batch = all.map((body) => delivery(body));
      await consumeLogs(batch, deps);
      expect(batch.every(({ end }) => end === "ack")).toBe(true);
      expect(stored).toHaveLength(99);
      expect(letters).toEqual([
        { id: batch[at]?.id, owner: ownerIn(all[at] as string), reason: "sql_22003", attempts: 1, body: all[at] },
      ]);
      expect(state.writes).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(100)));
    },
  );

  it("sets apart at once what is no envelope, or has a column that no table has", async () => {
    const [good, other] = bodies(2) as [string, string];
    const { deps, stored, letters } = rig();
    const strange = other.replace('"win_counts"', '"lose_counts"');
    const batch = ["", "{}", { v: 1 }, strange, good].map((body) => delivery(body));
    await consumeLogs(batch, deps);
    expect(letters.map(({ reason }) => reason)).toEqual([...Array(3).fill("bad_envelope"), "unknown_column"]);
    expect(letters[2]?.body).toBe('{"v":1}');
    expect(stored).toHaveLength(1);
    expect(batch.every(({ end }) => end === "ack")).toBe(true);
  });

  it("tries a message again that a missing table refuses, for a migration may come, yet stores those beside it", async () => {
    const all = bodies(5);
    const odd = JSON.parse(all[3] as string).request_id;
    const { deps, stored, letters } = rig((envelopes) =>
      envelopes.some(({ request_id }) => request_id === odd) ? new StoreWriteError("42P01") : null,
    );
    const batch = all.map((body) => delivery(body));
    await consumeLogs(batch, deps);
    expect(batch.map(({ end }) => end)).toEqual(["ack", "ack", "ack", 2, "ack"]);
    expect(stored).toHaveLength(4);
    expect(letters).toEqual([]);
  });

  it("keeps a head on the queue until the rest of its request is there", async () => {
    const { deps, state } = rig();
    const [first, second] = bodies(2) as [string, string];
    state.missing = new Set([JSON.parse(first).request_id]);
    const batch = [delivery(first), delivery(second)];
    await consumeLogs(batch, deps);
    expect(batch.map(({ end }) => end)).toEqual([2, "ack"]);
  });

  it("writes a head once that was delivered twice", async () => {
    const { deps, stored } = rig();
    const [body] = bodies(1) as [string];
    const batch = [delivery(body), delivery(body)];
    await consumeLogs(batch, deps);
    expect(stored).toHaveLength(1);
    expect(batch.every(({ end }) => end === "ack")).toBe(true);
  });

  it("keeps a letter on the queue while its keeper cannot be reached", async () => {
    const { deps, state, ends } = rig();
    state.lettersFault = new Error("down");
    const [good] = bodies(1) as [string];
    const batch = [delivery("no envelope"), delivery(good)];
    await consumeLogs(batch, deps);
    expect(batch.map(({ end }) => end)).toEqual([2, "ack"]);
    expect(ends).toEqual(["retried letters_unreachable 5", "stored  5"]);
  });
});

describe("what the queue gave up", () => {
  it("is kept with how often it was tried", async () => {
    const { deps, letters } = rig();
    const batch = [delivery("a", 1)];
    await keepLetters(batch, deps);
    expect(letters).toEqual([{ id: batch[0]?.id, owner: "", reason: "retries_exhausted", attempts: 1, body: "a" }]);
    expect(batch[0]?.end).toBe("ack");
  });

  it("is its owner's in each of its parts, also as an older Worker sent them where the part says it", async () => {
    const { deps, letters } = rig();
    const entry = { ...sizedEntry({ run_id: "r", step: 0, groups: 8, size: 16 }), key_name: "lab" };
    const parts = sealed(entryRows(entry), 30_000) as string[];
    const older = parts.map((text) => text.replace('"key_name":"lab"', '"unknown":"x"'));
    const unnamed = sealed(entryRows({ ...entry, key_name: null })) as string[];
    for (const some of [parts, [older.at(-1) as string], [older[0] as string], unnamed]) {
      await keepLetters(
        some.map((text) => delivery(text, 1)),
        deps,
      );
    }
    expect(parts.length).toBeGreaterThan(2);
    expect(letters.map(({ owner }) => owner)).toEqual([...parts.map(() => "lab"), "lab", "", ...unnamed.map(() => "")]);
  });
});

describe("the wait before a message comes again", () => {
  it("is a whole number of seconds from 1, doubles with the attempts up to its cap, and is spread over all of its range", () => {
    for (let attempts = 1; attempts <= LIMITS.log_retries_max; attempts++) {
      const ceiling = Math.min(LIMITS.log_retry_cap_s, LIMITS.log_retry_base_s * 2 ** (attempts - 1));
      expect(retryDelay_s(attempts, () => 0)).toBe(1);
      expect(retryDelay_s(attempts, () => 0.999_999_999)).toBe(ceiling);
    }
  });
});
