// The demo of texts: answers without programs, judged in a preset's words, and the log read back. Knows the
// API only from outside.
import type { RewardsReply } from "../../src/core/contract/replies.ts";
import type { Group } from "../../src/core/contract/requests.ts";
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
 * Scores the texts by the stack's default spec, which `judge` asks, and prints the result.
 * @param more further fields of the request, a spec among them
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
    `${groups.length} questions, ${answers} answers, judged by ${judge}. Labels are the share of a question's points that an answer meets, by hand; no prompt holds them, and the simulator, where it judges, goes by them with noise.\n`,
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
