// Asks the questions of one signal and group: sends what the job has pending to the verifier, and hands the
// readings back to the job.

import type { Question } from "../core/asking/questions.ts";
import type { Reading } from "../core/asking/readings.ts";
import type { PooledQuestion, QuestionPool } from "../core/job/question-pool.ts";
import type { SignalJob } from "../core/job/signal-job.ts";
import { isSummarised } from "../core/judges/presets/table.ts";
import { numberedSteps } from "../core/signals/step-texts.ts";
import { EvenOrder } from "../core/tournament/even-order.ts";
import type { Generation } from "../core/wire/questions.ts";
import { completeReadings, inOrder, isComplete, readGeneration, withoutText } from "./generation-reading.ts";
import { jobOf, jobsOf } from "./question-jobs.ts";
import type { JournalUse } from "./reading-journal.ts";
import type { AskingSession } from "./sessions.ts";
import { ofSummary, summarised } from "./step-summaries.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

type OnAnswered = (entry: PooledQuestion) => void;

/** Shared by all signals and groups of a request. */
interface BatchOfQuestions {
  pool: QuestionPool;
  journal: JournalUse | null;
  /** Collects the verifier's answers for the log; null if the spec does not log answers. */
  texts: VerdictTexts | null;
}

export class QuestionAsker {
  private readonly session: AskingSession;
  private readonly job: SignalJob;
  private readonly batch: BatchOfQuestions;
  private readonly order: EvenOrder;
  /** Whether this asker has sent at least one question itself instead of waiting for another batch. */
  private hastened = false;

  constructor(session: AskingSession, job: SignalJob, batch: BatchOfQuestions) {
    this.session = session;
    this.job = job;
    this.batch = batch;
    this.order = new EvenOrder(job.signal.group.keys);
  }

  /**
   * Starts the job and asks its questions until it has ended. A verifier failure does not reject.
   * @param goesOn whether another wave may follow the questions asked so far
   */
  async run(
    limits: { left: number; early: number },
    goesOn: Parameters<SignalJob["start"]>[0]["goesOn"],
  ): Promise<void> {
    const { job } = this;
    const ended = Promise.withResolvers<void>();
    const asks: Promise<void>[] = [];
    const answered: PooledQuestion[] = [];
    let isDue = false;
    const proceed = () => {
      for (const entry of answered.splice(0)) job.answer(entry);
      isDue = false;
      for (const entries of jobsOf(job.pending())) {
        const ask = this.ask(entries, (entry) => {
          answered.push(entry);
          later();
        });
        ask.catch(ended.reject);
        asks.push(ask);
      }
      if (job.hasEnded) ended.resolve();
    };
    // Runs once for all answers that arrive together, and never inside the verifier's callback.
    const later = () => {
      if (isDue) return;
      isDue = true;
      Promise.resolve().then(proceed).catch(ended.reject);
    };
    job.start({ ...limits, goesOn, onProgress: later });
    await ended.promise;
    await Promise.all(asks);
  }

  /**
   * Asks questions of one preset. For questions that another batch is already asking, waits for that batch,
   * and then asks those that it left unanswered.
   * @param onAnswered called for each question as soon as all its samples have arrived; may be called again
   */
  private async ask(entries: readonly PooledQuestion[], onAnswered: OnAnswered): Promise<void> {
    const { journal, pool } = this.batch;
    const waits = entries.map((entry) => this.answerOf(entry));
    // Sends one question even if other batches ask them all: a gateway then raises the priority of all
    // questions with the same `work`.
    if (!this.hastened && journal?.hastens === true && !waits.includes(undefined)) waits[0] = undefined;
    this.hastened = true;
    const ownEntries = entries.filter((_, at) => waits[at] === undefined);
    let unknown: PooledQuestion[] = [];
    const asked = waits.map(async (wait, at) => {
      if (wait === undefined) return;
      await wait;
      const entry = entries[at] as PooledQuestion;
      const isKnown = pool.fillIn(entry);
      const isOver = isKnown || journal?.asksUnanswered === false;
      if (!isKnown && isOver) completeReadings(entry.question, entry.shared.readings);
      if (isOver) onAnswered(entry);
      else if (unknown.push(entry) === 1) {
        // A batch that ends releases all its unanswered questions at once. One microtask later, all of them
        // are in `unknown` and can be asked together.
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
  private answerOf({ key }: PooledQuestion): Promise<void> | undefined {
    const journal = this.batch.journal?.journal;
    if (key === null || journal === undefined) return undefined;
    return journal.underWay(key) ?? (journal.known(key) === undefined ? undefined : Promise.resolve());
  }

  /**
   * Sends questions to the verifier as one job, in an order that treats all candidates evenly wherever a
   * deadline cuts it off. Questions that the verifier does not report on count as failed.
   */
  private async submit(entries: readonly PooledQuestion[], onAnswered: OnAnswered): Promise<void> {
    const journal = this.batch.journal?.journal;
    const { judge, group } = this.job.signal;
    const end = journal?.asking(entries.flatMap(({ key }) => key ?? []));
    // A checker receives all answers in a single request, in the order in which the client sent them.
    const isWhole = entries.every(({ question: { to } }) => to === "check" || to === "check_steps");
    const all = isWhole ? entries : this.order.arrange(entries, ({ question }) => question);
    // Early stopping would count verdicts that `strict_model` may discard later, so it is off.
    const stop = judge.strict_model === true ? { stop: "all" as const } : {};
    const laidOut = jobOf(all, group, judge, stop);
    const read = (generation: Generation, question: Question, summary?: readonly string[]): Reading =>
      this.read(generation, question, summary);
    const cut = isSummarised(laidOut.preset) ? await summarised(this.session, laidOut, all, read) : null;
    const { job, open } = cut ?? { job: laidOut, open: all };
    try {
      if (open.length > 0)
        await this.session.judge(job, (generation) => {
          const entry = open[generation.question] as PooledQuestion;
          const { question, key, shared } = entry;
          shared.readings.push(read(generation, question, cut?.steps[generation.question]));
          if (key !== null && isComplete(question, shared.readings)) {
            journal?.onReadings(key, inOrder(shared.readings).map(withoutText));
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
        journal?.onFailed(key, shared.readings.map(withoutText));
      onAnswered(entry);
    }
    end?.();
  }

  /** @param summary the steps of the summary, if the verifier was shown a summary */
  private read(generation: Generation, question: Question, summary?: readonly string[]): Reading {
    const reading = readGeneration(generation, question, this.job.signal.judge);
    const part = summary === undefined ? reading : ofSummary(reading, summary.length);
    const { answer, reason } = generation;
    const written = behind(summary, answer ?? reason ?? null);
    const text = written === null ? null : (this.batch.texts?.keep(written) ?? null);
    return text === null ? part : { ...part, text };
  }
}

/** Prepends the summary to an answer that refers to the summary's step numbers. */
const behind = (steps: readonly string[] | undefined, text: string | null): string | null =>
  text === null || steps === undefined ? text : `${numberedSteps(steps)}\n\n${text}`;
