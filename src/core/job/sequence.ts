// Questions that go on by themselves: a comparison with its follow-up questions, or a whole wave if no question
// follows from a single comparison. Unreadable answers are asked again before anything follows.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Follows } from "../asking/plan.ts";
import { nextAttempt } from "../asking/purpose.ts";
import { isUnread } from "../asking/readings.ts";
import { type ContentKey, compareKeys } from "../candidate/classes.ts";
import { missingRules } from "../contract/judge-settings.ts";
import type { OpenSignal } from "../reward/group-signals.ts";
import type { GenerationsLeft } from "./generations-left.ts";
import { askedBy, type Enter, type PooledQuestion, type QuestionPool } from "./question-pool.ts";
import { makeFinal, type SharedResult, whenFinal } from "./shared-result.ts";

/** A question as it is being asked: the original one or a further attempt, and the result it counts towards. */
interface Attempt {
  entry: PooledQuestion;
  result: SharedResult;
}

/** The parts of a job that its sequences use. */
export interface SequenceParts {
  signal: OpenSignal;
  pool: QuestionPool;
  enter: Enter;
  left: GenerationsLeft;
  /** Runs a step after the current one. */
  step(next: () => void): void;
  /** Takes questions to be sent. */
  send(sequence: Sequence): void;
}

export class Sequence {
  /** `steps[0]` are the first questions, followed by each round of follow-up questions. */
  readonly steps: PooledQuestion[][] = [];
  private readonly parts: SequenceParts;
  private readonly onEnd: () => void;
  /** Plans follow-up questions, given all questions of the sequence so far; null if none follow. */
  private readonly followUps: ((asked: readonly AskedQuestion[]) => ReturnType<Follows["next"]>) | null;
  /** The last step's questions of this group, as they are being asked. */
  private attempts: Attempt[] = [];
  /** Those of `attempts` without an answer. */
  private readonly open = new Set<PooledQuestion>();

  constructor(parts: SequenceParts, followUps: Sequence["followUps"], onEnd: () => void) {
    this.parts = parts;
    this.followUps = followUps;
    this.onEnd = onEnd;
  }

  /** The questions to ask now. */
  get pending(): readonly PooledQuestion[] {
    return [...this.open];
  }

  /** Enters questions to be asked. At least one is the group's own unless they follow from others. */
  enter(entries: PooledQuestion[]): void {
    this.steps.push(entries);
    const ownEntries = entries.filter(({ isOwn }) => isOwn);
    this.ask(ownEntries.map((entry) => ({ entry, result: entry.shared })));
  }

  /** Records that a question is answered. Returns whether it was the last open one; then call `goOn`. */
  answer(entry: PooledQuestion): boolean {
    return this.open.delete(entry) && this.open.size === 0;
  }

  goOn(): void {
    this.parts.step(() => this.answered());
  }

  private ask(attempts: Attempt[]): void {
    this.attempts = attempts;
    for (const { entry } of attempts) if (entry.shared.readings.length === 0) this.open.add(entry);
    if (this.open.size === 0) this.goOn();
    else this.parts.send(this);
  }

  /**
   * Asks questions with unreadable answers again. If there are none, enters the follow-up questions at once,
   * before another group can.
   */
  private answered(): void {
    for (const { entry, result } of this.attempts) {
      if (entry.shared === result) continue;
      const { question, charged, shared } = entry;
      result.others.push({ question, charged, readings: shared.readings }, ...shared.others);
    }
    const attempts = this.nextAttempts();
    if (attempts.length > 0) {
      this.ask(attempts);
      return;
    }
    const step = this.steps.at(-1) as PooledQuestion[];
    const ownResults = new Set(step.flatMap(({ isOwn, shared }) => (isOwn ? [shared] : [])));
    const others = step.flatMap(({ shared }) => (ownResults.has(shared) ? [] : [shared]));
    whenFinal(others, () => this.parts.step(() => this.followUp(ownResults)));
  }

  private followUp(ownResults: ReadonlySet<SharedResult>): void {
    const questions = this.followUps?.(this.steps.flatMap(askedBy)) ?? [];
    if (questions.length > 0) {
      this.parts.left.take(questions);
      this.enter(this.parts.enter(questions));
    }
    for (const shared of ownResults) makeFinal(shared);
    if (questions.length === 0) this.onEnd();
  }

  /**
   * The next attempts for questions with unreadable answers. If the remaining generations do not suffice for
   * all, content decides which questions are asked again, not order or speed. An unreadable answer has no
   * vote, so early stopping stays exact.
   */
  private nextAttempts(): Attempt[] {
    const { signal, pool, left } = this.parts;
    const { name, group } = signal;
    const attempts = attemptMax(signal);
    const unreadable = this.attempts.filter(({ entry }) => isUnread(entry.shared.readings));
    return byContent(unreadable, group.keys).flatMap(({ entry: { question }, result }) => {
      const purpose = nextAttempt(question.purpose, attempts);
      if (purpose === null) return [];
      const repeated = { ...question, purpose };
      return left.take([repeated]) ? [{ entry: pool.opened(name, group, repeated), result }] : [];
    });
  }
}

/** How often a question with an unreadable answer is asked again; 0 if the plan does so by itself. */
export const attemptMax = ({ plan, judge }: OpenSignal): number =>
  plan.asksAgain === true ? 0 : missingRules(judge).reask;

function byContent(attempts: readonly Attempt[], keys: readonly ContentKey[]): Attempt[] {
  const content = ({ entry: { question } }: Attempt) => question.shown.map((i) => keys[i] as ContentKey);
  return [...attempts].sort((a, b) =>
    content(a).reduce((sign, key, i) => sign || compareKeys(key, content(b)[i] ?? key), 0),
  );
}
