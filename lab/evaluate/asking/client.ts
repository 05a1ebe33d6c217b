// Owns asking Kritai over HTTP: lists into one /v1/rewards request, its reply into answers,
// patience with a busy server. Knows no set and no file.
import * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fenceFor } from "../../../src/core/judges/render.ts";
import type { SetCandidate } from "../../testbed/format/set-format.ts";
import type { Answer } from "./answers.ts";
import type { Cell } from "./cells.ts";
import { confused, isWrong, saidOf, WRONG_TOLD } from "./wrong-lists.ts";

/**
 * What is shown of a list. Pass rates are not sent: the metrics are computed here, and nothing on
 * the way can use them.
 */
export interface Question {
  list_id: string;
  prompt: string;
  language: string;
  candidates: readonly SetCandidate[];
}

export interface ClientOptions {
  target: string;
  api_key: string | null;
  run_id: string;
  deadline_ms: number;
  /** Writes each candidate's pass rate into a comment, which the simulator reads. */
  labelled: boolean;
  /**
   * Verdicts' texts are logged, and read of a cell's first lists that went wrong: of how many, by
   * cell. Null: neither.
   */
  texts: Map<string, number> | null;
  signal: AbortSignal;
}

const count = z.int().min(0);
/** As much of the reply as is kept. Replies: src/core/contract/replies.ts. */
const ReplySchema = z.object({
  request_id: z.string(),
  spec_hash: z.string(),
  groups: z.array(
    z.object({
      group_id: z.string(),
      status: z.string(),
      selected: count.nullable(),
      win_counts: z.array(count.nullable()),
      rollouts: z.array(z.object({ error: z.string().nullable() })),
      metrics: z.object({ position_flip_rate: z.number().nullable() }),
      verifier: z.object({
        comparisons: count,
        generations: count,
        parsed: count,
        failed: count,
        prompt_tokens: count,
        completion_tokens: count,
      }),
    }),
  ),
});
type RewardsReply = z.output<typeof ReplySchema>;

const ATTEMPTS_MAX = 6;
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * @throws Error with the server's own words when the request is refused, or fails after the
 * attempts allowed
 */
export async function askLists(cell: Cell, questions: readonly Question[], options: ClientOptions): Promise<Answer[]> {
  const body = JSON.stringify({
    run_id: options.run_id,
    spec: options.texts !== null ? { ...cell.spec, log_verdicts: true } : cell.spec,
    deadline_ms: options.deadline_ms,
    groups: questions.map(({ list_id, prompt, language, candidates }) => ({
      group_id: list_id,
      prompt,
      language,
      rollouts: candidates.map((candidate) => ({ text: rolloutText(candidate, language, options.labelled) })),
    })),
  });
  const reply = await post(options, body);
  const isOurs =
    reply.groups.length === questions.length && questions.every((q, i) => q.list_id === reply.groups[i]?.group_id);
  if (!isOurs) throw new Error(`${options.target}/v1/rewards answered other groups than it was asked`);
  return Promise.all(
    reply.groups.map(async (group, i): Promise<Answer> => {
      const answer = answerOf(cell, reply, group);
      const question = questions[i] as Question;
      const read = options.texts?.get(cell.name) ?? 0;
      if (options.texts === null || read >= WRONG_TOLD || !isWrong(answer, question)) return answer;
      options.texts.set(cell.name, read + 1);
      const about = confused(answer, question);
      return { ...answer, said: await saidOf({ request_id: reply.request_id, index: i, about }, options) };
    }),
  );
}

function rolloutText({ code, pass_rate }: SetCandidate, language: string, labelled: boolean): string {
  const mark = language === "python" ? "#" : "//";
  const shown = labelled ? `${mark} pass_rate=${pass_rate.toFixed(6)}\n${code}` : code;
  const fence = fenceFor(shown);
  return `${fence}${language}\n${shown}\n${fence}`;
}

function answerOf({ name }: Cell, reply: RewardsReply, group: RewardsReply["groups"][number]): Answer {
  const { verifier, rollouts } = group;
  const code = rollouts.find(({ error }) => error !== null)?.error ?? "verifier_unavailable";
  return {
    list_id: group.group_id,
    cell: name,
    spec_hash: reply.spec_hash,
    request_id: reply.request_id,
    error: group.status === "ok" && verifier.failed === 0 ? null : code,
    selected: group.selected,
    win_counts: group.win_counts,
    comparisons: verifier.comparisons,
    generations: verifier.generations,
    parsed: verifier.parsed,
    failed: verifier.failed,
    prompt_tokens: verifier.prompt_tokens,
    completion_tokens: verifier.completion_tokens,
    position_flip_rate: group.metrics.position_flip_rate,
  };
}

async function post({ target, api_key, signal }: ClientOptions, body: string): Promise<RewardsReply> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptPost(`${target}/v1/rewards`, body, api_key, signal);
    if ("reply" in outcome) return outcome.reply;
    if (!outcome.retryable || attempt === ATTEMPTS_MAX) throw new Error(outcome.fault);
    await pause(outcome.wait_ms ?? Math.min(500 * 2 ** (attempt - 1), LIMITS.retry_after_ms_max), signal);
  }
}

type Outcome = { reply: RewardsReply } | { fault: string; retryable: boolean; wait_ms: number | null };

async function attemptPost(url: string, body: string, key: string | null, signal: AbortSignal): Promise<Outcome> {
  const headers = { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) };
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    if (response.ok) return replyOf(url, await response.json());
    const fault = `${url} answered ${response.status}: ${(await response.text()).slice(0, 1_000)}`;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const wait_ms = Number.isFinite(seconds) ? Math.min(seconds * 1_000, LIMITS.retry_after_ms_max) : null;
    return { fault, retryable: RETRY_STATUSES.has(response.status), wait_ms };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    return { fault: `${url}: ${cause instanceof Error ? cause.message : message}`, retryable: true, wait_ms: null };
  }
}

function replyOf(url: string, body: unknown): Outcome {
  const parsed = ReplySchema.safeParse(body);
  if (parsed.success) return { reply: parsed.data };
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  const fault = `${url} answered 200 with something that is not Kritai's reply (${path.join(".") || "the reply"}: ${message})`;
  return { fault, retryable: false, wait_ms: null };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
