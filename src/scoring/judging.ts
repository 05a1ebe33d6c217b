// Runs the signals of every group against verifier sessions. A signal asks its questions in waves: each wave
// is planned from the answers to the previous ones. All first waves are planned before the first verifier
// call, so that a request beyond the limits is rejected as a whole.

import { type AskedQuestion, ofOneModel } from "../core/asking/asked-questions.ts";
import { generationsIn, type Question } from "../core/asking/questions.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import { instead, theLimit } from "../core/faults/limit-advice.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { QuestionPool } from "../core/job/question-pool.ts";
import { SignalJob } from "../core/job/signal-job.ts";
import { drained } from "../core/math/drained.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { GroupSignals } from "../core/reward/group-signals.ts";
import { QuestionAsker } from "./asking.ts";
import type { JournalUse } from "./reading-journal.ts";
import type { AskingSession, Sessions } from "./sessions.ts";
import { shortenable } from "./shortenable.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/**
 * Share of an isolate's subrequests that one request may spend on sending follow-up questions before the
 * current wave is complete.
 */
const EARLY_SHARE = 1 / 4;

/** The planned judging of one group. */
export interface Judging {
  prepared: PreparedGroup;
  /** Maximum number of generations for the group: the planned ones, plus its share of the request's rest. */
  generationBudget(): number;
  /** Number of planned generations. */
  size: number;
  /**
   * Asks all questions of the signals and resolves when every signal is settled. A verifier failure does not
   * reject.
   * @param shortens whether to stop as soon as the verifier refuses a rollout as too long that could be shown
   *   shorter (`GroupSignals.shorter`)
   */
  run(sessions: Sessions, shortens: boolean): Promise<GroupSignals>;
  /** Asks only the first waves, and the follow-up questions that depend on a single comparison. */
  begin(sessions: Sessions): Promise<void>;
}

/** Optional inputs for planning. */
interface Aids {
  journal?: JournalUse | null;
  texts?: VerdictTexts | null;
  /** Reserves memory for questions, in bytes in addition to the request. May throw. */
  reserveBytes?: ((bytes: number) => void) | undefined;
  /** Runs the long computations between two answers in time slices; omitted: without interruption. */
  work?: Worker;
}

/** Runs a generator to its end. The generator yields the cost of its work, in units of `turn_steps`. */
export type Worker = <T>(work: Generator<number, T>) => Promise<T>;

/**
 * Plans the first waves of every group before any verifier call, so that a request beyond the limits is
 * rejected as a whole. A signal that waits for another signal's answers is counted as if it were asked for
 * every rollout. Questions that the journal can answer are not asked. Yields the cost of the planning work,
 * in units of `turn_steps`.
 * @param step the request's training step; 0 if the request has none, which is allowed if no spec uses it
 * @throws ApiError `list_too_long`, `too_many_generations`
 */
export function* planJudging(
  groups: readonly PreparedGroup[],
  compiled: CompiledSpec,
  step: number,
  generationsMax: number,
  { journal = null, texts = null, reserveBytes, work = async (some) => drained(some) }: Aids = {},
): Generator<number, Judging[]> {
  let generations = 0;
  let runs = 0;
  let planned = 0;
  // The remaining generations are divided among groups in advance, so that the shares do not depend on which
  // group is faster.
  const spare = (size: number) => Math.floor((Math.max(0, generationsMax - planned) * size) / Math.max(1, planned));
  const asking = groups.length * compiled.signals.filter(({ judge }) => judge !== null).length;
  const early = Math.floor((LIMITS.subrequests_max * EARLY_SHARE) / Math.max(1, asking));
  const batch = {
    journal,
    texts,
    pool: new QuestionPool(
      journal === null ? null : { keyOf: journal.keyOf, known: (key) => journal.journal.known(key) },
    ),
  };
  const limits = (size: number) => ({ left: spare(size), early });
  const run: RunsSignal = (job, sessions, goesOn) =>
    new QuestionAsker(sessions[job.signal.name] as AskingSession, job, batch).run(limits(job.size), goesOn);
  const opened = yield* openedGroups(groups, compiled, step, reserveBytes);
  const judgings: Judging[] = [];
  for (const { prepared, signals, open: opens, waiting } of opened) {
    const first = opens.map((open) => new SignalJob(open, batch.pool));
    for (const { entered, size } of first) {
      const asked = entered.flatMap(({ question, isOwn, shared }) =>
        isOwn && shared.readings.length === 0 ? [question] : [],
      );
      generations += generationsIn(asked);
      runs += runsOf(asked);
      planned += size;
    }
    let groupGenerations = first.reduce((sum, { size }) => sum + size, 0);
    for (const { plan } of waiting) {
      const wave = plan.next([]);
      const size = generationsIn(wave);
      runs += runsOf(wave);
      generations += size;
      planned += size;
      groupGenerations += size;
    }
    judgings.push({
      prepared,
      size: groupGenerations,
      generationBudget: () => groupGenerations + spare(groupGenerations),
      run: (sessions, shortens) =>
        runSignals({ signals, first, shortens }, batch.pool, (job, goesOn) => run(job, sessions, goesOn), work),
      begin: async (sessions) => {
        await Promise.all(first.map((job) => run(job, sessions, (asked) => asked.length === 0)));
      },
    });
    yield STEPS_QUESTION * first.reduce((sum, { entered }) => sum + entered.length, 1);
  }
  if (generations > generationsMax) {
    const message = tooMany(generations, generationsMax);
    throw new ApiError("too_many_generations", `${message}.`, { errors: [{ path: "groups", message }] });
  }
  if (runs > LIMITS.sandbox_runs_max) {
    const message = `${runs} program runs; ${theLimit("sandbox_runs_max")}`;
    throw new ApiError("too_many_generations", `${message}.`, { errors: [{ path: "groups", message }] });
  }
  return judgings;
}

/** Opens every group's signals: settles those that need no verifier, and plans the others. */
function* openedGroups(
  groups: readonly PreparedGroup[],
  compiled: CompiledSpec,
  step: number,
  reserveBytes: Aids["reserveBytes"],
) {
  const opened = [];
  for (const prepared of groups) {
    const signals = new GroupSignals(compiled, prepared, step);
    const open = yield* signals.advance();
    opened.push({ prepared, signals, open, waiting: yield* signals.waiting() });
  }
  // Memory is reserved before images are copied and the journal is read, since a rejected request may be
  // retried.
  reserveBytes?.(imageChars(groups, compiled));
  return opened;
}

/** Number of characters of the images shown to judges; a second copy is in memory while they are sent. */
function imageChars(groups: readonly PreparedGroup[], { signals }: CompiledSpec): number {
  const judges = signals.filter(({ judge }) => judge?.images === true).length;
  const chars = groups.flatMap(({ group: { images } }) => Object.values(images ?? {}).map(({ length }) => length));
  return judges * chars.reduce((sum, length) => sum + length, 0);
}

/** Cost of entering one question, in units of `turn_steps`. */
const STEPS_QUESTION = 200;
/** Number of runs for a test with an assert: the test's code is also run separately (examination.ts). */
const ASSERT_RUNS = 2;

/** Number of program runs in a wave. Under every verifier protocol, each run is a separate request. */
const runsOf = (wave: readonly Question[]): number =>
  wave.reduce((sum, { runs }) => {
    const each = runs?.cases.map(({ assert }) => (assert === undefined ? 1 : ASSERT_RUNS)) ?? [];
    return sum + each.reduce((all: number, count) => all + count, 0);
  }, 0);

/** A group's signals, the jobs of those that can be asked right away, and whether its rollouts may be shortened. */
interface SignalsRun {
  signals: GroupSignals;
  first: readonly SignalJob[];
  shortens: boolean;
}

type GoesOn = (asked: readonly AskedQuestion[]) => boolean;
type RunsSignal = (job: SignalJob, sessions: Sessions, goesOn: GoesOn) => Promise<void>;

async function runSignals(
  { signals, first, shortens }: SignalsRun,
  pool: QuestionPool,
  asks: (job: SignalJob, goesOn: GoesOn) => Promise<void>,
  work: Worker,
): Promise<GroupSignals> {
  const run = async (job: SignalJob): Promise<void> => {
    const { signal } = job;
    const goesOn = (asked: readonly AskedQuestion[]): boolean => {
      // A plan may show quotes from the policy instead of the candidates; quotes cannot be shortened.
      const found = shortens && signal.plan.shows === undefined ? shortenable(signal.group, asked) : [];
      for (const r of found) signals.shorter.add(signal.members[r] as number);
      return signals.shorter.size === 0;
    };
    await asks(job, goesOn);
    signals.settle(signal, signal.judge.strict_model === true ? ofOneModel(job.asked) : job.asked);
    const opened = await work(signals.advance());
    await Promise.all(opened.map((open) => run(new SignalJob(open, pool))));
  };
  await Promise.all(first.map(run));
  return signals;
}

/** The error message for too many generations. The protocol is not known here, but follows from the limit. */
function tooMany(generations: number, limit: number): string {
  const name = limit === LIMITS.generations_verify_max ? "generations_verify_max" : "generations_openai_max";
  return `${generations} generations; the limit ${name} is ${limit}${instead(name)}`;
}
