// One signal's questions about one group: which may be asked now, given the answers so far. Pure: no clock and
// no verifier. Which questions are asked does not depend on the order in which answers arrive; nor does the order
// in which they are listed, unless groups with some candidates in common ask at the same time.

import { type AskedQuestion, cutByDeadline, withoutSummaries } from "../asking/asked-questions.ts";
import { decides, nextAttempt } from "../asking/purpose.ts";
import { comparedIn, generationsOf, type Question } from "../asking/questions.ts";
import { isUnread } from "../asking/readings.ts";
import { type ContentKey, compareKeys } from "../candidate/classes.ts";
import { missingRules } from "../contract/judge-settings.ts";
import type { OpenSignal } from "../reward/group-signals.ts";
import type { Enter, PooledQuestion, QuestionPool, SharedResult } from "./question-pool.ts";

/**
 * Follow-up questions are sent once they make up this share of the running and waiting ones. This batches
 * them under high load and avoids waiting under low load.
 */
const BATCH_SHARE = 1 / 4;

/** A question as it is being asked: the original one or a further attempt, and the result it counts towards. */
interface Attempt {
  entry: PooledQuestion;
  result: SharedResult;
}

/**
 * Questions that go on by themselves: a comparison with its follow-up questions, or a whole wave if no
 * question follows from a single comparison.
 */
interface Sequence {
  /** `steps[0]` are the first questions, followed by each round of follow-up questions. */
  steps: PooledQuestion[][];
  /** The last step's questions of this group, as they are being asked. */
  attempts: Attempt[];
  /** Those of `attempts` without an answer. */
  open: Set<PooledQuestion>;
}

export class SignalJob {
  readonly signal: OpenSignal;
  /** Number of generations of the first wave, as the limits count them. */
  readonly size: number;
  private readonly pool: QuestionPool;
  private readonly enter: Enter;
  private wave: PooledQuestion[];
  private sequences: Sequence[] = [];
  /** Whether each sequence of the wave is a comparison, which may have follow-up questions. */
  private isByComparison = false;
  /** Parts of the wave that have not ended: its sequences, and the questions that other groups ask. */
  private unfinished = 0;
  /** Sequences whose questions have not been returned by `pending`. */
  private ready: Sequence[] = [];
  /** Number of sequences whose questions are being answered. */
  private running = 0;
  private readonly sequenceOf = new Map<PooledQuestion, Sequence>();
  private readonly results: AskedQuestion[] = [];
  /** Results of earlier waves by comparison; null until needed. */
  private earlier: ReadonlyMap<string, readonly AskedQuestion[]> | null = null;
  /** Generations left for further waves and attempts. */
  private left = 0;
  /** Number of times that follow-up questions may still be sent while others are being answered. */
  private early = 0;
  private goesOn: (asked: readonly AskedQuestion[]) => boolean = () => true;
  private onProgress: () => void = () => {};
  private steps: (() => void)[] = [];
  private isStepping = false;
  private ended = false;

  constructor(signal: OpenSignal, pool: QuestionPool) {
    this.signal = signal;
    this.pool = pool;
    this.enter = pool.entering(signal.name, signal.group);
    this.wave = this.enter(signal.plan.next([]));
    this.size = this.wave.reduce((sum, { question }) => sum + generationsOf(question), 0);
  }

  /** The questions of the current wave. */
  get entered(): readonly PooledQuestion[] {
    return this.wave;
  }

  /**
   * Starts the job. Call once, before `pending`.
   * @param left generations left for further waves and attempts
   * @param early number of times that follow-up questions may be sent before all others are answered
   * @param goesOn whether another wave may follow the questions asked so far
   * @param onProgress called when questions may be asked or the job has ended
   */
  start(limits: { left: number; early: number }, goesOn: SignalJob["goesOn"], onProgress: () => void): void {
    this.left = limits.left;
    this.early = limits.early;
    this.goesOn = goesOn;
    this.onProgress = onProgress;
    this.step(() => {
      if (this.wave.length > 0 && goesOn([])) this.openWave();
      else this.ended = true;
    });
  }

  /** Whether every question is answered and none follows. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** All questions with their answers, in the order of the waves. */
  get asked(): readonly AskedQuestion[] {
    return this.results;
  }

  /** Returns the questions to ask now, each once. Call again after `onProgress`. */
  pending(): PooledQuestion[] {
    const { ready, running } = this;
    const share = Math.max(1, Math.ceil((ready.length + running) * BATCH_SHARE));
    if (ready.length === 0 || (running > 0 && (this.early <= 0 || ready.length < share))) return [];
    if (running > 0) this.early--;
    this.ready = [];
    this.running += ready.length;
    return ready.flatMap(({ open }) => [...open]);
  }

  /** Records that a question's readings have arrived or failed. Has no effect if called again. */
  answer(entry: PooledQuestion): void {
    const sequence = this.sequenceOf.get(entry);
    if (sequence?.open.delete(entry) !== true || sequence.open.size > 0) return;
    this.running--;
    this.step(() => this.answered(sequence));
  }

  /** How often a question with an unreadable answer is asked again; 0 if the plan does so by itself. */
  private get attemptMax(): number {
    const { plan, judge } = this.signal;
    return plan.asksAgain === true ? 0 : missingRules(judge).reask;
  }

  /** Runs a step and all steps that follow from it, one after another. */
  private step(next: () => void): void {
    this.steps.push(next);
    if (this.isStepping) return;
    this.isStepping = true;
    for (let step = this.steps.shift(); step !== undefined; step = this.steps.shift()) step();
    this.isStepping = false;
    this.onProgress();
  }

  private openWave(): void {
    const { wave } = this;
    const comparisons = comparisonsOf(wave);
    this.isByComparison = this.mayGoOnAlone(wave, comparisons.length);
    this.earlier = null;
    const own = wave.filter(({ isOwn }) => isOwn);
    const parts = this.isByComparison ? comparisons : own.length > 0 ? [own] : [];
    this.sequences = parts.map(() => ({ steps: [], attempts: [], open: new Set() }));
    this.unfinished = parts.length + 1;
    for (const [at, entries] of parts.entries()) this.enterStep(this.sequences[at] as Sequence, entries);
    whenFinal(
      wave.filter(({ isOwn }) => !isOwn),
      () => this.step(() => this.endPart()),
    );
  }

  /**
   * Whether comparisons of the wave may be followed up one by one: the remaining generations suffice for all
   * of them, and every question decides a comparison.
   */
  private mayGoOnAlone(wave: readonly PooledQuestion[], comparisons: number): boolean {
    const { follows } = this.signal.plan;
    if (follows === undefined) return false;
    const most = comparisons * follows.maxGenerations * (1 + this.attemptMax);
    return this.left >= most && wave.every(({ question }) => decides(question));
  }

  private enterStep(sequence: Sequence, entries: PooledQuestion[]): void {
    sequence.steps.push(entries);
    const own = entries.filter(({ isOwn }) => isOwn);
    this.ask(
      sequence,
      own.map((entry) => ({ entry, result: entry.shared })),
    );
  }

  private ask(sequence: Sequence, attempts: Attempt[]): void {
    sequence.attempts = attempts;
    const open = attempts.flatMap(({ entry }) => (entry.shared.readings.length === 0 ? [entry] : []));
    sequence.open = new Set(open);
    for (const entry of open) this.sequenceOf.set(entry, sequence);
    if (open.length === 0) this.step(() => this.answered(sequence));
    else this.ready.push(sequence);
  }

  /**
   * Asks questions with unreadable answers again. If there are none, enters the follow-up questions at once,
   * before another group can.
   */
  private answered(sequence: Sequence): void {
    for (const { entry, result } of sequence.attempts) {
      if (entry.shared === result) continue;
      const { question, charged, shared } = entry;
      result.others.push({ question, charged, readings: shared.readings }, ...shared.others);
    }
    const again = this.nextAttempts(sequence.attempts);
    if (again.length > 0) {
      this.ask(sequence, again);
      return;
    }
    const step = sequence.steps.at(-1) as PooledQuestion[];
    const own = new Set(step.flatMap(({ isOwn, shared }) => (isOwn ? [shared] : [])));
    const others = step.filter(({ shared }) => !own.has(shared));
    whenFinal(others, () => this.step(() => this.followUp(sequence, own)));
  }

  private followUp(sequence: Sequence, own: ReadonlySet<SharedResult>): void {
    const { follows } = this.signal.plan;
    const questions = this.isByComparison ? (follows?.next(this.askedIn(sequence)) ?? []) : [];
    if (questions.length > 0) {
      this.affords(questions);
      this.enterStep(sequence, this.enter(questions));
    }
    for (const shared of own) makeFinal(shared);
    if (questions.length === 0) this.endPart();
  }

  /** All questions about a comparison, including those of earlier waves and those that other groups asked. */
  private askedIn({ steps }: Sequence): AskedQuestion[] {
    const asked = steps.flatMap(askedBy);
    this.earlier ??= Map.groupBy(this.results, ({ question }) => comparedIn(question));
    return [...(this.earlier.get(comparedIn((asked[0] as AskedQuestion).question)) ?? []), ...asked];
  }

  /**
   * The next attempts for questions with unreadable answers. If the remaining generations do not suffice for
   * all, content decides which questions are asked again, not order or speed. An unreadable answer has no
   * vote, so early stopping stays exact.
   */
  private nextAttempts(attempts: readonly Attempt[]): Attempt[] {
    const { name, group } = this.signal;
    const { attemptMax } = this;
    const unreadable = attempts.filter(({ entry }) => isUnread(entry.shared.readings));
    return byContent(unreadable, group.keys).flatMap(({ entry: { question }, result }) => {
      const purpose = nextAttempt(question.purpose, attemptMax);
      if (purpose === null) return [];
      const again = { ...question, purpose };
      return this.affords([again]) ? [{ entry: this.pool.opened(name, group, again), result }] : [];
    });
  }

  /** Whether the remaining generations suffice for the questions. Deducts their generations. */
  private affords(questions: readonly Question[]): boolean {
    this.left -= questions.reduce((sum, question) => sum + generationsOf(question), 0);
    return this.left >= 0;
  }

  private endPart(): void {
    if (--this.unfinished === 0) this.endWave();
  }

  /** Collects the wave's results and plans the next wave. */
  private endWave(): void {
    const { plan, judge } = this.signal;
    const steps = Math.max(0, ...this.sequences.map((sequence) => sequence.steps.length - 1));
    const later = Array.from({ length: steps }, (_, k) =>
      this.sequences.flatMap((sequence) => sequence.steps[k + 1] ?? []),
    );
    const asked = [this.wave, ...later].flatMap(askedBy);
    for (const entry of asked) this.results.push(entry);
    // No answer arrives after the deadline. If the spec accepts a partial result, nothing further is asked.
    const isCut = missingRules(judge).min_decided < 1 && cutByDeadline(asked).size > 0;
    const next = isCut || !this.goesOn(this.results) ? [] : plan.next(withoutSummaries(this.results));
    // If the generations do not suffice for the next wave, it is not asked and its pairs stay undecided.
    if (next.length === 0 || !this.affords(next)) {
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

function byContent(attempts: readonly Attempt[], keys: readonly ContentKey[]): Attempt[] {
  const content = ({ entry: { question } }: Attempt) => question.shown.map((i) => keys[i] as ContentKey);
  return [...attempts].sort((a, b) =>
    content(a).reduce((sign, key, i) => sign || compareKeys(key, content(b)[i] ?? key), 0),
  );
}

/** Questions with their readings: first the given ones, then the others asked for the same results. */
function askedBy(entries: readonly PooledQuestion[]): AskedQuestion[] {
  const asked = entries.map(({ question, charged, shared }) => ({ question, charged, readings: shared.readings }));
  const others = entries.flatMap(({ question: { shown }, isOwn, shared }) =>
    // Takes `shown` from this group's question, since another group numbers its candidates differently.
    shared.others.map((other) => ({
      ...other,
      question: { ...other.question, shown },
      charged: isOwn && other.charged,
    })),
  );
  return [...asked, ...others];
}

/** Calls `next` once all results are final; at once if they are. */
function whenFinal(entries: readonly PooledQuestion[], next: () => void): void {
  const waiting = new Set(entries.flatMap(({ shared }) => (shared.isFinal ? [] : [shared])));
  if (waiting.size === 0) next();
  for (const shared of waiting) {
    shared.watchers.push(() => {
      waiting.delete(shared);
      if (waiting.size === 0) next();
    });
  }
}

function makeFinal(shared: SharedResult): void {
  const { watchers } = shared;
  shared.isFinal = true;
  shared.watchers = [];
  for (const watcher of watchers) watcher();
}
