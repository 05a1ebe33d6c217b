// Owns running the signals of every group against verifier sessions: first waves planned before any
// call, then each signal to its end. Knows no rewards.

import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { ApiError } from "../core/faults/errors.ts";
import { instead } from "../core/faults/limit-advice.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { CompiledSpec } from "../core/signals/compiled-spec.ts";
import { GroupSignals, type OpenSignal } from "../core/signals/group-signals.ts";
import { type AskedQuestion, ofOneModel } from "../core/tournament/asked-questions.ts";
import { Asking, type Planned, type Plans, sizeOf, waveEntry } from "./asking.ts";
import type { VerifierSession } from "./ports.ts";
import type { KeyedJournal } from "./reading-journal.ts";

/** The session in which a signal asks, by its name. */
export type Sessions = Readonly<Record<string, VerifierSession>>;

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
): Judging[] {
  let generations = 0;
  let planned = 0;
  // What the limit leaves for later is shared out beforehand: it must not hang on which group was
  // quicker.
  const spare = (size: number) => Math.floor((Math.max(0, generationsMax - planned) * size) / Math.max(1, planned));
  const plans: Plans = { journal, pools: new Map(), spare };
  const judgings = groups.map((prepared) => {
    const signals = new GroupSignals(compiled, prepared, step);
    const first = signals.advance().map((open) => plannedSignal(plans, open));
    for (const { firstWave, size } of first) {
      generations += sizeOf(firstWave.filter(({ open }) => open));
      planned += size;
    }
    for (const { plan } of signals.waiting()) {
      const size = plan.next([]).reduce((sum, { samples }) => sum + samples, 0);
      generations += size;
      planned += size;
    }
    return { prepared, run: (sessions: Sessions) => runSignals(plans, signals, first, sessions) };
  });
  if (generations > generationsMax) {
    const message = tooMany(generations, generationsMax);
    throw new ApiError("too_many_generations", `${message}.`, { errors: [{ path: "groups", message }] });
  }
  return judgings;
}

function plannedSignal(plans: Plans, open: OpenSignal): Planned {
  const enter = waveEntry(open, plans);
  const firstWave = enter(open.plan.next([]));
  return { ...open, enter, firstWave, size: sizeOf(firstWave.filter(({ first }) => first)) };
}

async function runSignals(
  plans: Plans,
  signals: GroupSignals,
  first: readonly Planned[],
  sessions: Sessions,
): Promise<GroupSignals> {
  const run = async (planned: Planned): Promise<void> => {
    const { name, judge } = planned;
    const asked = await judgeSignal(planned, new Asking(sessions[name] as VerifierSession, planned, plans));
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

/** Wave by wave until the plan has no more questions. */
async function judgeSignal({ plan, firstWave, enter }: Planned, asking: Asking): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  for (let wave = firstWave; wave.length > 0; ) {
    const first = wave.filter((entry) => entry.first);
    const settled = asking.untilRead(first);
    for (const { shared } of first) shared.settled = settled;
    await Promise.all(wave.map(({ shared }) => shared.settled));
    for (const { question, own, shared } of wave) asked.push({ question, own, readings: shared.readings });
    for (const { question, first, shared } of wave) {
      // The order is this group's own: classes are numbered group by group.
      const { shown } = question;
      asked.push(
        ...shared.again.map((more) => ({ ...more, question: { ...more.question, shown }, own: first && more.own })),
      );
    }
    const next = plan.next(asked);
    // What the limit does not leave room for is not asked: what it would have told is undecided.
    wave = asking.affords(next) ? enter(next) : [];
  }
  return asked;
}
