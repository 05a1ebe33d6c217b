// Defines what of a logged group a policy is trained on: pairs of a better and a worse answer, or the best
// answers.

import { LIMITS } from "../faults/limits.ts";
import { sumOf } from "../math/stats.ts";

/** Tables of training data that a run can be exported as. */
export const TRAINING_TABLES = ["pairs", "positives"] as const;

interface Message {
  role: string;
  [field: string]: unknown;
}

/** One rollout of a group as it was logged. */
export interface LoggedAnswer {
  /** null: it has none. */
  reward: number | null;
  /** Whether an earlier rollout of the group says the same. */
  isDuplicate: boolean;
  /** null: it was not logged. */
  text: string | null;
  /** Whether a verifier in training answered right; null: the reward alone says which answer is better. */
  right: boolean | null;
  /** Whether the text is an agent's run, as JSON of its `messages` and `files`. */
  isRun: boolean;
}

/** An answer that can be trained on. */
type TrainableAnswer = LoggedAnswer & { reward: number; text: string };

/** Which rows a group gives. */
interface TrainingWanted {
  /** How far two rewards lie apart at least; equal ones are never a pair. */
  margin: number;
  /** The least reward of an answer; null: above the group's mean. */
  minReward: number | null;
  /** Rows of one group at most. */
  per_group: number;
}

const trainable = (answers: readonly LoggedAnswer[]): TrainableAnswer[] =>
  answers.filter(
    (answer): answer is TrainableAnswer => answer.reward !== null && answer.text !== null && !answer.isDuplicate,
  );

/** Right ones before wrong ones, then by reward, best first, as they came where equal. */
const ranked = (answers: readonly LoggedAnswer[]) =>
  trainable(answers).sort((a, b) => Number(b.right) - Number(a.right) || b.reward - a.reward);

/**
 * The best with the worst, the next with the last but one and so on: each answer is in one pair at
 * most, and no pair lies less than the margin apart. Where answers are right or wrong, a pair is a
 * right one over a wrong one.
 */
export function pairsOf(
  answers: readonly LoggedAnswer[],
  { margin, per_group }: Pick<TrainingWanted, "margin" | "per_group">,
): { chosen: TrainableAnswer; rejected: TrainableAnswer }[] {
  const all = ranked(answers);
  const halves = all.slice(0, Math.floor(all.length / 2));
  return halves
    .map((chosen, i) => ({ chosen, rejected: all[all.length - 1 - i] as TrainableAnswer }))
    .filter(({ chosen, rejected }) => chosen.right === null || (chosen.right && rejected.right === false))
    .filter(({ chosen, rejected }) => chosen.reward > rejected.reward && chosen.reward - rejected.reward >= margin)
    .slice(0, per_group);
}

/** A reward this close to the mean equals it up to rounding, as a share of the largest reward. */
const MEAN_ROUNDING = 1e-9;

/**
 * The best answers, whose reward is `least` or more (RAFT, arXiv 2304.06767, takes the best of each
 * prompt). Without `least`: above the mean of all rewards of the group, repeated texts and those not
 * logged included, so that a group of equal ones gives none. A wrong answer is none, whatever its reward.
 */
export function positivesOf(
  answers: readonly LoggedAnswer[],
  { minReward, per_group }: Pick<TrainingWanted, "minReward" | "per_group">,
): TrainableAnswer[] {
  const rewards = answers.flatMap(({ reward }) => reward ?? []);
  const above = sumOf(rewards) / rewards.length + MEAN_ROUNDING * Math.max(...rewards.map(Math.abs));
  return ranked(answers)
    .filter(({ reward, right }) => right !== false && (minReward === null ? reward > above : reward >= minReward))
    .slice(0, per_group);
}

/** How many rows each prompt may still give. */
export class PromptRoom {
  readonly #maxRows: number | undefined;
  readonly #prompts: number;
  /** Rows given, by so much of the prompt's digest as a number holds. */
  readonly #given = new Map<number, number>();

  /** @param maxRows undefined: no bound @param prompts that are remembered */
  constructor(maxRows: number | undefined, prompts: number = LIMITS.export_prompts_max) {
    this.#maxRows = maxRows;
    this.#prompts = prompts;
  }

  /** For a prompt, at most `wanted`; null: more prompts than are remembered. */
  allowanceFor(digest: string, wanted: number): { left: number; take(rows: number): void } | null {
    if (this.#maxRows === undefined) return { left: wanted, take: () => {} };
    const key = Number.parseInt(digest.slice(0, 13), 16);
    const given = this.#given.get(key);
    if (given === undefined && this.#given.size >= this.#prompts) return null;
    const left = Math.min(wanted, this.#maxRows - (given ?? 0));
    return { left, take: (rows) => this.#given.set(key, (given ?? 0) + rows) };
  }
}

/** A prompt as it was logged, as messages: a chat as JSON, or a user's one text. */
export function promptMessages(logged: string): Message[] {
  const chat = logged.startsWith("[{") ? parsed(logged) : null;
  return isChat(chat) ? chat : [{ role: "user", content: logged }];
}

/** Whether a logged prompt is a chat. */
export const isChatPrompt = (logged: string): boolean => logged.startsWith("[{") && isChat(parsed(logged));

/** An answer as messages: a run's own, or one of the assistant. */
export function answerMessages({ text, isRun }: Pick<TrainableAnswer, "text" | "isRun">): Message[] {
  const run = isRun ? (parsed(text) as { messages?: unknown } | null)?.messages : null;
  return isChat(run) ? run : [{ role: "assistant", content: text }];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

const isChat = (value: unknown): value is Message[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((message) => typeof message === "object" && message !== null && typeof message.role === "string");
