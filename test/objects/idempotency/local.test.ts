// Idempotency-Keys of one process: what is forgotten for room, and what a late alarm may not take
// with it.
import { expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { IdempotentEntry } from "../../../src/objects/idempotency/entry.ts";
import { createLocalReplies } from "../../../src/objects/idempotency/local.ts";
import type { KeptReply } from "../../../src/objects/idempotency/reply.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";

const reply = (request_id: string, bytes: number): KeptReply => ({
  ...{ request_id, status: 200, headers: {} },
  body: new Uint8Array(bytes),
});

it("the oldest replies go when idempotency_local_bytes are kept, with all that held them", async () => {
  const time = new VirtualTime();
  const replies = createLocalReplies(time.clock);
  const bytes = Math.floor(LIMITS.idempotency_local_bytes / 2);
  for (const name of ["a", "b", "c"]) {
    await replies.begin(name, name, "body");
    await replies.complete(name, "body", reply(name, bytes));
  }
  // A kept reply is held by its alarm as well.
  expect(time.timers).toBe(2);
  expect((await replies.begin("a", "again", "body")).state).toBe("new");
  for (const name of ["b", "c"]) expect((await replies.begin(name, "again", "body")).state).toBe("done");
});

it("a key used again after its reply went for room lives its own 24 hours", async () => {
  const time = new VirtualTime();
  const replies = createLocalReplies(time.clock);
  await replies.begin("a", "a1", "body");
  await replies.complete("a", "body", reply("a1", 1));
  const bytes = LIMITS.idempotency_local_bytes;
  await replies.begin("large", "l", "body");
  await replies.complete("large", "body", reply("l", bytes));
  await time.advance(3_600_000);
  await replies.begin("a", "a2", "body");
  await replies.complete("a", "body", reply("a2", 1));
  await time.advance(LIMITS.idempotency_kept_ms - 1);
  expect(await replies.begin("a", "a3", "body")).toMatchObject({ state: "done", reply: { request_id: "a2" } });
  await time.advance(1);
  expect((await replies.begin("a", "a3", "body")).state).toBe("new");
});

it("24 hours are over when they are over, even where the alarm is late", () => {
  const time = new VirtualTime(0);
  const entry = new IdempotentEntry(
    memoryValues(time.clock, () => undefined),
    time.clock,
  );
  entry.begin("a", "body");
  entry.complete("body", reply("a", 1));
  time.now = LIMITS.idempotency_kept_ms - 1;
  expect(entry.begin("b", "body").state).toBe("done");
  expect(entry.begin("b", "other").state).toBe("mismatch");
  time.now++;
  expect(entry.begin("b", "other")).toEqual({ state: "new", request_id: "b" });
});
