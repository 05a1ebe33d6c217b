// A batch whose object ends between its log entry and its own end: the next life must come to what
// the log already says.

import { expect, it } from "vitest";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { BatchJob } from "../../../src/objects/batches/batch.ts";
import { newBatch } from "../../../src/objects/batches/batch-record.ts";
import { encodeBatch } from "../../../src/objects/batches/request-pieces.ts";
import { createBatchScorer } from "../../../src/objects/batches/scorer.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { RunLog } from "../../../src/ports/run-log.ts";
import { completeJudging } from "../../../src/scoring/complete-judging.ts";
import { fenced } from "../../api/routes/harness.ts";
import { type FakeVerifier, fakeRunLog, fakeVerifier, fixedClock } from "../../harness/fakes.ts";

const never = new Promise<never>(() => {});

/** Fails for every pair without the first program, as long as `broken` says so. */
const verifierThat = (broken: () => boolean) =>
  fakeVerifier((shown) => {
    const failing = broken() && shown.every((program) => !program.includes("x0"));
    return failing ? { error: "verifier_unavailable" } : "\\boxed{A}";
  });

/** A group of three, and one of two: four pairs, of which one can fail. */
function aBatch() {
  const values = memoryValues(systemClock, () => undefined);
  const life = (verifier: FakeVerifier, runLog: RunLog) => {
    const deps = completeJudging({
      verifier,
      runLog,
      clock: fixedClock(),
      timers: systemClock,
      report: () => undefined,
    });
    return new BatchJob({
      values,
      score: createBatchScorer(deps),
      keyLimits: null,
      timers: { ...systemClock, now: () => 1e12 },
      report: deps.report,
    });
  };
  const group = (prompt: string, n: number) => ({
    prompt,
    rollouts: Array.from({ length: n }, (_, i) => ({ text: fenced(`x${i}`) })),
  });
  const request = RewardsRequestSchema.parse({ run_id: "r", groups: [group("p", 3), group("q", 2)] });
  const given = { request, spec: BUILT_IN_DEFAULT };
  const head = { key_name: null, route: "rewards" as const, shape: null };
  const submit = (batch: BatchJob) => batch.submit("01K0", newBatch(head, given), encodeBatch(given));
  return { life, submit, values };
}

it("asks nothing again once all was scored, failures included, and logs and replies the same", async () => {
  const { life, submit } = aBatch();
  const log = fakeRunLog();
  const entries: LogEntry[] = [];
  const logged = Promise.withResolvers<void>();
  const keeps = async (entry: LogEntry) => {
    entries.push(entry);
    logged.resolve();
    return entries.length > 1 ? log.append(entry) : never;
  };
  const first = life(
    verifierThat(() => true),
    { ...log, append: keeps },
  );
  submit(first);
  void first.wake();
  await logged.promise;
  const well = verifierThat(() => false);
  const second = life(well, { ...log, append: keeps });
  await second.wake();
  expect(well.jobs).toEqual([]);
  const { state, reply, progress } = (await second.view(null, 0)) ?? {};
  expect([state, progress]).toMatchObject(["done", { comparisons_total: 4, comparisons_done: 3 }]);
  expect(reply?.groups[0]?.rollouts.map(({ undecided }) => undecided)).toEqual([0, 1, 1]);
  const [one, two] = entries;
  expect(two?.groups).toEqual(one?.groups);
});

it("asks again for what failed when the life before did not come to an end", async () => {
  const { life, submit, values } = aBatch();
  const log = fakeRunLog();
  const bad = verifierThat(() => true);
  const session: FakeVerifier["session"] = (call) => {
    const { judge, stats } = bad.session(call);
    return { stats, judge: (job, sink) => (job.question === "q" ? never : judge(job, sink)) };
  };
  const first = life({ ...bad, session }, log);
  submit(first);
  void first.wake();
  await expect.poll(() => [...values.list("judged:"), ...values.list("group.")].length).toBe(3);
  const well = verifierThat(() => false);
  const second = life(well, log);
  await second.wake();
  expect(well.jobs.flatMap(({ questions }) => questions)).toHaveLength(2);
  const { reply } = (await second.view(null, 0)) ?? {};
  expect(reply?.groups.flatMap(({ rollouts }) => rollouts.map(({ undecided }) => undecided))).toEqual([0, 0, 0, 0, 0]);
});
