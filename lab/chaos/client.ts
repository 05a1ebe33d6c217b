// One client under chaos: asks as real ones do, byte by byte the same again until it is answered.
import { setTimeout as pause } from "node:timers/promises";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { type RewardsEvent, type RewardsReply, RewardsReplySchema } from "../../src/core/contract/rewards-reply.ts";
import { type Job, type PoolGroup, rewardsBody } from "./jobs.ts";

/** One rollout's answer. */
export interface Told {
  reward: number | null;
  /** The reason for a missing reward; null where there is one. */
  error: string | null;
  /** Comparisons without an outcome; null where the contract does not say. */
  undecided: number | null;
}

/** A job's final answer: `told[group][rollout]`. */
export interface Answer {
  job: Job;
  outcomes: Told[][];
  /** The reply's id; null where the contract's judgement has a separate id. */
  request_id: string | null;
  /** The reply's statement on the log; null without one. */
  logged: RewardsReply["logged"] | null;
  /** Whole groups, where the reply has them. */
  groups: GroupResult[] | null;
  tries: number;
  /** A 202 was seen: from there on the work is the server's. */
  accepted: boolean;
}

/** The job was never answered, or what was accepted was forgotten. */
export class Unanswered extends Error {}

const TRIES_MAX = 120;
const WAIT_MS = 500;
const DEADLINE_MS = 15_000;
const ATTEMPT_MS = 60_000;
const BATCH_WAIT_S = 5;

/** Not an answer: ask again. */
class Again extends Error {}

interface Attempts {
  count: number;
}

/** Repeats `attempt` until it brings something. @throws Unanswered */
async function persist<T>(subject: string, attempts: Attempts, attempt: () => Promise<T>): Promise<T> {
  let last = "";
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    attempts.count++;
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Unanswered) throw error;
      last = String(error);
    }
    await pause(WAIT_MS);
  }
  throw new Unanswered(`${subject}: no answer after ${TRIES_MAX} tries; last error: ${last}`);
}

/**
 * The reply's status and text. A refusal that a retry can mend, and a reply that broke off, are
 * reasons to ask again.
 */
async function send(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) });
  const text = await response.text();
  if (response.ok) return { response, text };
  if (response.status >= 500 || [408, 409, 429].includes(response.status))
    throw new Again(`${response.status} ${text}`);
  throw new Unanswered(`refused with ${response.status}: ${text}`);
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const toldOf = ({ rollouts }: GroupResult): Told[] =>
  rollouts.map(({ reward, error, undecided }) => ({ reward, error, undecided }));

/** @throws Unanswered for a reply that is not one */
function native(job: Job, reply: unknown, tries: number, accepted = false): Answer {
  const parsed = RewardsReplySchema.safeParse(reply);
  if (!parsed.success) throw new Unanswered(`${job.id}: ${JSON.stringify(reply).slice(0, 300)} is not a valid reply`);
  const { request_id, logged, groups } = parsed.data;
  return { job, outcomes: groups.map(toldOf), request_id, logged, groups, tries, accepted };
}

function fromEvents(text: string): RewardsReply {
  const groups: GroupResult[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line) as RewardsEvent;
    if (event.type === "group") groups[event.index] = event;
    if (event.type === "error") throw new Again(event.code);
    if (event.type === "done")
      return { ...event, groups, rewards: groups.map((group) => toldOf(group).map(({ reward }) => reward)) };
  }
  throw new Again("the stream broke off");
}

const KEYED = (job: Job) => ({ "idempotency-key": job.id });

async function askNative(origin: string, job: Job): Promise<Answer> {
  const attempts = { count: 0 };
  const stream = job.kind === "stream";
  const accept = stream ? "application/x-ndjson" : "application/json";
  const init = json(rewardsBody(job.id, job.groups, DEADLINE_MS), { ...KEYED(job), accept });
  const reply = await persist(job.id, attempts, async () => {
    const { text } = await send(`${origin}/v1/rewards`, init);
    return stream ? fromEvents(text) : (JSON.parse(text) as unknown);
  });
  return native(job, reply, attempts.count);
}

/** From the 202 on nothing may be lost: a 404 for an accepted request is never a reason to ask again. */
async function askLater(origin: string, job: Job): Promise<Answer> {
  const attempts = { count: 0 };
  const headers = { ...KEYED(job), prefer: "respond-async" };
  const init = json(rewardsBody(job.id, job.groups, DEADLINE_MS), headers);
  const { response, text } = await persist(job.id, attempts, () => send(`${origin}/v1/rewards`, init));
  if (response.status !== 202) return native(job, JSON.parse(text), attempts.count);
  const location = new URL(response.headers.get("location") ?? "", origin);
  const reply = await persist(job.id, attempts, async () => {
    const batch = JSON.parse((await send(`${location}?wait=${BATCH_WAIT_S}`, {})).text) as {
      state: string;
      reply: RewardsReply | null;
    };
    if (batch.state === "queued" || batch.state === "running") throw new Again(batch.state);
    if (batch.state !== "done" || batch.reply === null)
      throw new Unanswered(`${job.id}: the batch ended in state ${batch.state}`);
    return batch.reply;
  });
  return native(job, reply, attempts.count, true);
}

async function askRerank(origin: string, job: Job): Promise<Answer> {
  const attempts = { count: 0 };
  const { prompt, texts } = job.groups[0] as PoolGroup;
  const init = json({ query: prompt, documents: texts, use_activation: false });
  const url = `${origin}/v1/rerank?run_id=${job.id}&deadline_ms=${DEADLINE_MS}`;
  const { response, text } = await persist(job.id, attempts, () => send(url, init));
  const { results } = JSON.parse(text) as { results: { index: number; relevance_score: number }[] };
  const outcomes = texts.map((_, at): Told => {
    const found = results.find(({ index }) => index === at);
    const reward = found?.relevance_score ?? null;
    return { reward, error: found === undefined ? "left_out_of_the_ranking" : null, undecided: null };
  });
  const request_id = response.headers.get("x-request-id");
  return { job, outcomes: [outcomes], request_id, logged: null, groups: null, tries: attempts.count, accepted: false };
}

/** One request a rollout, as trainers send them. */
async function askGathered(origin: string, job: Job): Promise<Answer> {
  const attempts = { count: 0 };
  const { prompt, texts } = job.groups[0] as PoolGroup;
  const url = `${origin}/verl/compute_score?group_size=${texts.length}&run_id=${job.id}&deadline_ms=${DEADLINE_MS}`;
  const outcomes = await Promise.all(
    texts.map((solution_str, index) => {
      const init = json({
        data_source: "sums",
        ground_truth: "6",
        solution_str,
        extra_info: { question: prompt, index },
      });
      return persist(job.id, attempts, async (): Promise<Told> => {
        const { score, rm_undecided } = JSON.parse((await send(url, init)).text);
        return { reward: score, error: null, undecided: rm_undecided };
      });
    }),
  );
  return {
    job,
    outcomes: [outcomes],
    request_id: null,
    logged: null,
    groups: null,
    tries: attempts.count,
    accepted: false,
  };
}

/** Asks until the job is answered. @throws Unanswered */
export function ask(origin: string, job: Job): Promise<Answer> {
  if (job.kind === "rerank") return askRerank(origin, job);
  if (job.kind === "gathered") return askGathered(origin, job);
  return job.kind === "async" ? askLater(origin, job) : askNative(origin, job);
}
