// A batch's alarm, its end, and its request's bytes.

import { expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { BatchJob } from "../../../src/objects/batches/batch.ts";
import { newBatch } from "../../../src/objects/batches/batch-record.ts";
import { decodeBatch, encodeBatch } from "../../../src/objects/batches/request-pieces.ts";
import { createBatchScorer } from "../../../src/objects/batches/scorer.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { completeJudging } from "../../../src/scoring/complete-judging.ts";
import { longest, twoRollouts } from "../../api/routes/harness.ts";
import { fakeRunLog, fakeVerifier, fixedClock } from "../../harness/fakes.ts";

/** A batch over memory whose time is moved by hand and whose alarm is rung by hand. */
function aBatch() {
  let now = Date.UTC(2026, 10, 21);
  const runLog = fakeRunLog();
  const verifier = fakeVerifier(longest);
  const deps = completeJudging({
    verifier,
    runLog,
    clock: fixedClock(),
    timers: systemClock,
    report: () => undefined,
  });
  const values = memoryValues(systemClock, () => undefined);
  const batch = new BatchJob({
    values,
    score: createBatchScorer(deps),
    keyLimits: null,
    timers: { ...systemClock, now: () => now },
    report: deps.report,
  });
  const request = RewardsRequestSchema.parse(twoRollouts());
  const head = { key_name: null, route: "rewards" as const, shape: null };
  const given = { request, spec: BUILT_IN_DEFAULT };
  batch.submit("01K0", newBatch(head, given), encodeBatch(given));
  const pass = (ms: number) => {
    now += ms;
  };
  return { batch, runLog, verifier, values, pass };
}

it("an alarm that rings twice at once runs the batch once and logs it once", async () => {
  const { batch, verifier, runLog } = aBatch();
  await Promise.all([batch.wake(), batch.wake()]);
  await batch.wake();
  expect([verifier.jobs.length, runLog.entries.length]).toEqual([1, 1]);
});

it("a batch is forgotten a day after its end, with all that it stored", async () => {
  const { batch, values, pass } = aBatch();
  await batch.wake();
  pass(LIMITS.batch_kept_ms - 1);
  await batch.wake();
  expect((await batch.view(null, 0))?.state).toBe("done");
  pass(1);
  await batch.wake();
  expect(await batch.view(null, 0)).toBe(null);
  expect([...values.list("")]).toEqual([]);
});

it("a request of any text and any size comes back from its bytes as it was", () => {
  const texts = [
    "",
    "é".repeat(LIMITS.object_row_bytes / 3),
    "half \ud800 pair",
    "line\nend \u2028",
    "\u0000",
    "\ufeffmark",
  ];
  const groups = texts.map((text, g) => ({ group_id: `${g}`, prompt: text, rollouts: [{ text, length_tokens: g }] }));
  const given = { request: { spec: "default", deadline_ms: 100, groups }, spec: BUILT_IN_DEFAULT };
  const pieces = encodeBatch(given);
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(LIMITS.object_row_bytes);
  expect(decodeBatch(pieces)).toEqual(given);
});
