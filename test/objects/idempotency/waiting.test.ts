// Requests that wait long for a running one with their Idempotency-Key: kept alive, given its
// reply, or broken off; never longer than they said.

import { beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createLocalReplies } from "../../../src/objects/idempotency/local.ts";
import type { IdempotentReplies } from "../../../src/objects/idempotency/reply.ts";
import { longest, problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";

const key = { "idempotency-key": "k" };

let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

/** A first request that runs until the gate opens, in virtual time. */
async function running(headers: Record<string, string> = {}) {
  const gate = Promise.withResolvers<void>();
  const verifier = fakeVerifier(longest, { gate: gate.promise });
  const { clock } = time;
  const local = createLocalReplies(clock);
  let waits = 0;
  const replies: IdempotentReplies = {
    ...local,
    wait(name, ms) {
      waits++;
      return local.wait(name, ms);
    },
  };
  const app = setUp({ verifier, clock, timers: clock, replies });
  const first = app.post("/v1/rewards", twoRollouts(), { ...key, ...headers });
  await expect.poll(() => verifier.jobs).toHaveLength(1);
  /** Sends the request again; resolves, with its reply to come, when it waits for the first. */
  const again = async (more: Record<string, string> = {}) => {
    const before = waits;
    const reply = app.post("/v1/rewards", twoRollouts(), { ...key, ...headers, ...more });
    await expect.poll(() => waits).toBeGreaterThan(before);
    return { reply };
  };
  return { ...app, verifier, first, again, open: gate.resolve };
}

it.each([
  ["application/json", /^\n\n\n/],
  ["application/x-ndjson", /^(\{"type":"heartbeat","groups_done":0,"groups":1\}\n){3}/],
])("as %s the reply begins after heartbeat_ms, lives, and ends as the first one's", async (accept, begins) => {
  const { first, again, open, verifier } = await running({ accept });
  const waiting = await again();
  await time.advance(LIMITS.heartbeat_ms);
  const reply = await waiting.reply;
  expect(reply.headers.get("content-type")).toContain(accept);
  const text = reply.text();
  await time.advance(2 * LIMITS.heartbeat_ms);
  open();
  const given = await text;
  expect(given).toMatch(begins);
  const bare = (said: string) => said.replace(/^(?:\s|\{"type":"heartbeat".*\n)*/, "");
  expect(bare(given)).toBe(bare(await (await first).text()));
  expect(verifier.jobs).toHaveLength(1);
});

it("a request that runs longer than a lease keeps its key", async () => {
  const { first, again, open, verifier } = await running();
  await time.advance(3 * LIMITS.idempotency_lease_ms);
  const waiting = await again({ prefer: "wait=60" });
  open();
  expect(await (await waiting.reply).text()).toBe(await (await first).text());
  expect(verifier.jobs).toHaveLength(1);
});

it("a wait ends when it was said to, and says when to come again", async () => {
  const { first, again, open } = await running();
  const refused = await again({ prefer: "wait=2" });
  await time.advance(2_100);
  expect(await problemOf(await refused.reply)).toMatchObject({ status: 409, code: "idempotency_in_progress" });
  const late = await again({ prefer: "wait=7" });
  await time.advance(LIMITS.heartbeat_ms);
  const broken = (await late.reply).text().then(
    () => "whole",
    () => "broken off",
  );
  await time.advance(3_000);
  expect(await broken).toBe("broken off");
  open();
  await (await first).text();
});
