// The benchmark of asking before a group is complete, against gathering and then judging: the product's
// journal, judging and scheduler on a simulated engine, in virtual time.

import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean, percentile } from "../../src/core/math/stats.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { GroupJournal } from "../../src/objects/gathering/group-journal.ts";
import { createEarlyJudge, createGroupJudge } from "../../src/objects/gathering/judge-group.ts";
import { createRoomStore } from "../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../src/objects/storage/memory.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { completeJudging } from "../../src/scoring/complete-judging.ts";
import { programOf, questionOf } from "./early-stop-load.ts";
import { type Figure, figure, type Goal } from "./figures.ts";
import { VirtualEngine } from "./virtual-engine.ts";
import { virtualGateway } from "./virtual-gateway.ts";

const MODEL = "sim-14b";
const SEED = 7;
const DEADLINE_MS = 600_000;
/** As rooms do it (`room_flush_ms`). */
const BEGINS_AFTER_S = 0.1;
/** A step must not end later by it than by so much. */
const LATER_MOST = 1.02;
const WASTED_MOST = 0.03;

export interface EarlyLoad {
  /** Members of each group, and at twice the judging time the share of gathering's wait that may be left. */
  sizes: readonly { rollouts: number; max: number }[];
  /** Groups of a step, which all begin at once. */
  groups: number;
  /** How long a step's samples come, in times of what judging all of it takes. */
  spreads: readonly number[];
  /** Share of samples that never come; their groups close when the last of the step has come. */
  lost: number;
  /** Generations the gateway has at the engine at most. */
  in_flight: number;
  /** Steps of other arrivals each. */
  repeats: number;
  /**
   * Steps one after another, each begun when an engine at this share of its load has judged the one
   * before; each group of one of these sizes, its samples over one of these shares of that time.
   */
  mixed: {
    runs: number;
    steps: number;
    sizes: readonly number[];
    spreads: readonly number[];
    loads: readonly number[];
  };
}

/** When each member of a group comes, s; Infinity: never, and then the group closes at `latest`. */
export interface GroupArrivals {
  times: readonly number[];
  latest: number;
}

interface Step {
  /** Seconds from the last arrival that its group waited for to its reward, by group. */
  waits: number[];
  /** Seconds from the step's begin to its last reward. */
  end: number;
  /** Generations that were asked, and those that rewards rest on. */
  asked: number;
  used: number;
  rewards: unknown[];
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A drawn group: its number of samples, over how many seconds from its step's begin. */
interface Drawn {
  rollouts: number;
  over_s: number;
}

/** When the samples of a step's groups come, its share `lost` never. */
export function stepOf(
  { lost }: Pick<EarlyLoad, "lost">,
  random: () => number,
  begins: number,
  drawn: readonly Drawn[],
): GroupArrivals[] {
  const groups = drawn.map(({ rollouts, over_s }) =>
    Array.from({ length: rollouts }, () => {
      const at = begins + over_s * random();
      return random() < lost ? Number.POSITIVE_INFINITY : at;
    }),
  );
  const latest = Math.max(begins, ...groups.flat().filter(Number.isFinite));
  return groups.map((times) => ({ times, latest }));
}

export const randomOf = (...seed: (string | number)[]) => createRandom(hashText("early", ...seed));

/** The verifier, counting what it is asked, and telling for whose work it was asked last. */
function counted(verifier: Verifier, onAsked: (work: string, generations: number) => void): Verifier {
  return {
    ...verifier,
    session(call) {
      const session = verifier.session(call);
      return {
        stats: session.stats,
        judge(job, sink) {
          const judged = session.judge(job, sink);
          onAsked(
            call.work ?? "",
            job.questions.reduce((sum, { samples }) => sum + samples, 0),
          );
          return judged;
        },
      };
    },
  };
}

/** A step on a fresh engine. @param early whether what can be is asked before a group is complete */
async function runStep(load: EarlyLoad, arrivals: readonly GroupArrivals[], early: boolean): Promise<Step> {
  const engine = new VirtualEngine(MODEL, SEED, load.in_flight);
  const { verifier, clock } = virtualGateway(engine, MODEL);
  const step: Step = { waits: [], end: 0, asked: 0, used: 0, rewards: [] };
  let asked = () => {};
  const counting = counted(verifier, (_, generations) => {
    step.asked += generations;
    asked();
  });
  const deps = completeJudging({ ...IDLE, verifier: counting, clock, timers: clock });
  const judges = { early: createEarlyJudge(deps), whole: createGroupJudge(deps) };
  const spec = SpecSchema.parse({ candidate: { extract: "whole" }, reward: "strength" });
  let open = 0;
  const begun = (work: Promise<unknown>) => {
    open++;
    const ended = work.finally(() => open--);
    return Promise.race([ended, new Promise<void>((resolve) => (asked = resolve))]);
  };

  const moments = arrivals.flatMap(({ times, latest }, g) => {
    const store = createRoomStore(
      memoryValues(clock, () => undefined),
      clock,
    );
    const journal = new GroupJournal(store, 0, () => {});
    const order = [...times.keys()].sort((a, b) => (times[a] as number) - (times[b] as number));
    const come = order.filter((r) => Number.isFinite(times[r]));
    const members = come.map((r) => ({ rollout: { text: programOf(`${g}`, r, "even") }, language: null }));
    const subject = { room: `${g}`, prompt: questionOf(`${g}`), spec, run_id: null, step: null, key_name: null };
    const requestFields = { request_id: `group-${g}`, subject, deadline_ms: DEADLINE_MS };
    const closes = come.length < times.length ? latest : (times[come.at(-1) as number] as number);
    const whole = async () => {
      const { journal: taken } = journal.ofWhole(requestFields.request_id);
      const work = { ...requestFields, logs: false, warnings: [], group_id: `${g}`, members, journal: taken };
      const { groups, rewards } = (await judges.whole(work)).reply;
      step.waits[g] = engine.now - closes;
      step.end = Math.max(step.end, engine.now);
      step.used += groups[0]?.verifier.generations ?? 0;
      step.rewards[g] = rewards[0];
    };
    const signal = new AbortController().signal;
    const begins = come.slice(1).map((r, i) => ({
      at: (times[r] as number) + BEGINS_AFTER_S,
      run: () =>
        judges.early.ask({
          ...requestFields,
          members: members.slice(0, i + 2),
          journal: journal.ofEarly(requestFields.request_id),
          signal,
        }),
    }));
    return [...(early ? begins.filter(({ at }) => at < closes) : []), { at: closes, run: whole }];
  });
  moments.sort((a, b) => a.at - b.at);
  for (let next = moments.shift(); next !== undefined || open > 0; ) {
    const at = Math.min(next?.at ?? Number.POSITIVE_INFINITY, engine.nextAt());
    if (Number.isFinite(at)) engine.advance(at);
    await turn();
    if (next === undefined || engine.now < next.at) continue;
    await begun(next.run());
    next = moments.shift();
  }
  return step;
}

/** Nothing is logged. */
const IDLE = { runLog: undefined as never, report: () => {} };

const p99 = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.99,
  );

interface BothArms {
  gathered: Step;
  early: Step;
}

async function bothArms(load: EarlyLoad, arrivals: readonly GroupArrivals[]): Promise<BothArms> {
  const gathered = await runStep(load, arrivals, false);
  const early = await runStep(load, arrivals, true);
  if (JSON.stringify(gathered.rewards) !== JSON.stringify(early.rewards))
    throw new Error("early and gathered judging gave different rewards");
  return { gathered, early };
}

const over = (steps: readonly BothArms[], value: (step: Step) => number) =>
  steps.map(({ gathered, early }) => value(early) / value(gathered));

const waited = ({ waits }: Step) => mean(waits);
const slowest = ({ waits }: Step) => p99(waits);
const ended = ({ end }: Step) => end;

const judgedAtOnce = async (load: EarlyLoad, sizes: readonly number[]) => {
  const drawn = sizes.map((rollouts) => ({ rollouts, over_s: 0 }));
  return (
    await runStep(
      load,
      stepOf({ ...load, lost: 0 }, () => 0, 0, drawn),
      false,
    )
  ).end;
};

/** A step at full load: all samples come within `spread` times the time that judging all of them takes. */
async function ofSpread(
  load: EarlyLoad,
  { rollouts, max }: EarlyLoad["sizes"][number],
  spread: number,
  unit_s: number,
) {
  const steps: BothArms[] = [];
  for (let seed = 1; seed <= load.repeats; seed++) {
    const drawn = Array.from({ length: load.groups }, () => ({ rollouts, over_s: spread * unit_s }));
    steps.push(await bothArms(load, stepOf(load, randomOf(rollouts, seed), 0, drawn)));
  }
  const label = `K = ${rollouts}, arrivals spread over ${spread} x the judging time`;
  const wait = (arm: keyof BothArms) => steps.map((step) => waited(step[arm]));
  const later = { max: LATER_MOST };
  const wasted = steps.map(({ early: { asked, used } }) => asked / used - 1);
  return [
    figure(`${label}: last arrival to reward, gathered`, "s", null, wait("gathered")),
    figure(`${label}: last arrival to reward, early`, "s", null, wait("early")),
    figure(`${label}: early over gathered`, "times", spread === 2 ? { max } : null, over(steps, waited)),
    figure(`${label}: early over gathered, p99 of groups`, "times", later, over(steps, slowest)),
    figure(`${label}: end of the step, early over gathered`, "times", later, over(steps, ended)),
    figure(
      `${label}: wasted generations with ${100 * load.lost} % lost samples`,
      "share",
      { max: WASTED_MOST },
      wasted,
    ),
  ];
}

const RESAMPLED = 2_000;

/** The p99 over all runs, early over gathered; the interval is of runs drawn with replacement. */
function pooled(name: string, goal: Goal, runs: readonly BothArms[], timesOf: (step: Step) => number[]): Figure {
  const ratio = (some: readonly BothArms[]) =>
    p99(some.flatMap(({ early }) => timesOf(early))) / p99(some.flatMap(({ gathered }) => timesOf(gathered)));
  const random = randomOf("resampled");
  const drawn = Array.from({ length: RESAMPLED }, () =>
    ratio(runs.map(() => runs[Math.floor(random() * runs.length)] as BothArms)),
  ).sort((a, b) => a - b);
  const [min, max] = [percentile(drawn, 0.025), percentile(drawn, 0.975)];
  return { ...figure(name, "times", goal, [ratio(runs)]), min, max, repeats: runs.length };
}

/** Steps of groups that are not alike, under which the next has begun before one has ended. */
async function ofMixedSteps(load: EarlyLoad, load_share: number): Promise<Figure[]> {
  const { steps, sizes, spreads } = load.mixed;
  const pick = <T>(from: readonly T[], at: number) => from[at % from.length] as T;
  const drawnSizes = Array.from({ length: load.groups }, (_, g) => pick(sizes, g));
  const period_s = (await judgedAtOnce(load, drawnSizes)) / load_share;
  const runs: BothArms[] = [];
  // Every size with every spread, in turn.
  const spreadOf = (g: number) => pick(spreads, Math.floor(g / sizes.length));
  for (let seed = 1; seed <= load.mixed.runs; seed++) {
    const random = randomOf("mixed", seed);
    const drawn = drawnSizes.map((rollouts, g) => ({ rollouts, over_s: spreadOf(g) * period_s }));
    const arrivals = Array.from({ length: steps }, (_, i) => stepOf(load, random, i * period_s, drawn));
    runs.push(await bothArms(load, arrivals.flat()));
  }
  const all = ({ waits }: Step) => waits;
  const atOnce = ({ waits }: Step) => waits.filter((_, g) => spreadOf(g % load.groups) === 0);
  const label = `mixed steps at ${100 * load_share} % of capacity`;
  const later = { max: LATER_MOST };
  return [
    figure(`${label}: time between steps`, "s", null, [period_s]),
    figure(`${label}: mean reply time, early over gathered`, "times", null, over(runs, waited)),
    figure(`${label}: p99 of reply times, early over gathered, per run`, "times", null, over(runs, slowest)),
    pooled(`${label}: p99 of reply times, early over gathered (95 % interval)`, later, runs, all),
    pooled(`${label}: p99 of groups that arrive at once, early over gathered (95 % interval)`, later, runs, atOnce),
  ];
}

/** Steps at full load, and mixed ones. */
export async function benchEarly(load: EarlyLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of load.sizes) {
    const { rollouts } = size;
    const unit_s = await judgedAtOnce(load, new Array(load.groups).fill(rollouts));
    figures.push(
      figure(`K = ${rollouts}: judging time of ${load.groups} groups that arrive at once`, "s", null, [unit_s]),
    );
    for (const spread of load.spreads) figures.push(...(await ofSpread(load, size, spread, unit_s)));
  }
  for (const share of load.mixed.loads) figures.push(...(await ofMixedSteps(load, share)));
  return figures;
}
