// Runs the signals of every group against verifier sessions. A signal asks its questions in waves: each wave
// is planned from the answers to the previous ones. All first waves are planned before the first verifier
// call, so that a request beyond the limits is rejected as a whole.

import { type AskedQuestion, cutByDeadline, ofOneModel, withoutSummaries } from "../core/asking/asked-questions.ts";
import { generationsOf, type Question } from "../core/asking/questions.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { missingRules } from "../core/contract/judge-settings.ts";
import { ApiError } from "../core/faults/errors.ts";
import { instead, theLimit } from "../core/faults/limit-advice.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { drained } from "../core/math/drained.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { GroupSignals, type OpenSignal } from "../core/reward/group-signals.ts";
import { QuestionAsker } from "./asking.ts";
import { type Planned, type Plans, type QuestionEntry, sizeOf, waveEntry } from "./entries.ts";
import { askedBy, Following } from "./following.ts";
import type { KeyedJournal } from "./reading-journal.ts";
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
  journal?: KeyedJournal | null;
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
  const plans: Plans = { journal, pools: new Map(), words: new Map(), spare, early, texts };
  const opened = yield* openedGroups(groups, compiled, step, reserveBytes);
  const judgings: Judging[] = [];
  for (const { prepared, signals, open: opens, waiting } of opened) {
    const first = opens.map((open) => plannedSignal(plans, open));
    for (const { firstWave, size } of first) {
      generations += sizeOf(firstWave.filter(({ open }) => open));
      runs += runsOf(firstWave.flatMap(({ open, question }) => (open ? question : [])));
      planned += size;
    }
    let groupGenerations = first.reduce((sum, { size }) => sum + size, 0);
    for (const { plan } of waiting) {
      const wave = plan.next([]);
      const size = wave.reduce((sum, question) => sum + generationsOf(question), 0);
      runs += runsOf(wave);
      generations += size;
      planned += size;
      groupGenerations += size;
    }
    const run = (sessions: Sessions, shortens: boolean) =>
      runSignals(plans, { signals, first, shortens }, sessions, work);
    const begin = (sessions: Sessions) => beginSignals(plans, first, sessions);
    judgings.push({
      prepared,
      size: groupGenerations,
      generationBudget: () => groupGenerations + spare(groupGenerations),
      run,
      begin,
    });
    yield STEPS_QUESTION * first.reduce((sum, { firstWave }) => sum + firstWave.length, 1);
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

function plannedSignal(plans: Plans, open: OpenSignal): Planned {
  const enter = waveEntry(open, plans);
  const wave = open.plan.next([]);
  const firstWave = enter(wave);
  const size = sizeOf(firstWave);
  return { ...open, enter, firstWave, size };
}

/** A group's signals, those that can be asked right away, and whether its rollouts may be shown shorter. */
interface SignalsRun {
  signals: GroupSignals;
  first: readonly Planned[];
  shortens: boolean;
}

async function runSignals(
  plans: Plans,
  { signals, first, shortens }: SignalsRun,
  sessions: Sessions,
  work: Worker,
): Promise<GroupSignals> {
  const run = async (planned: Planned): Promise<void> => {
    const isOver = (asked: readonly AskedQuestion[]): boolean => {
      // A plan may show quotes from the policy instead of the candidates; quotes cannot be shortened.
      const found = shortens && planned.plan.shows === undefined ? shortenable(planned.group, asked) : [];
      for (const r of found) signals.shorter.add(planned.members[r] as number);
      return signals.shorter.size > 0;
    };
    const asked = await judgeSignal(planned, askerOf(plans, planned, sessions), plans.early, isOver);
    signals.settle(planned, planned.judge.strict_model === true ? ofOneModel(asked) : asked);
    const opened = await work(signals.advance());
    await Promise.all(opened.map((open) => run(plannedSignal(plans, open))));
  };
  await Promise.all(first.map(run));
  return signals;
}

async function beginSignals(plans: Plans, first: readonly Planned[], sessions: Sessions): Promise<void> {
  const begin = (planned: Planned) => {
    const asking = askerOf(plans, planned, sessions);
    return askedWave(planned.firstWave, asking, followingOf(planned, asking, plans.early), []);
  };
  await Promise.all(first.map(begin));
}

/** The error message for too many generations. The protocol is not known here, but follows from the limit. */
function tooMany(generations: number, limit: number): string {
  const name = limit === LIMITS.generations_verify_max ? "generations_verify_max" : "generations_openai_max";
  return `${generations} generations; the limit ${name} is ${limit}${instead(name)}`;
}

/**
 * Asks one wave of questions after another until the plan has no further questions. Follow-up questions that
 * depend on a single comparison do not wait for the whole wave.
 */
async function judgeSignal(
  planned: Planned,
  asking: QuestionAsker,
  early: number,
  isOver: (asked: readonly AskedQuestion[]) => boolean,
): Promise<readonly AskedQuestion[]> {
  const { plan, firstWave, enter, judge } = planned;
  let asked: readonly AskedQuestion[] = [];
  const following = followingOf(planned, asking, early);
  for (let wave = isOver([]) ? [] : firstWave; wave.length > 0; ) {
    const waveAsked = await askedWave(wave, asking, following, asked);
    asked = [...asked, ...waveAsked];
    // No answer arrives after the deadline. If the spec accepts a partial result, nothing further is asked.
    const isCut = missingRules(judge).min_decided < 1 && cutByDeadline(waveAsked).size > 0;
    const over = isCut || isOver(asked);
    const next = over ? [] : plan.next(withoutSummaries(asked));
    // If the generations do not suffice for the next wave, it is not asked and its pairs stay undecided.
    wave = asking.affords(next) ? enter(next) : [];
  }
  return asked;
}

const followingOf = ({ plan, enter }: Planned, asking: QuestionAsker, early: number): Following | null =>
  plan.follows === undefined ? null : new Following(asking, enter, plan.follows, early);

const askerOf = (plans: Plans, planned: Planned, sessions: Sessions): QuestionAsker =>
  new QuestionAsker(sessions[planned.name] as AskingSession, planned, plans);

/**
 * Asks a wave and its follow-up questions, and returns all of them with their answers.
 * @param before the questions of earlier waves
 */
async function askedWave(
  wave: readonly QuestionEntry[],
  asking: QuestionAsker,
  following: Following | null,
  before: readonly AskedQuestion[],
): Promise<AskedQuestion[]> {
  const steps = following?.takes(wave) === true ? await following.run(wave, before) : await whole(wave, asking);
  return [wave, ...steps].flatMap(askedBy);
}

/** Asks a wave without follow-up questions and waits for all of its answers. */
async function whole(wave: readonly QuestionEntry[], asking: QuestionAsker): Promise<never[]> {
  const first = wave.filter((entry) => entry.first);
  const settled = asking.untilRead(first);
  for (const { shared } of first) shared.settled = settled;
  await Promise.all(wave.map(({ shared }) => shared.settled));
  return [];
}
