// Owns comparisons that go on by themselves: what hangs on one comparison's answers alone is asked
// as soon as these are in, while others of its wave still run. Knows no schedule.
import { comparedIn, isAside } from "../core/judges/questions.ts";
import type { Follows } from "../core/signals/signal.ts";
import type { AskedQuestion } from "../core/tournament/asked-questions.ts";
import type { Asking } from "./asking.ts";
import { type Asked, type EnterWave, type Entry, told } from "./entries.ts";

/**
 * What is ready leaves when it is this share of what runs and waits: few requests where much runs,
 * no waiting where little does.
 */
const BATCH_SHARE = 1 / 4;

interface Comparison {
  /** Its questions, by the step in which they were asked. */
  steps: Entry[][];
  /** Of the last step, what is being asked. */
  round: Asked[];
  /** How often the last step was asked again. */
  again: number;
  /** Ends the wait of other groups for the last step. */
  settle: () => void;
}

/** Of a wave the comparisons of which this group asks anything itself. */
function comparisonsOf(wave: readonly Entry[]): Entry[][] {
  const byShown = new Map<string, Entry[]>();
  for (const entry of wave) {
    const name = comparedIn(entry.question);
    byShown.set(name, [...(byShown.get(name) ?? []), entry]);
  }
  return [...byShown.values()].filter((entries) => entries.some(({ first }) => first));
}

/**
 * Asks a wave and all that follows from each of its comparisons alone. The questions and their
 * order are the same whatever answers came first; only when they leave hangs on that.
 */
export class Following {
  private readonly asking: Asking;
  private readonly enter: EnterWave;
  private readonly follows: Follows;
  private early: number;
  private running = 0;
  private ready: Comparison[] = [];
  private done = Promise.withResolvers<void>();
  private before: readonly AskedQuestion[] = [];
  private earlier: Map<string, AskedQuestion[]> | null = null;

  /** @param early requests that may be sent before all that runs is answered */
  constructor(asking: Asking, enter: EnterWave, follows: Follows, early: number) {
    this.asking = asking;
    this.enter = enter;
    this.follows = follows;
    this.early = early;
  }

  /**
   * Whether the wave can be asked so: what may follow is paid for whoever is first, and nothing is
   * asked aside.
   */
  takes(wave: readonly Entry[]): boolean {
    const { asking, follows } = this;
    const most = comparisonsOf(wave).length * follows.most * (1 + asking.reasks);
    return asking.hasRoomFor(most) && !wave.some(({ question }) => isAside(question));
  }

  /**
   * What followed, step by step, within a step in the wave's order; all of it answered.
   * @param before what was asked in earlier waves
   */
  async run(wave: readonly Entry[], before: readonly AskedQuestion[] = []): Promise<Entry[][]> {
    const own = comparisonsOf(wave).map((entries) => this.opened(entries));
    this.before = before;
    this.earlier = null;
    this.done = Promise.withResolvers<void>();
    if (own.length > 0) {
      this.start(own);
      await this.done.promise;
    }
    await Promise.all(wave.map(({ shared }) => shared.settled));
    const steps = Math.max(0, ...own.map((one) => one.steps.length - 1));
    return Array.from({ length: steps }, (_, k) => own.flatMap((one) => one.steps[k + 1] ?? []));
  }

  private opened(entries: Entry[]): Comparison {
    const comparison: Comparison = { steps: [], round: [], again: 0, settle: () => {} };
    this.stepTo(comparison, entries);
    return comparison;
  }

  private stepTo(comparison: Comparison, entries: Entry[]): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const { first, shared } of entries) if (first) shared.settled = promise;
    comparison.steps.push(entries);
    comparison.round = entries.map((entry) => ({ entry, root: entry.shared }));
    comparison.again = 0;
    comparison.settle = resolve;
  }

  private start(batch: readonly Comparison[]): void {
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

  /** Asked again where it said nothing; else what follows, entered before anybody else may. */
  private answered(comparison: Comparison): void {
    this.running--;
    if (comparison.again > 0) for (const one of comparison.round) told(one);
    const again = comparison.again < this.asking.reasks ? this.asking.again(this.ownOf(comparison)) : [];
    if (again.length > 0) {
      comparison.round = again;
      comparison.again++;
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

  /** All that was asked about it, in waves before too: as of what other groups asked first. */
  private allOf(comparison: Comparison): AskedQuestion[] {
    const own = toldOf(comparison);
    const name = comparedIn((own[0] as AskedQuestion).question);
    this.earlier ??= Map.groupBy(this.before, ({ question }) => comparedIn(question));
    return [...(this.earlier.get(name) ?? []), ...own];
  }

  /** What another group asks it also asks again. */
  private ownOf({ round }: Comparison): Asked[] {
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

const toldOf = ({ steps }: Comparison): AskedQuestion[] => steps.flatMap((entries) => toldBy(entries));

/** Questions with their readings, each step's own first and then what was asked again. */
export function toldBy(wave: readonly Entry[]): AskedQuestion[] {
  const own = wave.map(({ question, own, shared }) => ({ question, own, readings: shared.readings }));
  const again = wave.flatMap(({ question, first, shared }) => {
    // The order is this group's own: classes are numbered group by group.
    const { shown } = question;
    return shared.again.map((more) => ({ ...more, question: { ...more.question, shown }, own: first && more.own }));
  });
  return [...own, ...again];
}
