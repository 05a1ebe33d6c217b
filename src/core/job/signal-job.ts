// One signal's questions about one group: which may be asked now, given the answers so far. Pure: no clock and
// no verifier. Which questions are asked does not depend on the order in which answers arrive; nor does the order
// in which they are listed, unless groups with some candidates in common ask at the same time.

import { type AskedQuestion, cutByDeadline, withoutSummaries } from "../asking/asked-questions.ts";
import { decides } from "../asking/purpose.ts";
import { comparedIn, generationsIn } from "../asking/questions.ts";
import { missingRules } from "../contract/judge-settings.ts";
import type { OpenSignal } from "../reward/group-signals.ts";
import { GenerationsLeft } from "./generations-left.ts";
import { askedBy, type Enter, type PooledQuestion, type QuestionPool } from "./question-pool.ts";
import { Sending } from "./sending.ts";
import { attemptMax, Sequence, type SequenceParts } from "./sequence.ts";
import { whenFinal } from "./shared-result.ts";

/** Limits of a job, and its callbacks. */
interface JobStart {
  /** Generations left for further waves and attempts. */
  left: number;
  /** Number of times that follow-up questions may be sent before all others are answered. */
  early: number;
  /** Whether another wave may follow the questions asked so far. */
  goesOn(asked: readonly AskedQuestion[]): boolean;
  /** Called when questions may be asked, or the job has ended. */
  onProgress(): void;
}

export class SignalJob {
  readonly signal: OpenSignal;
  /** Number of generations of the first wave, as the limits count them. */
  readonly size: number;
  private readonly pool: QuestionPool;
  private readonly enter: Enter;
  private wave: PooledQuestion[];
  private sequences: Sequence[] = [];
  /** Parts of the wave that have not ended: its sequences, and the questions that other groups ask. */
  private unfinished = 0;
  private readonly results: AskedQuestion[] = [];
  private limits: JobStart = { left: 0, early: 0, goesOn: () => false, onProgress: () => {} };
  private left = new GenerationsLeft(0);
  private sending = new Sending(0);
  private readonly steps: (() => void)[] = [];
  private isStepping = false;
  private ended = false;

  constructor(signal: OpenSignal, pool: QuestionPool) {
    this.signal = signal;
    this.pool = pool;
    this.enter = pool.entering(signal.name, signal.group);
    this.wave = this.enter(signal.plan.next([]));
    this.size = generationsIn(this.wave.map(({ question }) => question));
  }

  /** The questions of the current wave. */
  get entered(): readonly PooledQuestion[] {
    return this.wave;
  }

  /** Whether every question is answered and none follows. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** All questions with their answers, in the order of the waves. */
  get asked(): readonly AskedQuestion[] {
    return this.results;
  }

  /** Starts the job. Call once, before `pending`. */
  start(limits: JobStart): void {
    this.limits = limits;
    this.left = new GenerationsLeft(limits.left);
    this.sending = new Sending(limits.early);
    this.step(() => {
      if (this.wave.length > 0 && limits.goesOn([])) this.openWave();
      else this.ended = true;
    });
  }

  /** Returns the questions to ask now, each once. Call again after `onProgress`. */
  pending(): PooledQuestion[] {
    return this.sending.pending();
  }

  /** Records that a question's readings have arrived or failed. Has no effect if called again. */
  answer(entry: PooledQuestion): void {
    this.sending.answer(entry);
  }

  /** Runs a step and all steps that follow from it, one after another. */
  private step(next: () => void): void {
    this.steps.push(next);
    if (this.isStepping) return;
    this.isStepping = true;
    for (let step = this.steps.shift(); step !== undefined; step = this.steps.shift()) step();
    this.isStepping = false;
    this.limits.onProgress();
  }

  private openWave(): void {
    const { wave, signal, pool, enter, left, sending } = this;
    const comparisons = comparisonsOf(wave);
    const followUps = this.followUpsOf(wave, comparisons.length);
    const ownEntries = wave.filter(({ isOwn }) => isOwn);
    const parts = followUps !== null ? comparisons : ownEntries.length > 0 ? [ownEntries] : [];
    const step = (next: () => void) => this.step(next);
    const shared: SequenceParts = { signal, pool, enter, left, step, send: (sequence) => sending.add(sequence) };
    this.sequences = parts.map(() => new Sequence(shared, followUps, () => this.endPart()));
    this.unfinished = parts.length + 1;
    for (const [at, entries] of parts.entries()) this.sequences[at]?.enter(entries);
    const others = wave.flatMap(({ isOwn, shared }) => (isOwn ? [] : [shared]));
    whenFinal(others, () => step(() => this.endPart()));
  }

  /**
   * Plans the follow-up questions of one comparison. Null if comparisons are not followed up one by one: the
   * plan has none, the remaining generations may not suffice for all, or a question decides no comparison.
   */
  private followUpsOf(wave: readonly PooledQuestion[], comparisons: number) {
    const { follows } = this.signal.plan;
    if (follows === undefined) return null;
    const generationsMax = comparisons * follows.maxGenerations * (1 + attemptMax(this.signal));
    if (!this.left.has(generationsMax) || !wave.every(({ question }) => decides(question))) return null;
    let earlier: ReadonlyMap<string, readonly AskedQuestion[]> | null = null;
    return (asked: readonly AskedQuestion[]) => {
      earlier ??= Map.groupBy(this.results, ({ question }) => comparedIn(question));
      const before = earlier.get(comparedIn((asked[0] as AskedQuestion).question)) ?? [];
      return follows.next([...before, ...asked]);
    };
  }

  private endPart(): void {
    if (--this.unfinished === 0) this.endWave();
  }

  /** Collects the wave's results and plans the next wave. */
  private endWave(): void {
    const { plan, judge } = this.signal;
    const { sequences } = this;
    const steps = Math.max(0, ...sequences.map((sequence) => sequence.steps.length - 1));
    const later = Array.from({ length: steps }, (_, k) => sequences.flatMap((sequence) => sequence.steps[k + 1] ?? []));
    const asked = [this.wave, ...later].flatMap(askedBy);
    for (const entry of asked) this.results.push(entry);
    // No answer arrives after the deadline. If the spec accepts a partial result, nothing further is asked.
    const isCut = missingRules(judge).min_decided < 1 && cutByDeadline(asked).size > 0;
    const next = isCut || !this.limits.goesOn(this.results) ? [] : plan.next(withoutSummaries(this.results));
    // If the generations do not suffice for the next wave, it is not asked and its pairs stay undecided.
    if (next.length === 0 || !this.left.take(next)) {
      this.ended = true;
      return;
    }
    this.wave = this.enter(next);
    this.openWave();
  }
}

/** Groups a wave by comparison. Omits comparisons whose questions are all asked by other groups. */
function comparisonsOf(wave: readonly PooledQuestion[]): PooledQuestion[][] {
  const byShown = Map.groupBy(wave, ({ question }) => comparedIn(question));
  return [...byShown.values()].filter((entries) => entries.some(({ isOwn }) => isOwn));
}
