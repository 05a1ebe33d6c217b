// The demo for texts: scores answers that are not programs with a preset and reads the log back, through the
// public API.

import type { Group } from "../../src/core/contract/group.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { RunDetail, StepRow } from "../../src/ports/logged-rows.ts";
import { createDemoClient, secondsSince } from "./demo-client.ts";
import { logTable, summaryTable, textTable } from "./demo-tables.ts";
import { sharesMet, type TextProblem, textProblems } from "./examples.ts";
import type { Stack } from "./stack.ts";

/** The problem's answers as a group, with their labels. */
export const textGroup = (problem: TextProblem): Group & { reference: string } => {
  const shares = sharesMet(problem);
  return {
    group_id: problem.id,
    prompt: problem.question,
    reference: problem.reference,
    rollouts: problem.answers.map(({ text }, i) => ({ text, pass_rate: shares[i] as number })),
  };
};

/**
 * Scores the texts with the stack's default spec, whose preset is `judge`, and prints the result.
 * @param more further fields of the request, such as a spec
 */
export async function showTexts(
  stack: Stack,
  judge: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const client = createDemoClient(stack.url);
  const problems = textProblems();
  const groups = problems.map(textGroup);
  const answers = groups.reduce((n, { rollouts }) => n + rollouts.length, 0);
  console.log(
    `${groups.length} questions, ${answers} answers, judged by ${judge}. An answer's label is the share of the question's points that it meets, assigned by hand. Prompts contain no labels. If the judge is simulated, its verdicts are the labels with noise.\n`,
  );
  const at = performance.now();
  const reply = await client.post<RewardsReply>("/v1/rewards", { run_id: "demo", step: 0, groups, ...more });
  const took = secondsSince(at);
  reply.groups.forEach((group, g) => void console.log(textTable(problems[g] as TextProblem, group)));
  console.log(summaryTable([{ name: judge, reply, took }]));
  await client.stored(`/v1/requests/${reply.request_id}`);
  const { steps } = await client.get<{ steps: StepRow[] }>("/v1/runs/demo/steps");
  console.log(logTable(await client.get<RunDetail>("/v1/runs/demo"), steps));
}
