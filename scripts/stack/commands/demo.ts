// Owns `npm run demo`: the embedded stack scores the example groups pairwise and listwise, and the
// log is read back. Knows the API only from outside.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import type { Group } from "../../../src/core/contract/requests.ts";
import type { GroupRow, RunDetail, StepRow, StoredVerdict } from "../../../src/scoring/run-log-port.ts";
import { agreement, groupTable, logTable, type Problem, summaryTable } from "../demo-tables.ts";
import { startStack } from "../stack.ts";

const PAIRWISE = { judge: { mode: "pairwise" }, overlong: { max_tokens: 500, cache_tokens: 150 } };
const LISTWISE = { judge: { mode: "listwise", samples: 3 }, overlong: { max_tokens: 500, cache_tokens: 150 } };

const STORED_WITHIN_MS = 10_000;

const groups: Group[] = readExample("groups.json");
const passRates = readExample("pass-rates.json");
const problems = groups.map(problemOf);
const dataDir = mkdtempSync(join(tmpdir(), "kritai-demo-"));
const started = performance.now();
const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir, env: {} });
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
try {
  console.log(
    `The stack is up at ${stack.url} after ${seconds(started)}: edge in workerd, ${stack.parts.verifier}, ${stack.parts.database}.`,
  );
  console.log(
    `${groups.length} problems, ${groups.reduce((n, g) => n + g.rollouts.length, 0)} rollouts. The verifier sees the examples in the statement; pass rates come from hidden tests.\n`,
  );

  const pairwiseAt = performance.now();
  const pairwise = await post<RewardsReply>("/v1/rewards", { run_id: "demo", step: 0, spec: PAIRWISE, groups });
  const pairwiseTook = seconds(pairwiseAt);
  pairwise.groups.forEach((group, g) => void console.log(groupTable(problems[g] as Problem, group)));

  const lists = groups.map((group, g) => listOf(group, problems[g] as Problem));
  const listwiseAt = performance.now();
  const listwise = await post<RewardsReply>("/v1/rewards", { run_id: "demo", step: 1, spec: LISTWISE, groups: lists });
  const listwiseTook = seconds(listwiseAt);

  console.log(
    summaryTable([
      { name: "pairwise round robin", reply: pairwise, took: pairwiseTook },
      { name: "listwise, one right among caught ones", reply: listwise, took: listwiseTook },
    ]),
  );
  console.log(agreement(problems, await verdictsOf(pairwise)));
  await stored(`/v1/requests/${listwise.request_id}`);
  console.log(
    logTable(await get<RunDetail>("/v1/runs/demo"), (await get<{ steps: StepRow[] }>("/v1/runs/demo/steps")).steps),
  );
  console.log(`Done in ${seconds(started)}. The same stack stays up with: npm start`);
} finally {
  await stack.close();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

function problemOf(group: Group): Problem {
  const id = group.group_id as string;
  const meta = readExample(`examples/${id}/meta.json`);
  const { samples, rollouts } = passRates.problems[id];
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
 * A list as verifiers are evaluated on: one right program among wrong ones, here those that the
 * shown examples catch.
 */
function listOf(group: Group, { labels, samples, shown }: Problem): Group {
  const right = labels.indexOf(1);
  const rollouts = group.rollouts.filter((_, r) => r === right || (shown[r] as number) < samples);
  return { ...group, rollouts };
}

function readExample(path: string) {
  return JSON.parse(readFileSync(new URL(`../../../problems/${path}`, import.meta.url), "utf8"));
}

/** Each group's verdicts, read back from the log by the reply's request id. */
async function verdictsOf(reply: RewardsReply): Promise<StoredVerdict[][]> {
  const page = await stored<{ groups: GroupRow[] }>(`/v1/requests/${reply.request_id}`);
  return Promise.all(
    page.groups.map(async ({ id }) => (await get<{ verdicts: StoredVerdict[] }>(`/v1/groups/${id}/verdicts`)).verdicts),
  );
}

async function post<T>(path: string, body: unknown): Promise<T> {
  return answered(
    await fetch(stack.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
}

/** What a reply said is queued comes within moments. */
async function stored<T>(path: string): Promise<T> {
  const until = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const response = await fetch(stack.url + path);
    if (response.status !== 404 || performance.now() > until) return answered(response);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function get<T>(path: string): Promise<T> {
  return answered(await fetch(stack.url + path));
}

async function answered<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
