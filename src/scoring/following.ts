// Follow-up questions that depend on the answers of only one comparison. They are asked as soon as these
// answers have arrived, while other comparisons are still running. Independent of tournament schedules.

import type { AskedQuestion } from "../core/asking/asked-questions.ts";
import { decides } from "../core/asking/purpose.ts";
import { comparedIn } from "../core/asking/questions.ts";
import type { Follows } from "../core/asking/signal.ts";
import type { QuestionAsker } from "./asking.ts";
import { type AskedEntry, type EnterWave, type QuestionEntry, recordReask } from "./entries.ts";

/**
 * Follow-up questions are sent once they make up this share of the running and waiting ones. This batches
 * them under high load and avoids waiting under low load.
 */
const BATCH_SHARE = 1 / 4;

interface ComparisonProgress {
  /** The comparison's questions: `steps[0]` are the first ones, followed by each round of follow-ups. */
  steps: QuestionEntry[][];
  /** Questions of the last step that are being asked. */
  round: AskedEntry[];
  /** Number of times that the last step was asked again. */
  reaskCount: number;
  /** Resolves the promise on which other groups wait for the answers to the last step. */
  settle: () => void;
}

/** Groups questions by comparison. Omits comparisons whose questions are all asked by other groups. */
function comparisonsOf(wave: readonly QuestionEntry[]): QuestionEntry[][] {
  const byShown = new Map<string, QuestionEntry[]>();
  for (const entry of wave) {
    const name = comparedIn(entry.question);
    byShown.set(name, [...(byShown.get(name) ?? []), entry]);
  }
  return [...byShown.values()].filter((entries) => entries.some(({ first }) => first));
}

/**
 * Asks a wave of questions and the follow-up questions of each comparison. Which questions are asked and in
 * which order they are returned does not depend on the order in which answers arrive.
 */
export class Following {
  private readonly asking: QuestionAsker;
  private readonly enter: EnterWave;
  private readonly follows: Follows;
  private early: number;
  private running = 0;
  private ready: ComparisonProgress[] = [];
  private done = Promise.withResolvers<void>();
  private before: readonly AskedQuestion[] = [];
  private earlier: Map<string, AskedQuestion[]> | null = null;

  /** @param early number of requests that may be sent before all running questions are answered */
  constructor(asking: QuestionAsker, enter: EnterWave, follows: Follows, early: number) {
    this.asking = asking;
    this.enter = enter;
    this.follows = follows;
    this.early = early;
  }

  /**
   * Whether the wave can be asked with follow-up questions: the remaining generations suffice for all of
   * them, and no question is diagnostic.
   */
  takes(wave: readonly QuestionEntry[]): boolean {
    const { asking, follows } = this;
    const generationsMax = comparisonsOf(wave).length * follows.maxGenerations * (1 + asking.reasks);
    return asking.hasRoomFor(generationsMax) && wave.every(({ question }) => decides(question));
  }

  /**
   * Asks all questions and returns the follow-up questions by step, each step in the order of the wave.
   * @param before the questions of earlier waves
   */
  async run(wave: readonly QuestionEntry[], before: readonly AskedQuestion[] = []): Promise<QuestionEntry[][]> {
    const comparisons = comparisonsOf(wave).map((entries) => this.opened(entries));
    this.before = before;
    this.earlier = null;
    this.done = Promise.withResolvers<void>();
    if (comparisons.length > 0) {
      this.start(comparisons);
      await this.done.promise;
    }
    await Promise.all(wave.map(({ shared }) => shared.settled));
    const steps = Math.max(0, ...comparisons.map((comparison) => comparison.steps.length - 1));
    return Array.from({ length: steps }, (_, k) => comparisons.flatMap((comparison) => comparison.steps[k + 1] ?? []));
  }

  private opened(entries: QuestionEntry[]): ComparisonProgress {
    const comparison: ComparisonProgress = { steps: [], round: [], reaskCount: 0, settle: () => {} };
    this.stepTo(comparison, entries);
    return comparison;
  }

  private stepTo(comparison: ComparisonProgress, entries: QuestionEntry[]): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const { first, shared } of entries) if (first) shared.settled = promise;
    comparison.steps.push(entries);
    comparison.round = entries.map((entry) => ({ entry, root: entry.shared }));
    comparison.reaskCount = 0;
    comparison.settle = resolve;
  }

  private start(batch: readonly ComparisonProgress[]): void {
    this.running += batch.length;
    const entries = batch.flatMap(({ round }) => round.map(({ entry }) => entry));
    const starts = this.asking.start(entries);
    const answered = new Map(entries.map((entry, at) => [entry, starts[at] as Promise<void>]));
    for (const comparison of batch) {
      const waits = comparison.round.map(({ entry }) => (entry.first ? answered.get(entry) : entry.shared.settled));
      Promise.all(waits)
        .then(() => this.answered(comparison))
        .catch((fault) => this.done.reject(fault));
    }
  }

  /**
   * Asks questions with unreadable answers again. If there are none, enters the comparison's next questions
   * at once, before another group can.
   */
  private answered(comparison: ComparisonProgress): void {
    this.running--;
    if (comparison.reaskCount > 0) for (const asked of comparison.round) recordReask(asked);
    const reasked = comparison.reaskCount < this.asking.reasks ? this.asking.planReasks(this.ownOf(comparison)) : [];
    if (reasked.length > 0) {
      comparison.round = reasked;
      comparison.reaskCount++;
      this.ready.push(comparison);
      this.send();
      return;
    }
    const { settle } = comparison;
    const questions = this.follows.next(this.allOf(comparison));
    if (questions.length > 0) {
      this.asking.affords(questions);
      this.stepTo(comparison, this.enter(questions));
      this.ready.push(comparison);
    }
    settle();
    this.send();
  }

  /** All questions about a comparison, including those of earlier waves and those that other groups asked. */
  private allOf(comparison: ComparisonProgress): AskedQuestion[] {
    const stepsSoFar = stepsAsked(comparison);
    const name = comparedIn((stepsSoFar[0] as AskedQuestion).question);
    this.earlier ??= Map.groupBy(this.before, ({ question }) => comparedIn(question));
    return [...(this.earlier.get(name) ?? []), ...stepsSoFar];
  }

  /** The entries that this group asks itself. Another group's entries are asked again by that group. */
  private ownOf({ round }: ComparisonProgress): AskedEntry[] {
    return round.filter(({ entry }) => entry.first);
  }

  private send(): void {
    const { ready, running } = this;
    if (ready.length === 0) {
      if (running === 0) this.done.resolve();
      return;
    }
    const share = Math.max(1, Math.ceil((ready.length + running) * BATCH_SHARE));
    if (running > 0 && (this.early <= 0 || ready.length < share)) return;
    this.early--;
    this.ready = [];
    this.start(ready);
  }
}

const stepsAsked = ({ steps }: ComparisonProgress): AskedQuestion[] => steps.flatMap((entries) => askedBy(entries));

/** Questions with their readings: first the wave's questions, then those that were asked again. */
export function askedBy(wave: readonly QuestionEntry[]): AskedQuestion[] {
  const waveAsked = wave.map(({ question, charged, shared }) => ({ question, charged, readings: shared.readings }));
  const reasked = wave.flatMap(({ question, first, shared }) => {
    // Takes `shown` from this group's question, since another group numbers its candidates differently.
    const { shown } = question;
    return shared.reasked.map((more) => ({
      ...more,
      question: { ...more.question, shown },
      charged: first && more.charged,
    }));
  });
  return [...waveAsked, ...reasked];
}
