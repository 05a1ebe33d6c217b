// The committed runs of agents: real, labelled by what they left behind, and known to the simulator
// and to the made-up judge by what a judge is shown of them.

import { expect, test } from "vitest";
import { agentsText, textTable } from "../../scripts/stack/demo-tables.ts";
import { agentsRun } from "../../scripts/stack/example-agents.ts";
import { agentGroup, agentTasks, sharesMet } from "../../scripts/stack/examples.ts";
import { judgesRuns, runLabels, startSimulatedJudge } from "../../scripts/stack/judge.ts";
import { writeInto } from "../../scripts/stack/made-up-run.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { promptNames } from "../../src/core/judges/render.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { setUp } from "../api/routes/harness.ts";
import { fakeRunLog } from "../harness/fakes.ts";

const tasks = agentTasks();

test("eight runs: of each task one does all, one little, and what is deleted or claimed costs points", () => {
  expect(tasks.flatMap(({ runs }) => runs)).toHaveLength(8);
  for (const { points, runs } of tasks) {
    const shares = sharesMet({ points, answers: runs });
    expect(shares.filter((share) => share === 1)).toHaveLength(1);
    expect(shares.filter((share) => share <= 0.25)).toHaveLength(1);
    expect(runs.every(({ messages }) => JSON.stringify(messages).includes('"tool_call_id"'))).toBe(true);
  }
});

test("the simulator and the made-up judge know each run by its turns, and by its diffs where it has files", () => {
  const labels = runLabels();
  const texts = Object.keys(labels);
  expect(texts.filter((text) => text.startsWith("[TURN_"))).toHaveLength(8);
  // Among four with files two repaired slug.mjs, one cut test.mjs, and one changed nothing.
  expect(texts.flatMap((text) => /^\[FILE_\d (.*)\]/.exec(text)?.[1] ?? [])).toEqual([
    ...["slug.mjs", "slug.mjs", "test.mjs"],
  ]);
  expect(promptNames().filter(judgesRuns)).toEqual(["trajectory-pair"]);
});

test.each(["trajectory-pair", "trajectory-point"])("%s, simulated, ranks them, and says what it saw", async (judge) => {
  const played = await startSimulatedJudge("trajectory-pair");
  const { VERIFIER_URL: url, VERIFIER_MODEL: model } = played.vars;
  const clock = systemClock;
  const verifier = createOpenAiVerifier({ url, model, apiKey: null, simulated: true }, clock);
  const kind = judge === "trajectory-pair" ? "tournament" : "grade";
  const spec = { candidate: { extract: "whole" }, signals: { how: { kind, judge: { preset: judge } } } };
  const response = await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups: tasks.map(agentGroup) });
  await played.close();
  const reply = (await response.json()) as RewardsReply;
  reply.groups.forEach((group, g) => {
    const { runs: answers, ...task } = tasks[g] as (typeof tasks)[number];
    expect(textTable({ ...task, answers }, group)).toMatch(/tau-b[^\n]* (0\.[3-9]|1\.00)/);
    for (const { details } of group.rollouts) expect(details?.how).toHaveProperty("turns");
  });
  expect(agentsText(reply)).toMatch(
    /5\d % to 100 % of each run's characters\. Left out, in part or in full: results \(/,
  );
});

test("the example writes them into the log once, with verdicts that say that they are made up", async () => {
  const runLog = fakeRunLog();
  expect(await writeInto(runLog, null, agentsRun())).toBe(1);
  expect(await writeInto(runLog, null, agentsRun())).toBe(0);
  const run = { run_id: "example-agents", owner: "" };
  const { rows } = await runLog.groups(run, { step: 0, cursor: null, limit: 9 });
  expect(rows.map(({ turns }) => turns)).toEqual([
    [4, 3, 3, 3],
    [4, 3, 2, 3],
  ]);
  for (const [g, row] of rows.entries()) {
    const shares = sharesMet({ points: tasks[g]?.points ?? [], answers: tasks[g]?.runs ?? [] });
    expect(row.rewards.indexOf(1)).toBe(shares.indexOf(1));
  }
  const said = await runLog.verdicts(rows[0]?.id as string, null);
  expect(said?.verdicts.every(({ text, turns }) => /^Made up, /.test(text ?? "") && turns !== undefined)).toBe(true);
});
