// Runs the signals of every group against verifier sessions: first waves planned before any call, then each
// signal to its end.

import { type AskedQuestion, cutByDeadline, deciding, ofOneModel } from "../core/asking/asked-questions.ts";
import { generationsOf, type Question } from "../core/asking/questions.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { missingRules } from "../core/contract/spec.ts";
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

/** The share of an isolate's subrequests for one request that may go while nothing waits. */
const EARLY_SHARE = 1 / 4;

/** One group's way through its signals. */
export interface Judging {
  prepared: PreparedGroup;
  /** Generations that it may ask for, over all: those planned and its share of what the request leaves. */
  generationBudget(): number;
  /** Generations that were planned. */
  size: number;
  /**
   * Asks everything that the signals want and resolves with all of them settled; never rejects for
   * a verifier's fault.
   * @param shortens ends early where views were refused as too long and can be cut (GroupSignals.shorter)
   */
  run(sessions: Sessions, shortens: boolean): Promise<GroupSignals>;
  /** Asks of that the first waves alone, and what follows from each comparison by itself. */
  begin(sessions: Sessions): Promise<void>;
}

/** The inputs of planning besides its groups. */
interface Aids {
  journal?: KeyedJournal | null;
  texts?: VerdictTexts | null;
  /** Receives the bytes that questions hold beside the request's own; may throw. */
  reserveBytes?: ((bytes: number) => void) | undefined;
  /** Does what takes long between two answers; absent: at once. */
  work?: Worker;
}

/** Runs what yields its steps (`turn_steps`) to its end. */
export type Worker = <T>(work: Generator<number, T>) => Promise<T>;

/**
 * Plans the first waves of every group before any verifier call, so that a request that cannot be
 * met is refused whole; a signal that waits for another's answers counts as if it were asked for
 * every rollout. What the journal knows is not asked. Yields the steps that it took (`turn_steps`).
 * @param step the request's, 0 where it has none and none is needed
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
  // The limit's remainder for later waves is shared out beforehand: it must not depend on which group was
  // quicker.
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
    const message = `${runs} runs of programs; ${theLimit("sandbox_runs_max")}`;
    throw new ApiError("too_many_generations", `${message}.`, { errors: [{ path: "groups", message }] });
  }
  return judgings;
}

/** Every group's signals that need no verifier, and those opened for one. */
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
  // Before copies are made of it, and before the journal is asked: who is refused may come again.
  reserveBytes?.(imageChars(groups, compiled));
  return opened;
}

/** The images that judges are shown, which are held once more as they are sent. */
function imageChars(groups: readonly PreparedGroup[], { signals }: CompiledSpec): number {
  const judges = signals.filter(({ judge }) => judge?.images === true).length;
  const chars = groups.flatMap(({ group: { images } }) => Object.values(images ?? {}).map(({ length }) => length));
  return judges * chars.reduce((sum, length) => sum + length, 0);
}

/** Steps of entering a question among those of its request. */
const STEPS_QUESTION = 200;
/** With an assert the test's own code runs as well (core/wire/examination.ts). */
const ASSERT_RUNS = 2;

/** Runs of programs, each of which is a separate request, whatever the verifier's protocol. */
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

/** A group's signals, those that are asked first, and whether its views may be shown shorter. */
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
      // Texts in place of candidates are the policy's own words.
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

/** Which protocol's limit it is, its value tells. */
function tooMany(generations: number, limit: number): string {
  const name = limit === LIMITS.generations_verify_max ? "generations_verify_max" : "generations_openai_max";
  return `${generations} generations; the limit ${name} is ${limit}${instead(name)}`;
}

/**
 * Wave by wave until the plan has no further questions; questions that depend on one comparison alone do not
 * wait for its wave.
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
    // After the deadline no answer comes: where a part is enough no question is asked in vain.
    const isCut = missingRules(judge).min_decided < 1 && cutByDeadline(waveAsked).size > 0;
    const over = isCut || isOver(asked);
    const next = over ? [] : plan.next(deciding(asked));
    // Questions beyond the limit are not asked: their pairs are undecided.
    wave = asking.affords(next) ? enter(next) : [];
  }
  return asked;
}

const followingOf = ({ plan, enter }: Planned, asking: QuestionAsker, early: number): Following | null =>
  plan.follows === undefined ? null : new Following(asking, enter, plan.follows, early);

const askerOf = (plans: Plans, planned: Planned, sessions: Sessions): QuestionAsker =>
  new QuestionAsker(sessions[planned.name] as AskingSession, planned, plans);

/** A wave and what followed from it, all answered. @param before what was asked in earlier waves */
async function askedWave(
  wave: readonly QuestionEntry[],
  asking: QuestionAsker,
  following: Following | null,
  before: readonly AskedQuestion[],
): Promise<AskedQuestion[]> {
  const steps = following?.takes(wave) === true ? await following.run(wave, before) : await whole(wave, asking);
  return [wave, ...steps].flatMap(askedBy);
}

/** A wave that nothing of goes on before all of it is answered. */
async function whole(wave: readonly QuestionEntry[], asking: QuestionAsker): Promise<never[]> {
  const first = wave.filter((entry) => entry.first);
  const settled = asking.untilRead(first);
  for (const { shared } of first) shared.settled = settled;
  await Promise.all(wave.map(({ shared }) => shared.settled));
  return [];
}
