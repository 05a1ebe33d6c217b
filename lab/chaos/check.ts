// Defines what must hold after chaos: every answer against the fault-free one, and the log against the
// answers that clients received.
import type { GroupRow } from "../../src/ports/logged-rows.ts";
import type { Answer, Told } from "./client.ts";
import type { Job, PoolGroup } from "./jobs.ts";

/** Rewards of a pool's group as asked without any fault, by its prompt. */
export type Expected = ReadonlyMap<string, readonly (number | null)[]>;

export interface Findings {
  /** Each breaks a promise. */
  violations: string[];
  /** Rollouts by what became of them. */
  equal: number;
  partial: number;
  nulls: Record<string, number>;
  /** Logged requests, and those among them whose reply no client received. */
  requests: number;
  unreceived: number;
  /** Complete replies that were asked for again under their key. */
  repeated: number;
}

/** The system as it is when everything runs again. */
export interface System {
  /** The log's rows of the answer's run, once those of the answer are there. */
  rows(answer: Answer): Promise<GroupRow[]>;
  /** Asks the same again, byte by byte. */
  repeat(job: Job): Promise<Answer>;
}

/**
 * Without an answer to some comparisons the reward is over the others, and the reply says how many
 * are missing.
 */
function judge(outcome: Told, expected: number | null | undefined, findings: Findings, subject: string): void {
  if (outcome.reward === null) {
    if (outcome.error === null) findings.violations.push(`${subject}: null reward without an error code`);
    findings.nulls[outcome.error ?? "none"] = (findings.nulls[outcome.error ?? "none"] ?? 0) + 1;
  } else if ((outcome.undecided ?? 0) > 0) {
    findings.partial++;
  } else if (outcome.reward === expected) {
    findings.equal++;
  } else {
    findings.violations.push(`${subject}: reward ${outcome.reward}; the fault-free reward is ${expected}`);
  }
}

const toldInLog = ({ result }: GroupRow): Told[] =>
  result.rollouts.map(({ reward, error, undecided }) => ({ reward, error, undecided }));

const sorted = (outcomes: readonly Told[]) => JSON.stringify(outcomes.map(({ reward }) => reward).sort());

/** The client's reply must be one of the log's requests, group by group and rollout by rollout. */
function agrees({ job, outcomes, request_id, groups }: Answer, rows: readonly GroupRow[]): boolean {
  const requestRows = rows.filter((row) => row.request_id === request_id);
  if (groups !== null) {
    return (
      requestRows.length === groups.length &&
      requestRows.every(({ rewards }, g) => same(rewards, outcomes[g] as Told[]))
    );
  }
  if (job.kind === "rerank")
    return requestRows.length === 1 && same((requestRows[0] as GroupRow).rewards, outcomes[0] as Told[]);
  // Samples of a gathered group are in the order in which they came, and some were answered by an earlier
  // judgement than others.
  const logged = rows.flatMap(({ result }) => result.rollouts.map(({ reward }) => reward));
  return (
    rows.some((row) => sorted(toldInLog(row)) === sorted(outcomes[0] as Told[])) ||
    outcomes[0]?.every(({ reward }) => logged.includes(reward)) === true
  );
}

const same = (rewards: readonly (number | null)[], outcomes: readonly Told[]) =>
  rewards.length === outcomes.length && outcomes.every(({ reward }, r) => reward === rewards[r]);

/** One answer against what it must be, and its run in the log. */
async function checkAnswer(system: System, answer: Answer, expected: Expected, findings: Findings): Promise<void> {
  const { job, outcomes, logged } = answer;
  const rows = await system.rows(answer);
  // A reranker's reply does not tell what was undecided; its log row does.
  const row = job.kind === "rerank" ? rows.find(({ request_id }) => request_id === answer.request_id) : undefined;
  outcomes.forEach((group, g) => {
    const rewards = expected.get((job.groups[g] as PoolGroup).prompt);
    group.forEach((outcome, r) => {
      const undecided = outcome.undecided ?? row?.result.rollouts[r]?.undecided ?? null;
      judge({ ...outcome, undecided }, rewards?.[r], findings, `${job.id} ${job.kind} group ${g} rollout ${r}`);
    });
  });
  const requests = new Set(rows.map(({ request_id }) => request_id));
  findings.requests += requests.size;
  if (new Set(rows.map(({ id }) => id)).size !== rows.length)
    findings.violations.push(`${job.id}: duplicate rows in the log`);
  await checkReplay(system, answer, findings);
  if (logged === false) return;
  if (!agrees(answer, rows)) {
    const held = JSON.stringify(rows.map(({ id, rewards }) => [id, rewards]));
    const told_rewards = JSON.stringify(outcomes.map((group) => group.map(({ reward }) => reward)));
    const subject = `${job.id} ${job.kind}: replied ${told_rewards} as ${answer.request_id} (logged ${logged})`;
    findings.violations.push(`${subject}, the log contains ${held}`);
  }
  if (job.kind !== "gathered") findings.unreceived += Math.max(0, requests.size - 1);
}

/**
 * A complete reply belongs to its Idempotency-Key: asked again, it must be the same one, not
 * another like it.
 */
async function checkReplay(system: System, answer: Answer, findings: Findings): Promise<void> {
  const { job, outcomes, request_id, groups } = answer;
  if (groups === null || outcomes.flat().some(({ reward }) => reward === null)) return;
  const replay = await system.repeat(job);
  findings.repeated++;
  if (replay.request_id === request_id && JSON.stringify(replay.outcomes) === JSON.stringify(outcomes)) return;
  findings.violations.push(
    `${job.id} ${job.kind}: the replay gave ${replay.request_id}, the first reply was ${request_id}`,
  );
}

const LANES = 8;

/** Checks every answer. `asked`: all jobs that were begun. */
export async function checkAll(
  system: System,
  asked: readonly Job[],
  answers: readonly Answer[],
  expected: Expected,
): Promise<Findings> {
  const findings: Findings = {
    violations: [],
    equal: 0,
    partial: 0,
    nulls: {},
    requests: 0,
    unreceived: 0,
    repeated: 0,
  };
  const answered = new Map<string, number>();
  for (const { job } of answers) answered.set(job.id, (answered.get(job.id) ?? 0) + 1);
  for (const { id } of asked) {
    if (answered.get(id) !== 1) findings.violations.push(`${id}: ${answered.get(id) ?? 0} final answers`);
  }
  const queue = answers.values();
  const lane = async () => {
    for (const answer of queue) await checkAnswer(system, answer, expected, findings);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return findings;
}
