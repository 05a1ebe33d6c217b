// The demo for agents: scores recorded multi-turn runs with a preset, through the public API.
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { createDemoClient, secondsSince } from "./demo-client.ts";
import { agentsText, summaryTable, textTable } from "./demo-tables.ts";
import { type AgentTask, agentGroup, agentTasks } from "./examples.ts";
import type { Stack } from "./stack.ts";

/** Scores the recorded runs with the stack's default spec, whose preset is `judge`, and prints the result. */
export async function showAgents(stack: Stack, judge: string): Promise<void> {
  const client = createDemoClient(stack.url);
  const tasks = agentTasks();
  const runs = tasks.reduce((n, task) => n + task.runs.length, 0);
  console.log(
    `${tasks.length} task${tasks.length === 1 ? "" : "s"}, ${runs} agent runs, judged by ${judge}. The runs were written by hand, and their commands were executed. A run's label is the share of the task's points that it meets, checked on the files that it left. Prompts contain no labels. If the judge is simulated, its verdicts are the labels with noise, and it names the last turn as decisive.\n`,
  );
  const at = performance.now();
  const groups = tasks.map(agentGroup);
  const reply = await client.post<RewardsReply>("/v1/rewards", {
    run_id: "demo",
    step: 0,
    groups,
  });
  const took = secondsSince(at);
  reply.groups.forEach((group, g) => {
    const { runs: answers, ...task } = tasks[g] as AgentTask;
    console.log(textTable({ ...task, answers }, group));
  });
  console.log(summaryTable([{ name: judge, reply, took }]));
  console.log(agentsText(reply));
}
