// Selects training data from a logged group: pairs of a better and a worse answer, or only the best answers.

import { LIMITS } from "../faults/limits.ts";
import { sumOf } from "../math/stats.ts";

/** Kinds of training data that a run can be exported as. */
export const TRAINING_TABLES = ["pairs", "positives"] as const;

interface Message {
  role: string;
  [field: string]: unknown;
}

/** A logged rollout of a group. */
export interface LoggedAnswer {
  /** null if the rollout has no reward. */
  reward: number | null;
  /** Whether an earlier rollout of the group has the same text. */
  isDuplicate: boolean;
  /** null if the text was not logged. */
  text: string | null;
  /**
   * Whether a verifier in training answered correctly; null if only the reward decides which answer is
   * better.
   */
  right: boolean | null;
  /** Whether `text` is an agent's trajectory, serialized as JSON with its `messages` and `files`. */
  isRun: boolean;
}

/** An answer with a reward and a logged text. */
type TrainableAnswer = LoggedAnswer & { reward: number; text: string };

/** Options for selecting rows from one group. */
interface TrainingWanted {
  /** Minimum difference between the two rewards of a pair. Equal rewards never form a pair. */
  margin: number;
  /** Minimum reward of an answer; if null, the reward must be above the group's mean. */
  minReward: number | null;
  /** Maximum number of rows per group. */
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
 * at most one pair, and the rewards of a pair differ by at least `margin`. If answers are marked as correct
 * or wrong, every pair consists of a correct and a wrong answer.
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
 * Tolerance for rounding, relative to the largest absolute reward: a reward this close to the mean counts as
 * equal to the mean.
 */
const MEAN_ROUNDING = 1e-9;

/**
 * The best answers, with a reward of at least `minReward` (RAFT, arXiv 2304.06767, takes the best answers to
 * each prompt). If `minReward` is null, rewards must be above the mean of all rewards of the group, which
 * includes duplicates and unlogged rollouts; a group of equal rewards therefore gives no rows. Wrong answers
 * are excluded, whatever their reward.
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
  /**
   * Rows taken so far, keyed by the first 13 hex digits of the prompt's digest, which are exact as a number.
   */
  readonly #given = new Map<number, number>();

  /**
   * @param maxRows maximum rows per prompt; undefined means unlimited
   * @param prompts maximum number of prompts to remember
   */
  constructor(maxRows: number | undefined, prompts: number = LIMITS.export_prompts_max) {
    this.#maxRows = maxRows;
    this.#prompts = prompts;
  }

  /**
   * Returns how many more rows the prompt may contribute, at most `wanted`. Returns null if the export has
   * more prompts than can be remembered.
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

/** Parses a logged prompt into messages. A string that is not a JSON chat becomes one user message. */
export function promptMessages(logged: string): Message[] {
  const chat = logged.startsWith("[{") ? parsed(logged) : null;
  return isChat(chat) ? chat : [{ role: "user", content: logged }];
}

/** Whether a logged prompt is a chat, serialized as JSON. */
export const isChatPrompt = (logged: string): boolean => logged.startsWith("[{") && isChat(parsed(logged));

/** Converts an answer to messages: those of a trajectory, or a single assistant message. */
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
