// Envelopes: whatever an entry holds, its envelopes fit the queue and give back exactly the rows of
// a direct write.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { unknownColumn } from "../../src/run-log/write/append.ts";
import { type Envelope, opened, ROW_TABLES, sealed, utf8Bytes } from "../../src/run-log/write/envelope.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import fc from "../harness/property.ts";
import { nextRequestId, rewardsEntry, sizedEntry, verdictsEntry, withSignals } from "../port-contracts/log-entries.ts";

const anyEntry = fc
  .oneof(rewardsEntry, rewardsEntry.map(withSignals), verdictsEntry)
  .map((entry): LogEntry => ({ ...entry, request_id: nextRequestId() }));

/** A value's form in JSON, which is also what a row of a direct write is made of. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

function merged(envelopes: readonly Envelope[]) {
  const rows = Object.fromEntries(
    ROW_TABLES.map((table) => [table, envelopes.flatMap((envelope) => envelope.rows[table] ?? [])]),
  );
  return { rows, head: envelopes.find(({ head }) => head !== null)?.head ?? null };
}

function expectSame(entry: LogEntry, texts: readonly string[]): void {
  const direct = entryRows(entry);
  const envelopes = texts.map(opened);
  const { rows, head } = merged(envelopes);
  expect(rows).toEqual(asJson(direct.rows));
  expect(head).toMatchObject(asJson(direct.head));
  for (const envelope of envelopes) {
    expect(unknownColumn(envelope)).toBeNull();
    expect(envelope).toMatchObject({ request_id: entry.request_id, shared: direct.shared });
  }
}

describe("envelopes of an entry", () => {
  it("give back the rows of a direct write, in order, each envelope within the limit, however small the limit is", () => {
    fc.assert(
      fc.property(anyEntry, fc.integer({ min: 9_000, max: 40_000 }), (entry, bytes_max) => {
        const texts = sealed(entryRows(entry), bytes_max);
        if (texts === null) return;
        for (const text of texts) expect(utf8Bytes(text)).toBeLessThanOrEqual(bytes_max);
        expectSame(entry, texts);
      }),
      { numRuns: 150 },
    );
  });

  it("of a full batch are few, and only the last, which has the head, holds groups that a read could find", () => {
    const entry = sizedEntry({ run_id: "r", step: 0, groups: 64, size: 16 });
    const texts = sealed(entryRows(entry)) as string[];
    expectSame(entry, texts);
    expect(texts.length).toBeLessThan(14);
    const envelopes = texts.map(opened);
    expect(envelopes.findIndex(({ rows }) => rows.groups !== undefined)).toBeGreaterThan(0);
    expect(envelopes.map(({ head }) => head !== null).indexOf(true)).toBe(texts.length - 1);
    expect(envelopes.at(-1)?.head?.counts).toMatchObject({ groups: 64, rollouts: 1_024, verdicts: 7_680 });
  });

  it("keep a group and its rollouts together", () => {
    const entry = sizedEntry({ run_id: "r", step: 0, groups: 64, size: 16 });
    for (const { rows } of (sealed(entryRows(entry), 40_000) as string[]).map(opened)) {
      const groups = (rows.groups ?? []).map(({ group_index }) => group_index);
      expect(Map.groupBy(rows.rollouts ?? [], ({ group_index }) => group_index).size).toBe(groups.length);
      expect(rows.rollouts ?? []).toHaveLength(16 * groups.length);
    }
  });

  it("hold a text of 512 KiB in parts, cut between characters, each within the limit even when every character is escaped", () => {
    const [entry] = fc.sample(rewardsEntry, { seed: 3, numRuns: 1 }) as [LogEntry];
    for (const unit of ["x", "\u0001", "\ud83d\ude00", "y\ud83d\ude00", "\ud800"]) {
      const text = unit.repeat(524_288 / unit.length);
      const [first, ...groups] = entry.groups as [LogEntry["groups"][number], ...LogEntry["groups"]];
      const [rollout, ...others] = first.rollouts as [LogEntry["groups"][number]["rollouts"][number]];
      const long = { ...first, rollouts: [{ ...rollout, text }, ...others] };
      const request = entryRows({ ...entry, request_id: nextRequestId(), groups: [long, ...groups] });
      const texts = sealed(request) as string[];
      for (const sent of texts) expect(utf8Bytes(sent)).toBeLessThanOrEqual(LIMITS.log_envelope_bytes);
      const parts = texts.flatMap((sent) => opened(sent).rows.texts ?? []);
      const own = parts.filter(({ group_index, rollout_index }) => group_index === 0 && rollout_index === 0);
      expect(own.map(({ text: part }) => part).join("")).toBe(text);
      // A half of a pair would be stored as U+FFFD.
      if (text.isWellFormed()) expect(own.every(({ text: part }) => `${part}`.isWellFormed())).toBe(true);
    }
  });

  it("do not exist where what must stay whole is over the limit", () => {
    const entry = sizedEntry({ run_id: "r", step: 0, groups: 1, size: 64 });
    expect(sealed(entryRows(entry), 10_000)).toBeNull();
    expect(sealed(entryRows({ ...entry, warnings: ["w".repeat(LIMITS.log_envelope_bytes)] }))).toBeNull();
  });

  it("are refused when they are not what was sealed", () => {
    const [text] = sealed(entryRows(sizedEntry({ run_id: "r", step: 0, groups: 1, size: 2 }))) as [string];
    expect(() => opened(text)).not.toThrow();
    for (const bad of [
      "",
      "{}",
      "null",
      text.slice(1),
      text.replace('"v":1', '"v":2'),
      text.replace('"rows":[[', '"rows":[[0,'),
    ]) {
      expect(() => opened(bad)).toThrow();
    }
  });

  it("fit, of a group of 64 rollouts with as many turns as one may have, hashes and all", () => {
    const entry = sizedEntry({ run_id: "r", step: 0, groups: 1, size: 64 });
    const [group] = entry.groups as [LogEntry["groups"][number]];
    const turn_hashes = Array.from({ length: LIMITS.rollout_messages_max }, () => "f".repeat(64));
    const rollouts = group.rollouts.map((row) => ({ ...row, turn_hashes }));
    const whole = { ...entry, groups: [{ ...group, rollouts }] };
    const texts = sealed(entryRows(whole));
    expect(texts).not.toBeNull();
    expectSame(whole, texts as string[]);
  });
});
