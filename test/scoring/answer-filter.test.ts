// A judge's answers checked by another model before they count (`judge.filter`): the best of each
// question are its votes, and what could not be scored is none.
import { describe, expect, test } from "vitest";
import type { Reading } from "../../src/core/asking/readings.ts";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { AnySpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { ReadingJournal } from "../../src/scoring/reading-journal.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { EVERY_BACKEND, type FakeVerifier, fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { program, reordering, rolloutsOf } from "./score-setup.ts";

const TEXTS = [program(1), program(2)];

/** Of each question's samples the first three name A, the fourth B. */
const VOTES = "AAAB";
const critique = (sample: number) => `Critique ${sample}. \\boxed{${VOTES[sample]}}`;
const numberIn = (text = "") => Number(/Critique (\d+)/.exec(text)?.[1]);

type Scores = (sample: number) => ReturnType<Script>;

/** A judge, and a filter that says of a critique what `scores` does of its number. */
const judging =
  (scores: Scores): Script =>
  (shown, { sample, job }) =>
    job.to === "scalar" || job.preset === "yes-no" ? scores(numberIn(shown[0])) : critique(sample);

const specOf = (filter: object, judge: object = {}) => ({
  signals: { r: { kind: "tournament", judge: { samples: 4, reask: 0, ...judge, filter } } },
});

const served = (verifier: FakeVerifier): FakeVerifier => ({ ...verifier, takes: EVERY_BACKEND });

async function scored(
  scores: Scores,
  filter: object = { top: 1 },
  { judge = {}, spec = {}, journal, verifier = fakeVerifier(judging(scores)) }: Partial<Given> = {},
) {
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print it.", rollouts: rolloutsOf(TEXTS) }] });
  const batch = { request, spec: AnySpecSchema.parse({ ...specOf(filter, judge), ...spec }), started_ms: 0 };
  const { signal } = new AbortController();
  const of = { ...batch, signal, ...(journal !== undefined && { journal }) };
  const { reply, entry } = await scoreBatch({ verifier: served(verifier), clock: fixedClock() }, of);
  const [group] = reply.groups as [GroupResult];
  const rows = entry.groups[0]?.verdicts ?? [];
  const told = rows.map(({ sample, letter, status, error }) => [sample, letter, status ?? error]);
  return { group, told, verifier, rewards: group.rollouts.map(({ reward, error }) => reward ?? error) };
}

interface Given {
  judge: object;
  spec: object;
  journal: ReadingJournal;
  verifier: FakeVerifier;
}

describe("of a question's answers", () => {
  test("those count that score most, and each row of the log says whether it did", async () => {
    const one = await scored((n) => `${n - 1.5}`);
    // Alone A would have three votes of four.
    expect(one.rewards).toEqual([0, 1]);
    expect(one.told).toEqual([
      [0, "A", "filtered"],
      [1, "A", "filtered"],
      [2, "A", "filtered"],
      [3, "B", "ok"],
    ]);
    const three = await scored((n) => `${n - 1.5}`, { top: 3 });
    expect(three.rewards).toEqual([1, 0]);
    expect(three.told.map(([, , status]) => status)).toEqual(["filtered", "ok", "ok", "ok"]);
  });

  test("each is asked about once, apart, and counted as asked; equal words are one", async () => {
    const { group, verifier } = await scored((n) => `${n}`);
    expect(group.verifier).toMatchObject({ comparisons: 1, generations: 8, parsed: 8, unparsed: 0, failed: 0 });
    const [asked, checked, ...rest] = verifier.jobs;
    expect(rest).toEqual([]);
    expect(asked?.to).toBe("chat");
    expect(checked).toMatchObject({ to: "scalar", question: "Print it.", candidates: [0, 1, 2, 3].map(critique) });
    const same: Script = (_, { job }) => (job.to === "scalar" ? "0.5" : "Alike. \\boxed{A}");
    const equal = await scored(() => "", { top: 1 }, { verifier: fakeVerifier(same) });
    expect(equal.verifier.jobs[1]?.candidates).toEqual(["Alike. \\boxed{A}"]);
    expect(equal.told.map(([, , status]) => status)).toEqual(["ok", "filtered", "filtered", "filtered"]);
  });

  test("the thoughts are not shown, and nothing that a policy wrote", async () => {
    const thinking: Script = (_, about) =>
      about.job.to === "scalar" ? "1" : `<think>secret</think> Critique 3. \\boxed{A}`;
    const { verifier } = await scored(() => "", { top: 1 }, { verifier: fakeVerifier(thinking) });
    const shown = JSON.stringify(verifier.jobs[1]);
    expect(verifier.jobs[1]?.candidates).toEqual(["Critique 3. \\boxed{A}"]);
    expect(shown).not.toMatch(/secret|print\(/);
  });

  test("the same count whatever order answers and scores come in", async () => {
    const scores = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(scores, fc.integer({ min: 1, max: 3 }), fc.nat(), async (worth, top, seed) => {
        const script = judging((n) => `${worth[n]}`);
        const plain = await scored(() => "", { top }, { judge: { both_orders: true }, verifier: fakeVerifier(script) });
        const moved = await scored(
          () => "",
          { top },
          { judge: { both_orders: true }, verifier: reordering(script, seed) },
        );
        expect([moved.rewards, moved.told]).toEqual([plain.rewards, plain.told]);
        expect(plain.told.filter(([, , status]) => status === "ok")).toHaveLength(2 * top);
      }),
      { numRuns: 30 },
    );
  });

  test("a model may score them in a preset's words", async () => {
    const { rewards, verifier } = await scored((n) => (n === 3 ? "Yes" : "No"), { top: 1, by: "chat", model: "meta" });
    expect(rewards).toEqual([0, 1]);
    expect(verifier.jobs[1]).toMatchObject({ to: "chat", preset: "yes-no" });
    expect(verifier.calls.map(({ model }) => model)).toEqual([null, "meta"]);
  });

  test("another model that scores them is no other judge under strict_model", async () => {
    const script: Script = (shown, about) =>
      about.job.to === "scalar"
        ? { answer: `${numberIn(shown[0])}`, model: "meta" }
        : { answer: critique(about.sample), model: "judge" };
    const { rewards } = await scored(
      () => "",
      { top: 1 },
      { judge: { strict_model: true }, verifier: fakeVerifier(script) },
    );
    expect(rewards).toEqual([0, 1]);
  });
});

describe("an answer that could not be scored", () => {
  test.each<[string, ReturnType<Script>, string]>([
    ["NaN", "NaN", "verifier_bad_reply"],
    ["beyond all numbers", "1e999", "verifier_bad_reply"],
    ["nothing", "", "verifier_bad_reply"],
    ["a failure", { error: "verifier_unavailable" }, "verifier_unavailable"],
    ["its refusal", { error: "context_exceeded" }, "verifier_bad_reply"],
  ])("(%s) is no vote and has a code", async (_, broken, code) => {
    // Critique 3 would have been the best.
    const one = await scored((n) => (n === 3 ? broken : `${n}`), { top: 2 });
    expect(one.rewards).toEqual([1, 0]);
    expect(one.told).toEqual([
      [0, "A", "filtered"],
      [1, "A", "ok"],
      [2, "A", "ok"],
      [3, null, code],
    ]);
    const none = await scored(() => broken);
    expect(none.rewards).toEqual([code, code]);
    expect(none.group.status).toBe("failed");
    expect(none.told.map(([, letter, why]) => [letter, why])).toEqual(new Array(4).fill([null, code]));
  });

  test("is one that the filter's model did not grade", async () => {
    const { rewards } = await scored(() => "Perhaps.", { top: 1, by: "chat" });
    expect(rewards).toEqual(["verifier_bad_reply", "verifier_bad_reply"]);
  });

  test("is none that was no verdict, which is asked about nobody", async () => {
    const mute: Script = (_, { job }) => (job.to === "scalar" ? "1" : "Hm.");
    const { rewards, verifier } = await scored(() => "", { top: 1 }, { verifier: fakeVerifier(mute) });
    expect(rewards).toEqual(["unparsed", "unparsed"]);
    expect(verifier.jobs).toHaveLength(1);
  });
});

test("a journal knows what counted, holds no word, and is not asked twice", async () => {
  const kept = new Map<string, readonly Reading[]>();
  const journal: ReadingJournal = {
    known: (key) => (kept.has(key) ? { readings: kept.get(key) as Reading[], charged: true } : undefined),
    onReadings: (key, readings) => void kept.set(key, readings),
  };
  const first = await scored((n) => `${n}`, { top: 1 }, { journal });
  expect([...kept.values()].flat().map(({ status }) => status)).toEqual(["filtered", "filtered", "filtered", "ok"]);
  expect(JSON.stringify([...kept])).not.toContain("Critique");
  const again = await scored((n) => `${-n}`, { top: 1 }, { journal });
  expect([again.verifier.jobs, again.rewards, again.told]).toEqual([[], first.rewards, first.told]);
});

test("judge_text tells which of the answers counted", async () => {
  const { group } = await scored((n) => `${n}`, { top: 1 }, { spec: { judge_text: true } });
  expect(group.rollouts[0]?.judge_text?.map(({ text, status }) => [text, status])).toEqual(
    [0, 1, 2, 3].map((n) => [critique(n), n === 3 ? "ok" : "filtered"]),
  );
});

describe("a filter that does not go with its judge is refused:", () => {
  const post = async (spec: object, takes: FakeVerifier["takes"] = EVERY_BACKEND) => {
    const verifier = { ...fakeVerifier(judging(() => "1")), ...(takes && { takes }) };
    const { code, errors } = await problemOf(
      await setUp({ verifier }).post("/v1/rewards", { spec, groups: [{ prompt: "p", rollouts: rolloutsOf(TEXTS) }] }),
    );
    return [code, errors?.[0]?.path];
  };
  test.each<[string, object, object, string]>([
    ["as many as there are", { top: 4 }, {}, "top"],
    ["none", { top: 0 }, {}, "top"],
    ["of samples until sure", { top: 1 }, { samples: { max: 4 } }, "top"],
    ["of probabilities", { top: 1 }, { vote: "soft", preset: "letter-select" }, "by"],
    ["under a budget", { top: 1 }, { budget: { generations: 8 } }, "by"],
    ["a preset that compares", { top: 1, by: "chat", preset: "mtbench-ab" }, {}, "preset"],
    ["a preset that there is not", { top: 1, by: "chat", preset: "nobody" }, {}, "preset"],
    ["a scalar model's preset", { top: 1, preset: "yes-no" }, {}, "preset"],
    ["a scalar model's name", { top: 1, model: "m" }, {}, "model"],
  ])("%s", async (_, filter, judge, field) => {
    expect(await post(specOf(filter, judge))).toEqual(["invalid_request", `spec.signals.r.judge.filter.${field}`]);
  });

  test("where no backend scores, and in a spec without signals", async () => {
    expect(await post(specOf({ top: 1 }), ["chat"])).toEqual(["not_configured", "spec.signals.r.judge.filter.by"]);
    expect(await post({ judge: { samples: 4, filter: { top: 1 } } })).toEqual(["invalid_request", "spec.judge.filter"]);
  });
});

test("a request has room for what scores its answers, or is refused whole", async () => {
  const verifier = fakeVerifier(
    judging((n) => `${n}`),
    { generations_max: 7 },
  );
  await expect(scored(() => "", { top: 1 }, { verifier })).rejects.toMatchObject({ code: "too_many_generations" });
});
