// Idempotency-Keys under any history: concurrent requests, owners that crash, leases that run out,
// failures, forgetting. Times are given.

import { expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { IdempotentEntry } from "../../../src/objects/idempotency/entry.ts";
import type { KeptReply } from "../../../src/objects/idempotency/reply.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import fc from "../../harness/property.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One thing that befalls the key; `who` picks among the requests that it concerns. */
const stepArbitrary = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("arrive" as const), body: fc.constantFrom("a", "a", "a", "b") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("end", "fail", "crash", "renew") as fc.Arbitrary<"end" | "fail" | "crash" | "renew">,
      who: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 5_000, LIMITS.idempotency_lease_ms, LIMITS.idempotency_kept_ms),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

interface Owner {
  id: string;
  body: string;
  request_id: string;
}

it("one computation at a time, one log id until a failure is given back, and equal replies for whoever asks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
      let now = 0;
      let ids = 0;
      const values = memoryValues(systemClock, () => undefined);
      let entry = new IdempotentEntry(values, { ...systemClock, now: () => now });
      let computing: Owner[] = [];
      /** The key's binding, as far as it can be known outside. */
      let bound: {
        body: string;
        /** Who computes, alive or crashed. */
        owner: string;
        log_id: string;
        since: number;
        reply: string | null;
        leased_until: number;
      } | null = null;
      const pick = (who: number) => computing[who % Math.max(1, computing.length)];

      for (const step of steps) {
        if (bound !== null && now >= bound.since + LIMITS.idempotency_kept_ms) bound = null;
        await entry.wake();
        if (step.kind === "pass") now += step.ms;
        else if (step.kind === "restart") entry = new IdempotentEntry(values, { ...systemClock, now: () => now });
        else if (step.kind === "arrive") {
          const id = `r${ids++}`;
          const begun = entry.begin(id, step.body);
          if (bound === null) {
            expect(begun).toEqual({ state: "new", request_id: id });
            bound = { body: step.body, owner: id, log_id: id, since: now, reply: null, leased_until: 0 };
          } else if (bound.body !== step.body) expect(begun.state).toBe("mismatch");
          else if (bound.reply !== null) {
            expect(begun.state === "done" && decoder.decode(begun.reply.body)).toBe(bound.reply);
          } else if (now < bound.leased_until) expect(begun.state).toBe("running");
          // Whoever takes over from a lost owner logs under its id: however many computed, one
          // entry is left.
          else expect(begun).toEqual({ state: "new", request_id: bound.log_id });
          if (begun.state === "new") {
            bound.owner = id;
            bound.since = now;
            bound.leased_until = now + LIMITS.idempotency_lease_ms;
            computing.push({ id, body: step.body, request_id: begun.request_id });
          }
        } else {
          const owner = pick(step.who);
          if (owner === undefined) continue;
          const current = bound !== null && bound.reply === null && bound.owner === owner.id;
          if (step.kind === "renew") {
            entry.renew(owner.id);
            if (current && bound !== null) bound.leased_until = now + LIMITS.idempotency_lease_ms;
            continue;
          }
          computing = computing.filter((other) => other !== owner);
          if (step.kind === "fail") {
            await entry.release(owner.id);
            if (current) bound = null;
          } else if (step.kind === "end") {
            const text = `reply of ${owner.id}`;
            const reply: KeptReply = {
              request_id: owner.request_id,
              status: 200,
              headers: {},
              body: encoder.encode(text),
            };
            const said = decoder.decode(entry.complete(owner.body, reply).body);
            if (bound === null || (bound.body === owner.body && bound.reply === null)) {
              expect(said).toBe(text);
              bound = {
                body: owner.body,
                owner: owner.id,
                log_id: owner.request_id,
                since: now,
                reply: text,
                leased_until: 0,
              };
            } else expect(said).toBe(bound.body === owner.body ? bound.reply : text);
          }
        }
      }
    }),
    {
      numRuns: 500,
      // An owner from before the key was forgotten renews after the newer one crashed: it is not
      // the owner any more.
      examples: [
        [
          [
            { kind: "arrive", body: "a" },
            { kind: "pass", ms: 86_400_000 },
            { kind: "arrive", body: "a" },
            { kind: "pass", ms: 15_000 },
            { kind: "crash", who: 1 },
            { kind: "renew", who: 0 },
            { kind: "arrive", body: "a" },
          ],
        ],
      ],
    },
  );
});

it("whoever waits is told at the end, at a failure, and when the owner's lease has run out", async () => {
  const entry = () =>
    new IdempotentEntry(
      memoryValues(systemClock, () => undefined),
      systemClock,
    );
  const reply: KeptReply = { request_id: "a", status: 200, headers: {}, body: encoder.encode("x") };
  const ended = entry();
  ended.begin("a", "body");
  const told = [ended.wait(60_000), ended.wait(60_000)];
  ended.complete("body", reply);
  await Promise.all(told);
  const failed = entry();
  failed.begin("a", "body");
  const freed = failed.wait(60_000);
  await failed.release("a");
  await freed;
  let now = 0;
  const lost = new IdempotentEntry(
    memoryValues(systemClock, () => undefined),
    { ...systemClock, now: () => now },
  );
  lost.begin("a", "body");
  now = LIMITS.idempotency_lease_ms - 1;
  await lost.wait(60_000);
  now++;
  expect(lost.begin("b", "body")).toEqual({ state: "new", request_id: "a" });
});

it("a reply larger than a row is kept whole", () => {
  const entry = new IdempotentEntry(
    memoryValues(systemClock, () => undefined),
    { ...systemClock, now: () => 0 },
  );
  const body = Uint8Array.from({ length: 2 * LIMITS.object_row_bytes + 3 }, (_, i) => i % 251);
  entry.begin("a", "body");
  entry.complete("body", { request_id: "a", status: 200, headers: { "content-type": "t" }, body });
  const begun = entry.begin("b", "body");
  if (begun.state !== "done") throw new Error(begun.state);
  expect(begun.reply.headers).toEqual({ "content-type": "t" });
  expect(Buffer.compare(begun.reply.body, body)).toBe(0);
});
