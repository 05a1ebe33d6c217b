// Log rows for a verifier that is being trained: its answers to one prompt are the rollouts of one group, so
// that a run of POST /v1/verdicts can be read and exported like any other. `pass_rate` says whether an answer
// is correct.

import { canonicalJson } from "../core/contract/canonical-json.ts";
import type { GroupResult, RolloutResult } from "../core/contract/group-reply.ts";
import type { VerdictItem, VerdictsRequest } from "../core/contract/verdicts-request.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { RewardedVerdicts } from "../core/formulations/rewards.ts";
import { mean, populationStd } from "../core/math/stats.ts";
import { sha256Hex } from "../platform/sha256.ts";
import type { GroupEntry, RolloutRow } from "../ports/log-entry.ts";

/** Counts of a rollout without comparisons. */
const UNCOMPARED = { wins: 0, losses: 0, ties: 0, undecided: 0, forfeits: 0, unparsed: 0, votes: null, rank: null };

/** A prompt as it is logged: a plain string, or a chat as JSON. */
const writtenPrompt = (prompt: VerdictItem["prompt"]): string =>
  typeof prompt === "string" ? prompt : canonicalJson(prompt);

/**
 * Builds the groups of a request to log, one per prompt.
 * @param places indices of each prompt's items
 * @returns the groups. If prompts and answers together are longer than `logged_text_chars`, the groups
 *   contain only hashes, and `warnings` contains `texts_not_logged`
 */
export async function verdictGroups(
  { items }: VerdictsRequest,
  places: readonly (readonly number[])[],
  scored: RewardedVerdicts,
): Promise<{ groups: GroupEntry[]; warnings: string[] }> {
  const itemsOf = places.map((group) => group.map((i) => items[i] as VerdictItem));
  const prompts = itemsOf.map(([item]) => writtenPrompt(item?.prompt));
  const chars = [...prompts, ...items.map(({ text }) => text)].reduce((sum, { length }) => sum + length, 0);
  const withTexts = chars <= LIMITS.logged_text_chars;
  const groups: GroupEntry[] = [];
  for (const [g, group] of itemsOf.entries()) {
    const answers = (places[g] as readonly number[]).map((i) => answerAt(scored, i));
    const prompt = prompts[g] as string;
    groups.push({
      result: groupResult(`${g}`, group, answers),
      prompt_hash: await sha256Hex(canonicalJson(group[0]?.prompt)),
      prompt: withTexts ? prompt : null,
      language: null,
      circles: null,
      rollouts: await Promise.all(group.map((item, r) => rolloutRow(item, answers[r] as RewardedAnswer, withTexts))),
      verdicts: [],
    });
  }
  return { groups, warnings: withTexts ? [] : ["texts_not_logged"] };
}

type RewardedAnswer = ReturnType<typeof answerAt>;

const answerAt = ({ items, right }: RewardedVerdicts, i: number) => ({
  scored: items[i] as RewardedVerdicts["items"][number],
  right: right[i] ?? null,
});

function groupResult(group_id: string, items: readonly VerdictItem[], answers: readonly RewardedAnswer[]): GroupResult {
  const rewards = answers.map(({ scored }) => scored.reward);
  const parsed = answers.filter(({ scored }) => scored.status === "ok").length;
  const texts = items.map(({ text }) => text);
  const rollouts = answers.map(({ scored }, r): RolloutResult => {
    const { content, format, overlong } = scored.components;
    const first = texts.indexOf(texts[r] as string);
    return {
      reward: scored.reward,
      error: null,
      components: { base: content, format, overlong },
      ...UNCOMPARED,
      duplicate_of: first === r ? null : first,
      format_ok: scored.status === "ok",
      jams_judge: false,
    };
  });
  return {
    group_id,
    status: "ok",
    win_counts: items.map(() => null),
    selected: null,
    selected_tied: [],
    rollouts,
    metrics: {
      parse_rate: parsed / items.length,
      tau_b: null,
      tau_b_undefined: "no_labels",
      list_acc: null,
      position_flip_rate: null,
      reward_mean: mean(rewards),
      reward_std: populationStd(rewards),
    },
    verifier: {
      comparisons: 0,
      generations: 0,
      parsed,
      unparsed: items.length - parsed,
      failed: 0,
      saved: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      latency_ms: { p50: 0, p99: 0, max: 0 },
      models: [],
    },
  };
}

async function rolloutRow(
  { text, length_tokens }: VerdictItem,
  { scored, right }: RewardedAnswer,
  withTexts: boolean,
): Promise<RolloutRow> {
  return {
    length_tokens: length_tokens ?? null,
    finish_reason: null,
    pass_rate: right === null ? null : Number(right),
    text_hash: await sha256Hex(text),
    candidate_hash: null,
    // An answer that is too long was cut when it was read, so it is not what the verifier wrote.
    text: withTexts && scored.status !== "too_long" ? text : null,
  };
}
