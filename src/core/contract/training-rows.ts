// Selects training data from a logged group: pairs of a better and a worse answer, or the best answers.

import { LIMITS } from "../faults/limits.ts";
import { sumOf } from "../math/stats.ts";

/** Tables of training data that a run can be exported as. */
export const TRAINING_TABLES = ["pairs", "positives"] as const;

interface Message {
  role: string;
  [field: string]: unknown;
}

/** A logged rollout of a group. */
export interface LoggedAnswer {
  /** null: the rollout has no reward. */
  reward: number | null;
  /** Whether an earlier rollout of the group has the same text. */
  isDuplicate: boolean;
  /** null: the text was not logged. */
  text: string | null;
  /**
   * Whether a verifier in training answered correctly; null: only the reward decides which answer is better.
   */
  right: boolean | null;
  /** Whether the text is an agent's trajectory, as JSON of its `messages` and `files`. */
  isRun: boolean;
}

/** An answer with a reward and a logged text. */
type TrainableAnswer = LoggedAnswer & { reward: number; text: string };

/** Options for selecting rows from a group. */
interface TrainingWanted {
  /** Minimum difference of the two rewards of a pair; equal rewards never form a pair. */
  margin: number;
  /** Minimum reward of an answer; null: above the group's mean. */
  minReward: number | null;
  /** Maximum rows per group. */
  per_group: number;
}

const trainable = (answers: readonly LoggedAnswer[]): TrainableAnswer[] =>
  answers.filter(
    (answer): answer is TrainableAnswer => answer.reward !== null && answer.text !== null && !answer.isDuplicate,
  );

/** Sorts correct answers before wrong ones, then by descending reward. Stable. */
const ranked = (answers: readonly LoggedAnswer[]) =>
  trainable(answers).sort((a, b) => Number(b.right) - Number(a.right) || b.reward - a.reward);

/**
 * Pairs the best answer with the worst, the second best with the second worst, and so on. Each answer is in
 * at most one pair, and the rewards of a pair differ by at least the margin. If answers are marked correct or
 * wrong, a pair is always a correct answer over a wrong one.
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

/**
 * Relative to the largest reward: a reward this close to the mean counts as equal to it, to absorb rounding.
 */
const MEAN_ROUNDING = 1e-9;

/**
 * The best answers, with a reward of at least `minReward` (RAFT, arXiv 2304.06767, takes the best of each
 * prompt). If `minReward` is null: above the mean of all rewards of the group, including repeated and
 * unlogged texts, so a group of equal rewards gives no rows. Excludes wrong answers, whatever their reward.
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

/** Limits the number of rows per prompt across a whole export. */
export class PromptRoom {
  readonly #maxRows: number | undefined;
  readonly #prompts: number;
  /** Rows taken so far, by the first 13 hex digits of the prompt's digest, which fit into a number. */
  readonly #given = new Map<number, number>();

  /**
   * @param maxRows rows per prompt; undefined: unlimited
   * @param prompts the maximum number of prompts to remember
   */
  constructor(maxRows: number | undefined, prompts: number = LIMITS.export_prompts_max) {
    this.#maxRows = maxRows;
    this.#prompts = prompts;
  }

  /**
   * Rows that a prompt may still give, at most `wanted`; null if more prompts occur than can be remembered.
   */
  allowanceFor(digest: string, wanted: number): { left: number; take(rows: number): void } | null {
    if (this.#maxRows === undefined) return { left: wanted, take: () => {} };
    const key = Number.parseInt(digest.slice(0, 13), 16);
    const given = this.#given.get(key);
    if (given === undefined && this.#given.size >= this.#prompts) return null;
    const left = Math.min(wanted, this.#maxRows - (given ?? 0));
    return { left, take: (rows) => this.#given.set(key, (given ?? 0) + rows) };
  }
}

/** Parses a logged prompt into messages: a chat from its JSON, any other text as one user message. */
export function promptMessages(logged: string): Message[] {
  const chat = logged.startsWith("[{") ? parsed(logged) : null;
  return isChat(chat) ? chat : [{ role: "user", content: logged }];
}

/** Whether a logged prompt is a chat. */
export const isChatPrompt = (logged: string): boolean => logged.startsWith("[{") && isChat(parsed(logged));

/** An answer as messages: those of a trajectory, or one message of the assistant. */
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
