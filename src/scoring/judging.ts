// Owns running the signals of every group against verifier sessions: first waves planned before any
// call, then each signal to its end. Knows no rewards.

import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import { instead, theLimit } from "../core/faults/limit-advice.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { comparedIn, countOf, type Question } from "../core/judges/questions.ts";
import type { CompiledSpec } from "../core/signals/compiled-spec.ts";
import { GroupSignals, type OpenSignal } from "../core/signals/group-signals.ts";
import type { Plan } from "../core/signals/signal.ts";
import { type AskedQuestion, givenUp, ofOneModel } from "../core/tournament/asked-questions.ts";
import { Asking } from "./asking.ts";
import { type Entry, type Planned, type Plans, sizeOf, waveEntry } from "./entries.ts";
import { Following, toldBy } from "./following.ts";
import type { VerifierSession } from "./ports.ts";
import type { KeyedJournal } from "./reading-journal.ts";
import type { VerdictTexts } from "./verdict-texts.ts";

/** The session in which a signal asks, by its name. */
export type Sessions = Readonly<Record<string, VerifierSession>>;

/**
 * Of the requests that an isolate may send for one of its own, so many may go so that nothing
 * waits.
 */
const EARLY_SHARE = 1 / 4;

/** One group's way through its signals. */
export interface Judging {
  prepared: PreparedGroup;
  /**
   * Asks everything that the signals want and resolves with all of them settled; never rejects for
   * a verifier's fault.
   */
  run(sessions: Sessions): Promise<GroupSignals>;
}

/**
 * Plans the first waves of every group before any verifier call, so that a request that cannot be
 * met is refused whole; a signal that waits for another's answers counts as if it were asked for
 * every rollout. What the journal knows is not asked.
 * @param step the request's, 0 where it has none and none is needed
 * @throws ApiError `list_too_long`, `too_many_generations`
 */
export function planJudging(
  groups: readonly PreparedGroup[],
  compiled: CompiledSpec,
  step: number,
  generationsMax: number,
  journal: KeyedJournal | null = null,
  texts: VerdictTexts | null = null,
): Judging[] {
  let generations = 0;
  let runs = 0;
  let planned = 0;
  // What the limit leaves for later is shared out beforehand: it must not hang on which group was
  // quicker.
  const spare = (size: number) => Math.floor((Math.max(0, generationsMax - planned) * size) / Math.max(1, planned));
  const asking = groups.length * compiled.signals.filter(({ judge }) => judge !== null).length;
  const early = Math.floor((LIMITS.subrequests_max * EARLY_SHARE) / Math.max(1, asking));
  const plans: Plans = { journal, pools: new Map(), spare, early, texts };
  const judgings = groups.map((prepared) => {
    const signals = new GroupSignals(compiled, prepared, step);
    const first = signals.advance().map((open) => plannedSignal(plans, open));
    for (const { firstWave, size } of first) {
      generations += sizeOf(firstWave.filter(({ open }) => open));
      runs += runsOf(firstWave.flatMap(({ open, question }) => (open ? question : [])));
      planned += size;
    }
    for (const { plan } of signals.waiting()) {
      const wave = plan.next([]);
      const size = wave.reduce((sum, question) => sum + countOf(question), 0);
      runs += runsOf(wave);
      generations += size;
      planned += size;
    }
    return { prepared, run: (sessions: Sessions) => runSignals(plans, signals, first, sessions) };
  });
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

/** Runs of programs, of which each is a request of its own, whatever the verifier's protocol. */
const runsOf = (wave: readonly Question[]): number =>
  wave.reduce((sum, { to, samples }) => (to === "execute" ? sum + samples : sum), 0);

function plannedSignal(plans: Plans, open: OpenSignal): Planned {
  const enter = waveEntry(open, plans);
  const firstWave = enter(open.plan.next([]));
  return { ...open, enter, firstWave, size: sizeOf(firstWave) };
}

async function runSignals(
  plans: Plans,
  signals: GroupSignals,
  first: readonly Planned[],
  sessions: Sessions,
): Promise<GroupSignals> {
  const run = async (planned: Planned): Promise<void> => {
    const { name, judge } = planned;
    const asked = await judgeSignal(
      planned,
      new Asking(sessions[name] as VerifierSession, planned, plans),
      plans.early,
    );
    signals.settle(planned, judge.strict_model === true ? ofOneModel(asked) : asked);
    await Promise.all(signals.advance().map((open) => run(plannedSignal(plans, open))));
  };
  await Promise.all(first.map(run));
  return signals;
}

/** Which protocol's limit it is, its value tells. */
function tooMany(generations: number, most: number): string {
  const name = most === LIMITS.generations_verify_max ? "generations_verify_max" : "generations_openai_max";
  return `${generations} generations; the limit ${name} is ${most}${instead(name)}`;
}

/**
 * Wave by wave until the plan has no more questions; what hangs on one comparison alone does not
 * wait for its wave.
 */
async function judgeSignal(
  { plan, firstWave, enter }: Planned,
  asking: Asking,
  early: number,
): Promise<readonly AskedQuestion[]> {
  let asked: readonly AskedQuestion[] = [];
  /** What was asked before the schedule's own wave, of which further samples are a part. */
  let before = asked;
  const following = plan.follows === undefined ? null : new Following(asking, enter, plan.follows, early, plan);
  for (let wave = firstWave; wave.length > 0; ) {
    const steps = following?.takes(wave) === true ? await following.run(wave, asked) : await whole(wave, asking);
    const told = [...asked.slice(before.length), ...[wave, ...steps].flatMap(toldBy)];
    asked = [...before, ...withoutObsolete(plan, before, told)];
    const next = plan.next(asked);
    if (!isPartOf(asked.slice(before.length), next)) before = asked;
    // What the limit does not leave room for is not asked: what it would have told is undecided.
    wave = asking.affords(next) ? enter(next) : [];
  }
  return asked;
}

/** Whether all that is asked next is about comparisons of the wave before. */
function isPartOf(wave: readonly AskedQuestion[], next: readonly Question[]): boolean {
  const compared = new Set(wave.map(({ question }) => comparedIn(question)));
  return next.every((question) => compared.has(comparedIn(question)));
}

/**
 * What a wave told, without what cannot matter: it counts for nothing even where it was answered,
 * so that the same answers come to the same result whatever had been ended when they came.
 */
function withoutObsolete(plan: Plan, before: readonly AskedQuestion[], told: AskedQuestion[]): AskedQuestion[] {
  if (plan.obsolete === undefined) return told;
  const isObsolete = plan.obsolete([...before, ...told]);
  const idle = new Set(told.filter(({ question }) => isObsolete(question)));
  if (idle.size === 0) return told;
  const given = [...Map.groupBy(idle, ({ question }) => comparedIn(question)).values()].flatMap(givenUp);
  const byQuestion = new Map(given.map((one) => [one.question, one]));
  return told.flatMap((one) => byQuestion.get(one.question) ?? (idle.has(one) ? [] : [one]));
}

/** A wave that nothing of goes on before all of it is answered. */
async function whole(wave: readonly Entry[], asking: Asking): Promise<never[]> {
  const first = wave.filter((entry) => entry.first);
  const settled = asking.untilRead(first);
  for (const { shared } of first) shared.settled = settled;
  await Promise.all(wave.map(({ shared }) => shared.settled));
  return [];
}
