// Asks one signal's questions about one group, shares answers among groups with the same prompt, and asks
// questions again whose answers were unreadable.

import { nextAttempt } from "../core/asking/purpose.ts";
import { generationsOf, type Question } from "../core/asking/questions.ts";
import { isUnread, type Reading } from "../core/asking/readings.ts";
import { compareKeys } from "../core/candidate/classes.ts";
import { missingRules } from "../core/contract/judge-settings.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import { numberedSteps } from "../core/signals/step-texts.ts";
import { EvenOrder } from "../core/tournament/even-order.ts";
import type { Generation } from "../core/wire/questions.ts";
import {
  type AskedEntry,
  openEntry,
  type Planned,
  type Plans,
  type QuestionEntry,
  recordReask,
  type Shared,
} from "./entries.ts";
import { completeReadings, inOrder, isComplete, readGeneration, withoutText } from "./generation-reading.ts";
import { jobOf, jobsOf } from "./question-jobs.ts";
import type { KeyedJournal } from "./reading-journal.ts";
import type { AskingSession } from "./sessions.ts";
import { ofSummary, summarised } from "./step-summaries.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/**
 * Asks one signal's questions about one group. The first wave of questions is always asked; later ones only
 * within the group's share of the request's remaining generations.
 */
export class QuestionAsker {
  private readonly session: AskingSession;
  private readonly planned: Planned;
  private readonly journal: KeyedJournal | null;
  private readonly texts: VerdictTexts | null;
  private readonly order: EvenOrder;
  private left: number;
  /** Whether this asker has sent at least one question itself instead of waiting for another batch. */
  private hastened = false;

  constructor(session: AskingSession, planned: Planned, plans: Plans) {
    const { journal, spare, texts } = plans;
    this.session = session;
    this.planned = planned;
    this.journal = journal;
    this.texts = texts;
    this.order = new EvenOrder(planned.group.keys);
    this.left = spare(planned.size);
  }

  /** Whether the remaining generations suffice for another wave. Deducts the wave's generations. */
  affords(wave: readonly Question[]): boolean {
    this.left -= wave.reduce((sum, question) => sum + generationsOf(question), 0);
    return this.left >= 0;
  }

  /**
   * Asks the given questions. Those with unreadable answers are asked again with fresh seeds, up to
   * `judge.reask` times; they have no vote yet, so early stopping stays exact. If the remaining generations
   * do not suffice for all, content decides which questions are asked again, not order or speed.
   */
  async untilRead(first: readonly QuestionEntry[]): Promise<void> {
    const ask = async (round: readonly QuestionEntry[]) => {
      const open = round.filter((entry) => entry.open);
      await Promise.all(jobsOf(open).map((job) => this.ask(job)));
    };
    await ask(first);
    let round = first.map((entry): AskedEntry => ({ entry, root: entry.shared }));
    for (let time = 0; time < this.reasks; time++) {
      round = this.planReasks(round);
      if (round.length === 0) return;
      await ask(round.map(({ entry }) => entry));
      for (const asked of round) recordReask(asked);
    }
  }

  /** How often a question with an unreadable answer is asked again; 0 if the plan does so by itself. */
  get reasks(): number {
    return this.planned.plan.asksAgain === true ? 0 : missingRules(this.planned.judge).reask;
  }

  /** Whether this number of generations remains. Unlike `affords`, deducts nothing. */
  hasRoomFor(generations: number): boolean {
    return this.left >= generations;
  }

  /** Selects the questions to ask again: those with unreadable answers, as far as the generations suffice. */
  planReasks(round: readonly AskedEntry[]): AskedEntry[] {
    const { name, group } = this.planned;
    const roots = new Map(round.map(({ entry, root }) => [entry, root]));
    const mute = this.byContent(
      round.flatMap(({ entry: { shared }, entry }) => (isUnread(shared.readings) ? [entry] : [])),
    );
    return mute.flatMap((entry) => {
      const purpose = nextAttempt(entry.question.purpose, this.reasks);
      if (purpose === null) return [];
      const reasked = { ...entry.question, purpose };
      if (!this.affords([reasked])) return [];
      const root = roots.get(entry) as Shared;
      return [{ entry: openEntry(reasked, name, group, this.journal), root }];
    });
  }

  /**
   * Asks the open entries. Returns one promise per entry, in the same order, which resolves when all samples
   * of the entry have arrived.
   */
  start(entries: readonly QuestionEntry[]): Promise<void>[] {
    const waits = new Map(entries.map((entry) => [entry, Promise.withResolvers<void>()]));
    for (const { open, wait } of entries.map((entry) => ({ open: entry.open, wait: waits.get(entry) }))) {
      if (!open) wait?.resolve();
    }
    for (const job of jobsOf(entries.filter(({ open }) => open))) {
      const failed = (fault: unknown) => {
        for (const entry of job) waits.get(entry)?.reject(fault);
      };
      this.ask(job, (entry) => waits.get(entry)?.resolve()).catch(failed);
    }
    return entries.map((entry) => (waits.get(entry) as { promise: Promise<void> }).promise);
  }

  /**
   * The part of the verifier's answer to log, or the reason why the answer is missing.
   * @param before the steps of the summary, if the verifier was shown a summary
   */
  private textOf({ answer, reason }: Generation, before?: readonly string[]): Pick<Reading, "text"> {
    const written = behind(before, answer ?? reason ?? null);
    const text = written === null ? null : (this.texts?.keep(written) ?? null);
    return text === null ? {} : { text };
  }

  private byContent(entries: readonly QuestionEntry[]): QuestionEntry[] {
    const { keys } = this.planned.group;
    const content = ({ question }: QuestionEntry) => question.shown.map((i) => keys[i] as (typeof keys)[number]);
    return [...entries].sort((a, b) =>
      content(a).reduce((sign, key, i) => sign || compareKeys(key, content(b)[i] ?? key), 0),
    );
  }

  /**
   * Asks the open questions of one preset. For questions that another batch is already asking, waits for that
   * batch, and then asks those that it left unanswered.
   * @param onAnswered called for each question as soon as all its samples have arrived
   */
  private async ask(
    entries: readonly QuestionEntry[],
    onAnswered: (entry: QuestionEntry) => void = () => {},
  ): Promise<void> {
    const waits = entries.map((entry) => this.answerOf(entry));
    // Sends one question even if other batches ask them all: a gateway then raises the priority of all
    // questions with the same `work`.
    if (!this.hastened && this.journal?.hastens === true && !waits.includes(undefined)) waits[0] = undefined;
    this.hastened = true;
    const ownEntries = entries.filter((_, at) => waits[at] === undefined);
    let unknown: QuestionEntry[] = [];
    const asked = waits.map(async (wait, at) => {
      if (wait === undefined) return;
      await wait;
      const entry = entries[at] as QuestionEntry;
      const known = answeredFrom(this.journal, entry);
      if (!known && this.journal?.early === true) completeReadings(entry.question, entry.shared.readings);
      if (known || this.journal?.early === true) onAnswered(entry);
      else if (unknown.push(entry) === 1) {
        // A job that ends releases all its unanswered questions at once. One microtask later, all of them are
        // in `unknown` and can be asked together.
        await Promise.resolve();
        const unanswered = unknown;
        unknown = [];
        await this.ask(unanswered, onAnswered);
      }
    });
    if (ownEntries.length > 0) asked.push(this.submit(ownEntries, onAnswered));
    await Promise.all(asked);
  }

  /**
   * A promise that resolves when another batch has answered the question, which may have happened since
   * planning; undefined if no other batch asks the question.
   */
  private answerOf({ key }: QuestionEntry): Promise<void> | undefined {
    const { journal } = this;
    if (key === null || journal?.underWay === undefined) return undefined;
    return journal.underWay(key) ?? (journal.known(key) === undefined ? undefined : Promise.resolve());
  }

  /**
   * Sends questions to the verifier as one job, in an order that treats all candidates evenly wherever a
   * deadline cuts it off. Questions that the verifier does not report on count as failed.
   */
  private async submit(entries: readonly QuestionEntry[], onAnswered: (entry: QuestionEntry) => void): Promise<void> {
    const end = this.journal?.asking?.(entries.flatMap(({ key }) => key ?? []));
    // A checker receives all answers in a single request, in the order in which the client sent them.
    const isWhole = entries.every(({ question: { to } }) => to === "check" || to === "check_steps");
    const all = isWhole ? entries : this.order.arrange(entries, ({ question }) => question);
    const { judge, group } = this.planned;
    // Early stopping would count verdicts that `strict_model` may discard later, so it is off.
    const stop = judge.strict_model === true ? { stop: "all" as const } : {};
    const laidOut = jobOf(all, group, judge, stop);
    const read = (generation: Generation, question: Question, summary?: readonly string[]): Reading => {
      const reading = readGeneration(generation, question, judge);
      const part = summary === undefined ? reading : ofSummary(reading, summary.length);
      return { ...part, ...this.textOf(generation, summary) };
    };
    const cut = isSummarised(laidOut.preset) ? await summarised(this.session, laidOut, all, read) : null;
    const { job, open } = cut ?? { job: laidOut, open: all };
    try {
      if (open.length > 0)
        await this.session.judge(job, (generation) => {
          const entry = open[generation.question] as QuestionEntry;
          const { question, key, shared } = entry;
          const reading = read(generation, question, cut?.steps[generation.question]);
          shared.readings.push(reading);
          if (key !== null && isComplete(question, shared.readings)) {
            this.journal?.onReadings(key, inOrder(shared.readings).map(withoutText));
          }
          if (shared.readings.length < question.samples) return;
          shared.readings.sort((a, b) => a.sample - b.sample);
          onAnswered(entry);
        });
    } catch {
      // The `Verifier` port must not throw. If it does, the missing readings are recorded as failures below,
      // so that other groups are not affected.
    }
    const openEntries = new Set(open);
    for (const entry of all) {
      const { question, key, shared } = entry;
      if (openEntries.has(entry)) completeReadings(question, shared.readings);
      if (key !== null && !isComplete(question, shared.readings))
        this.journal?.onFailed?.(key, shared.readings.map(withoutText));
      onAnswered(entry);
    }
    end?.();
  }
}

/** Prepends the summary to an answer that refers to the summary's step numbers. */
const behind = (steps: readonly string[] | undefined, text: string | null): string | null =>
  text === null || steps === undefined ? text : `${numberedSteps(steps)}\n\n${text}`;

/** Copies the journal's answer into the entry. Returns false if the journal has no answer yet. */
function answeredFrom(journal: KeyedJournal | null, entry: QuestionEntry): boolean {
  const known = entry.key === null ? undefined : journal?.known(entry.key);
  if (known === undefined) return false;
  entry.shared.readings.push(...known.readings);
  entry.charged = known.charged;
  return true;
}
