// Asks about a benchmark's items: each a group of one /v1/rewards request, its reply into scores.
import * as z from "zod";
import { AskedSchema } from "../../asking/answers.ts";
import { type Posting, postRewards } from "../../asking/post.ts";

/** What is sent of an item: a group as POST /v1/rewards takes it. */
export interface AskedGroup {
  prompt: string | readonly unknown[];
  reference?: string | readonly string[];
  rubric?: readonly unknown[];
  rollouts: readonly { text: string; step_texts?: readonly string[] }[];
}

/** The details of signals about one text besides its value. */
const ToldSchema = z
  .object({
    raw: z.number(),
    first_wrong: z.int(),
    met: z.array(z.string()),
    unmet: z.array(z.string()),
  })
  .partial();

const count = z.int().min(0);

/** One item as it was answered; a text that has no value for good is null with its code. */
export const ScoredSchema = AskedSchema.extend({
  rewards: z.array(z.number().nullable()),
  codes: z.array(z.string().nullable()),
  reported: z.array(ToldSchema),
  /** Share of pairs whose verdict changes with their order; null where none was asked in both. */
  flips: z.number().nullable(),
  generations: count,
  prompt_tokens: count,
  completion_tokens: count,
});
export type Scored = z.output<typeof ScoredSchema>;

const ReplySchema = z.object({
  request_id: z.string(),
  spec_hash: z.string(),
  groups: z.array(
    z.object({
      group_id: z.string(),
      rollouts: z.array(
        z.object({
          reward: z.number().nullable(),
          error: z.string().nullable(),
          retryable: z.boolean().optional(),
          details: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
        }),
      ),
      metrics: z.object({ position_flip_rate: z.number().nullable() }),
      verifier: z.object({ generations: count, prompt_tokens: count, completion_tokens: count }),
    }),
  ),
});
type GroupReply = z.output<typeof ReplySchema>["groups"][number];

export interface Ask extends Posting {
  run_id: string;
  deadline_ms: number;
  spec: unknown;
}

interface Question {
  list_id: string;
  group: AskedGroup;
}

/**
 * @param onJudged receives the index of each item when it is judged
 * @throws Error with the server's own words when the request is refused, or fails for good
 */
export async function askItems(
  cell: string,
  questions: readonly Question[],
  ask: Ask,
  onJudged?: (index: number) => void,
): Promise<Scored[]> {
  const { run_id, spec, deadline_ms } = ask;
  const groups = questions.map(({ list_id, group }) => ({ group_id: list_id, ...group }));
  const body = JSON.stringify({ run_id, spec, deadline_ms, groups });
  const reply = await postRewards(ask, body, ReplySchema, onJudged);
  const isOurs =
    reply.groups.length === questions.length && questions.every((q, i) => q.list_id === reply.groups[i]?.group_id);
  if (!isOurs) throw new Error(`${ask.target}/v1/rewards answered with groups that differ from the request`);
  const { request_id, spec_hash } = reply;
  return reply.groups.map((group) => ({ cell, request_id, spec_hash, ...scoredOf(group) }));
}

function scoredOf({ group_id, rollouts, metrics, verifier }: GroupReply) {
  const { generations, prompt_tokens, completion_tokens } = verifier;
  const failed = rollouts.find(({ reward, retryable }) => reward === null && retryable === true);
  return {
    list_id: group_id,
    error: failed === undefined ? null : (failed.error ?? "verifier_unavailable"),
    rewards: rollouts.map(({ reward }) => reward),
    codes: rollouts.map(({ error }) => error),
    reported: rollouts.map(({ details = {} }) => toldOf(details)),
    flips: metrics.position_flip_rate,
    generations,
    prompt_tokens,
    completion_tokens,
  };
}

/** For several signals with the same detail the first by name. */
function toldOf(details: Record<string, Record<string, unknown>>): Scored["reported"][number] {
  const all = Object.assign({}, ...Object.values(details).reverse());
  const fields = Object.keys(ToldSchema.shape).flatMap((name) => {
    const parsed = ToldSchema.safeParse({ [name]: all[name] });
    return parsed.success && all[name] !== undefined ? [parsed.data] : [];
  });
  return Object.assign({}, ...fields);
}
