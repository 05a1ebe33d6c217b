// The part of the run log's contract on what is added up over a run and its steps.

import { expect, it } from "vitest";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import fc from "../../harness/property.ts";
import vectors from "../../vectors/published_rewards.json" with { type: "json" };
import { healthRowsOf } from "../health-oracle.ts";
import { nextRequestId, rewardsEntry, sizedEntry, verdictsEntry } from "../log-entries.ts";
import { expectedSignals, expectedStep, expectedSummary } from "../step-oracle.ts";

import { ALL_STEPS, named, nearly, newRun, runOf, type StoreUnderTest, sample, trainers } from "./store.ts";

/** The fields that the other has, too: the table may have measures that the oracle does not know. */
const like = (row: object, other: object = {}) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name in other));

export function reads(store: () => StoreUnderTest): void {
  it("aggregates a run and its steps as a plain computation over the entries does", async () => {
    const entries = fc.array(
      fc.oneof({ weight: 3, arbitrary: rewardsEntry }, { weight: 1, arbitrary: verdictsEntry }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(entries, async (random) => {
        const { runLog } = store();
        const run_id = newRun();
        const logged = random.map((entry) => named(entry, { run_id }));
        for (const entry of logged) await runLog.append(entry);
        const steps = [...new Set(logged.map((entry) => entry.step))].sort((a, b) => (a ?? -1) - (b ?? -1));
        const expected = steps.map((step) =>
          expectedStep(
            step,
            logged.filter((entry) => entry.step === step),
          ),
        );
        expect(await runLog.steps(trainers(run_id), ALL_STEPS)).toEqual(expected);
        const beside = await runLog.steps(trainers(run_id), ALL_STEPS, true);
        expect(beside.map(({ signals }) => signals)).toEqual(
          steps.map((step) => expectedSignals(logged.filter((entry) => entry.step === step))),
        );
        expect(await runLog.run(trainers(run_id))).toMatchObject(expectedSummary(run_id, logged));
        const health = healthRowsOf(logged, 2);
        const last = await runLog.health(trainers(run_id), 2);
        expect(last.map((row) => like(row, health[0]))).toEqual(health.map(nearly));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("counts pass@k as human-eval does, and how many candidates of a group differ", async () => {
    const { runLog } = store();
    const run_id = newRun();
    for (const [step, { n, c }] of vectors.pass_at_k.entries()) {
      const entry = sizedEntry({ run_id, step, groups: 1, size: n });
      const groups = entry.groups.map((group) => ({
        ...group,
        // The right ones are one candidate, or one text without a candidate; the others are separate texts.
        rollouts: group.rollouts.map((row, r) => ({
          ...row,
          pass_rate: r < c ? 1 : 0.5,
          candidate_hash: r < c && step % 2 === 0 ? "0".repeat(64) : null,
          text_hash: (r < c && step % 2 === 1 ? 0 : r + 1).toString(16).padStart(64, "0"),
        })),
      }));
      await runLog.append({ ...entry, groups });
    }
    const rows = await runLog.health(trainers(run_id), 20);
    for (const [i, { n, c, at }] of vectors.pass_at_k.entries()) {
      const row = rows[i] ?? {};
      const expected = [1, 4, 8].map((k) => (at as Record<string, number>)[`${k}`] ?? null);
      const found = ["pass_at_1", "pass_at_4", "pass_at_8"].map((name) => (row as Record<string, number | null>)[name]);
      expect(found.map((value) => value?.toFixed(12))).toEqual(expected.map((value) => value?.toFixed(12)));
      const kinds = n - c + (c > 0 ? 1 : 0);
      const spread = n === 1 ? null : 1 - (c > 0 ? (c / n) * Math.log(c) : 0) / Math.log(n);
      expect(row).toMatchObject({ distinct_share: expect.closeTo(kinds / n, 12) });
      expect(row).toMatchObject({ candidate_entropy: spread === null ? null : expect.closeTo(spread, 12) });
    }
  });

  it("tells at which steps a group of an earlier one was judged again, and how far its order is what it was", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const ranked = (step: number, rewards: readonly number[]): LogEntry => {
      const entry = sizedEntry({ run_id, step, groups: 1, size: rewards.length });
      const groups = entry.groups.map((group) => {
        const rollouts = group.result.rollouts.map(({ retryable: _, ...one }, r) => ({
          ...{ ...one, reward: rewards[r] as number, error: null },
        }));
        return { ...group, result: { ...group.result, status: "ok" as const, rollouts } };
      });
      return { ...entry, groups };
    };
    const [first, other] = [ranked(0, [0, 0.5, 1]), ranked(1, [1, 0.5, 0])];
    const changed = other.groups.map((group) => ({ ...group, prompt_hash: "0".repeat(64) }));
    const again = [ranked(2, [0.1, 0.2, 0.3]), ranked(3, [3, 2, 1]), ranked(4, [1, 1, 1])];
    const logged = [first, { ...other, groups: changed }, ...again];
    for (const entry of logged) await runLog.append(entry);
    const rows = await runLog.health(trainers(run_id), 10);
    expect(rows.map(({ repeat_correlation }) => repeat_correlation)).toEqual([null, null, 1, -1, 0]);
    expect(rows.map(({ repeat_rollouts }) => repeat_rollouts)).toEqual([0, 0, 3, 3, 3]);
    // Groups judged before the steps that are looked at are not known.
    const late = await runLog.health(trainers(run_id), 2);
    expect(late.map(({ repeat_correlation }) => repeat_correlation)).toEqual([null, 0]);
  });

  it("tells of each run's spec whether its own requests asked for texts, though the spec's hash is the same", async () => {
    const { runLog } = store();
    const spec_hash = `sha256:${newRun()}`;
    const said = async (log_texts: boolean) => {
      const entry = named(sample, { run_id: newRun(), spec_hash, spec: JSON.stringify({ seed: 0, log_texts }) });
      await runLog.append(entry);
      return (await runLog.run(runOf(entry)))?.specs.map(({ spec }) => spec);
    };
    expect(await said(false)).toEqual([{ seed: 0, log_texts: false }]);
    expect(await said(true)).toEqual([{ seed: 0, log_texts: true }]);
  });

  it("gives a run's specs in order of first use", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const at = (ms: number) => new Date(1.8e12 + ms);
    const spec = (value: string) => ({
      spec_hash: `sha256:${run_id}-${value}`,
      spec: JSON.stringify({ value: `${value}\0` }),
    });
    for (const [value, ms] of [
      ["late", 2],
      ["early", 1],
      ["late", 3],
    ] as const) {
      await runLog.append(named(sample, { run_id, ...spec(value), created_at: at(ms) }));
    }
    const detail = await runLog.run(trainers(run_id));
    const told = (value: string, requests: number) => {
      const uses = sample.groups.map(({ result }) => result.verifier);
      const [cut, answered] = [uses.map(({ cut = 0 }) => cut), uses.map((use) => use.generations - use.failed)].map(
        (counts) => counts.reduce((sum, count) => sum + count, 0),
      ) as [number, number];
      const cut_share = answered === 0 ? null : expect.closeTo(cut / answered, 9);
      const first_at = at(requests).toISOString();
      return { spec_hash: `sha256:${run_id}-${value}`, spec: { value: `${value}\0` }, requests, first_at, cut_share };
    };
    expect(detail?.specs).toEqual([told("early", 1), told("late", 2)]);
  });

  it("tells unknown from empty", async () => {
    const { runLog } = store();
    expect(await runLog.run(trainers("no-such-run"))).toBeNull();
    expect(await runLog.steps(trainers("no-such-run"), ALL_STEPS)).toEqual([]);
    expect(await runLog.request(nextRequestId(), null)).toBeNull();
    for (const id of [`${nextRequestId()}.0`, "nonsense", "a.b", "1.99999", "x\0.1"])
      expect(await runLog.verdicts(id, null)).toBeNull();
    const entry = named(sample, { groups: sample.groups.slice(0, 1).map((group) => ({ ...group, verdicts: [] })) });
    await runLog.append(entry);
    expect(await runLog.verdicts(`${entry.request_id}.0`, null)).toMatchObject({ verdicts: [] });
    expect(await runLog.verdicts(`${entry.request_id}.1`, null)).toBeNull();
  });

  it("says that it is ready", async () => {
    expect(await store().runLog.check()).toMatchObject({ ok: true });
  });
}
