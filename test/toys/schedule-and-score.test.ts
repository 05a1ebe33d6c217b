// A schedule and a score that are one file and one line of their tables each: named by a spec, used
// over HTTP, refused by field, and part of the spec's hash.

import { describe, expect, test, vi } from "vitest";
import { unitScore } from "../../src/api/tools/shared/sample-score.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { ofFlat } from "../../src/core/reward/spec-forms.ts";
import { fenced, problemOf, setUp } from "../api/routes/harness.ts";

vi.mock("../../src/core/tournament/schedules/table.ts", async (original) => {
  const { SCHEDULES } = await original<typeof import("../../src/core/tournament/schedules/table.ts")>();
  const { toySchedule } = await import("./toy-schedule.ts");
  return { SCHEDULES: { ...SCHEDULES, toy: toySchedule } };
});
vi.mock("../../src/core/tournament/score-table.ts", async (original) => {
  const { SCORES } = await original<typeof import("../../src/core/tournament/score-table.ts")>();
  const { toyScore } = await import("./toy-score.ts");
  return { SCORES: { ...SCORES, toy: toyScore } };
});

const rollouts = ["a", "bb", "ccc"].map((code) => ({ text: fenced(code) }));
const asked = (spec: object) => ({ spec, groups: [{ prompt: "p", rollouts }] });

async function scored(spec: object): Promise<RewardsReply> {
  const response = await setUp().post("/v1/rewards", asked(spec));
  expect(response.status).toBe(200);
  return (await response.json()) as RewardsReply;
}

describe("a schedule in one file and one line", () => {
  test("asks what it says, over HTTP, by settings of its own", async () => {
    const one = await scored({ judge: { schedule: "toy" } });
    expect(one.groups[0]?.verifier.comparisons).toBe(1);
    const two = await scored({ judge: { schedule: { name: "toy", links: 2 } } });
    expect(two.groups[0]?.verifier.comparisons).toBe(2);
    expect(two.spec_hash).not.toBe(one.spec_hash);
    expect((await scored({ judge: { schedule: { name: "toy", links: 1 } } })).spec_hash).toBe(one.spec_hash);
  });

  test("works in a signal, beside another tournament", async () => {
    const signals = { few: { kind: "tournament", schedule: "toy" }, all: { kind: "tournament" } };
    const reply = await scored({ signals, reward: "all" });
    expect(reply.rewards).toEqual([[0, 0.5, 1]]);
  });

  test("is refused by field for settings that it does not take, and for another mode", async () => {
    const refuse = async (judge: object) => problemOf(await setUp().post("/v1/rewards", asked({ judge })));
    const paths = async (judge: object) => (await refuse(judge)).errors?.map(({ path }) => path);
    expect(await paths({ schedule: { name: "toy", links: 0 } })).toEqual(["spec.judge.schedule.links"]);
    expect(await paths({ schedule: "toy", mode: "listwise" })).toEqual(["spec.judge.schedule"]);
  });
});

describe("a score in one entry", () => {
  test("gives its values, over HTTP, in both forms of a spec", async () => {
    expect((await scored({ reward: "toy" })).rewards).toEqual([[0, 0, 10]]);
    const signals = { base: { kind: "tournament", score: "toy" } };
    const reply = await scored({ signals, reward: "base / 10" });
    expect([reply.rewards, reply.reward_range]).toEqual([[[0, 0, 1]], [0, 1]]);
  });

  test("is told on 0..1 by the contracts that promise it, as every score with another range", async () => {
    const documents = ["a", "bb", "ccc"];
    const { post, call } = setUp();
    for (const reward of ["toy", "net_win_rate"]) {
      const headers = { "content-type": "application/json" };
      const spec = { reward, candidate: { extract: "whole" } };
      await call("/v1/specs/mine", { method: "PUT", headers, body: JSON.stringify(spec) });
      const reply = await post("/v1/rerank?spec=mine", { query: "q", documents });
      const { results } = (await reply.json()) as { results: { index: number; relevance_score: number }[] };
      const [a, b, c] = documents.map((_, at) => results.find(({ index }) => index === at)?.relevance_score);
      expect([a, b, c]).toEqual(reward === "toy" ? [0, 0, 1] : [0, 0.5, 1]);
    }
    expect(unitScore(10, ofFlat({ ...DEFAULT_SPEC, reward: "toy" }), 3)).toBe(1);
    expect(unitScore(-1, ofFlat({ ...DEFAULT_SPEC, reward: "net_win_rate" }), 3)).toBe(1 / 3);
  });

  test("brings its range to the check of a spec", async () => {
    const check = await setUp().post("/v1/specs/check", { reward: "toy" });
    expect(await check.json()).toMatchObject({ reward_range: [-1, 10] });
  });
});
