// Asks about lists: several into one /v1/rewards request, its reply into answers.
import * as z from "zod";
import { fenceFor } from "../../../src/core/judges/render.ts";
import type { SetCandidate } from "../../testbed/format/set-format.ts";
import type { Answer } from "./answers.ts";
import type { Cell } from "./cells.ts";
import { postRewards } from "./post.ts";
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
/** The part of the reply that is kept. Replies: src/core/contract/rewards-reply.ts. */
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

/**
 * @param onJudged receives the index of each list when it is judged
 * @throws Error with the server's own words when the request is refused, or fails after the
 * attempts allowed
 */
export async function askLists(
  cell: Cell,
  questions: readonly Question[],
  options: ClientOptions,
  onJudged?: (index: number) => void,
): Promise<Answer[]> {
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
  const reply = await postRewards(options, body, ReplySchema, onJudged);
  const isOurs =
    reply.groups.length === questions.length && questions.every((q, i) => q.list_id === reply.groups[i]?.group_id);
  if (!isOurs) throw new Error(`${options.target}/v1/rewards answered with groups that differ from the request`);
  return Promise.all(
    reply.groups.map(async (group, i): Promise<Answer> => {
      const answer = answerOf(cell, reply, group);
      const question = questions[i] as Question;
      const read = options.texts?.get(cell.name) ?? 0;
      if (options.texts === null || read >= WRONG_TOLD || !isWrong(answer, question)) return answer;
      options.texts.set(cell.name, read + 1);
      const candidates = confused(answer, question);
      return { ...answer, said: await saidOf({ request_id: reply.request_id, index: i, candidates }, options) };
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
