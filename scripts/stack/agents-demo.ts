// The demo of agents: recorded runs of several turns, judged in a preset's words. Knows the API only from
// outside.
import type { RewardsReply } from "../../src/core/contract/replies.ts";
import { createDemoClient, secondsSince } from "./demo-client.ts";
import { agentsText, summaryTable, textTable } from "./demo-tables.ts";
import { type AgentTask, agentGroup, agentTasks } from "./examples.ts";
import type { Stack } from "./stack.ts";

/** Scores the runs by the stack's default spec, which `judge` asks; of `diff-select` those with files. */
export async function showAgents(stack: Stack, judge: string): Promise<void> {
  const client = createDemoClient(stack.url);
  const diffs = judge === "diff-select";
  const tasks = agentTasks().filter(({ runs }) => !diffs || runs.every(({ files }) => files !== undefined));
  const runs = tasks.reduce((n, task) => n + task.runs.length, 0);
  console.log(
    `${tasks.length} task${tasks.length === 1 ? "" : "s"}, ${runs} runs of agents, judged by ${judge}. The runs were written by hand and their commands really run; labels are the share of a task's points that a run meets, by checks of what it left. No prompt holds them; the simulator, where it judges, goes by them with noise and names the last turn as what decides.\n`,
  );
  const at = performance.now();
  const spec = diffs ? { candidate: { extract: "diff" }, judge: { preset: judge } } : undefined;
  const groups = tasks.map(agentGroup);
  const reply = await client.post<RewardsReply>("/v1/rewards", {
    run_id: "demo",
    step: 0,
    groups,
    ...(spec && { spec }),
  });
  const took = secondsSince(at);
  reply.groups.forEach((group, g) => {
    const { runs: answers, ...task } = tasks[g] as AgentTask;
    console.log(textTable({ ...task, answers }, group));
  });
  console.log(summaryTable([{ name: judge, reply, took }]));
  console.log(agentsText(reply));
}
