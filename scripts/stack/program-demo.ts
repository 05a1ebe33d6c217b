// The demo for programs: scores the example groups pairwise and listwise and reads the log back, through the
// public API.

import type { Group } from "../../src/core/contract/group.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { AlarmSpan } from "../../src/core/health/alarm.ts";
import type { GroupRow, RunDetail, StepRow, StoredVerdict } from "../../src/ports/logged-rows.ts";
import { createDemoClient, type DemoClient, secondsSince } from "./demo-client.ts";
import { agreement, exampleText, groupTable, logTable, type Problem, summaryTable } from "./demo-tables.ts";
import { EXAMPLE_RUN, writeExampleRun } from "./example-run.ts";
import { readExample } from "./examples.ts";
import type { Stack } from "./stack.ts";

const PAIRWISE = { judge: { mode: "pairwise" }, overlong: { max_tokens: 500, cache_tokens: 150 } };
const LISTWISE = { judge: { mode: "listwise", samples: 3 }, overlong: { max_tokens: 500, cache_tokens: 150 } };

/** Scores the examples against a running stack and prints the result. */
export async function showPrograms(stack: Stack): Promise<void> {
  const client = createDemoClient(stack.url);
  const groups: Group[] = readExample("groups.json");
  const problems = groups.map(problemOf);
  console.log(
    `${groups.length} problems, ${groups.reduce((n, g) => n + g.rollouts.length, 0)} rollouts. The verifier sees the examples in the problem statement; pass rates come from hidden tests.\n`,
  );
  const score = async (step: number, spec: object, asked: readonly Group[]) => {
    const at = performance.now();
    const reply = await client.post<RewardsReply>("/v1/rewards", { run_id: "demo", step, spec, groups: asked });
    return { reply, took: secondsSince(at) };
  };
  const pairwise = await score(0, PAIRWISE, groups);
  pairwise.reply.groups.forEach((group, g) => void console.log(groupTable(problems[g] as Problem, group)));
  const lists = groups.map((group, g) => listOf(group, problems[g] as Problem));
  const listwise = await score(1, LISTWISE, lists);
  console.log(
    summaryTable([
      { name: "pairwise round robin", ...pairwise },
      { name: "listwise, one right among wrong ones", ...listwise },
    ]),
  );
  console.log(agreement(problems, await verdictsOf(client, pairwise.reply)));
  await client.stored(`/v1/requests/${listwise.reply.request_id}`);
  const { steps } = await client.get<{ steps: StepRow[] }>("/v1/runs/demo/steps");
  console.log(logTable(await client.get<RunDetail>("/v1/runs/demo"), steps));
  await writeExampleRun({ vars: stack.database, key_name: null });
  const { alarms } = await client.get<{ alarms: AlarmSpan[] }>(`/v1/runs/${EXAMPLE_RUN}/health`);
  console.log(exampleText(alarms));
}

function problemOf(group: Group): Problem {
  const id = group.group_id as string;
  const meta = readExample(`examples/${id}/meta.json`);
  const { samples, rollouts } = readExample("pass-rates.json").problems[id];
  return {
    title: meta.title,
    kind: meta.kind,
    language: group.language ?? "",
    labels: group.rollouts.map(({ pass_rate }) => pass_rate as number),
    samples,
    shown: rollouts.map((rollout: { samples_passed: number }) => rollout.samples_passed),
    notes: meta.rollouts.map(({ note }: { note: string }) => note),
  };
}

/**
 * A list as used to evaluate verifiers: one right program among wrong ones, here those that fail the examples
 * in the problem statement.
 */
function listOf(group: Group, { labels, samples, shown }: Problem): Group {
  const right = labels.indexOf(1);
  const rollouts = group.rollouts.filter((_, r) => r === right || (shown[r] as number) < samples);
  return { ...group, rollouts };
}

/** The verdicts of each group, read back from the log by the request's id. */
async function verdictsOf({ get, stored }: DemoClient, reply: RewardsReply): Promise<StoredVerdict[][]> {
  const page = await stored<{ groups: GroupRow[] }>(`/v1/requests/${reply.request_id}`);
  return Promise.all(
    page.groups.map(async ({ id }) => (await get<{ verdicts: StoredVerdict[] }>(`/v1/groups/${id}/verdicts`)).verdicts),
  );
}
