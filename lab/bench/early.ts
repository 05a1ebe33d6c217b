// Owns the benchmark of asking before a group is complete, against gathering and then judging: the
// product's journal, judging and scheduler on a simulated engine, in virtual time.
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean, percentile } from "../../src/core/math/stats.ts";
import { type SpecInput, SpecSchema } from "../../src/core/reward/flat-spec.ts";
import { GroupJournal } from "../../src/objects/gathering/group-journal.ts";
import { createEarlyJudge, createGroupJudge } from "../../src/objects/gathering/judge-group.ts";
import { createRoomStore } from "../../src/objects/gathering/room-store.ts";
import { memoryValues } from "../../src/objects/storage/memory.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { programOf, questionOf } from "./early-stop-load.ts";
import { type Figure, figure } from "./figures.ts";
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
  sizes: readonly { rollouts: number; most: number }[];
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
}

/** Seconds at which each member comes, by group; Infinity: never. */
type Arrivals = readonly (readonly number[])[];

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

function arrivalsOf({ groups, lost }: EarlyLoad, rollouts: number, over_s: number, loses: boolean, seed: number) {
  const random = createRandom(hashText("early", rollouts, seed));
  return Array.from({ length: groups }, () =>
    Array.from({ length: rollouts }, () => {
      const at = over_s * random();
      return random() < lost && loses ? Number.POSITIVE_INFINITY : at;
    }),
  );
}

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
async function runStep(load: EarlyLoad, arrivals: Arrivals, early: boolean, judge: SpecInput["judge"]): Promise<Step> {
  const engine = new VirtualEngine(MODEL, SEED, load.in_flight);
  const { verifier, clock } = virtualGateway(engine, MODEL);
  const step: Step = { waits: [], end: 0, asked: 0, used: 0, rewards: [] };
  let asked = () => {};
  const counting = counted(verifier, (_, generations) => {
    step.asked += generations;
    asked();
  });
  const deps = { ...IDLE, verifier: counting, clock };
  const judges = { early: createEarlyJudge(deps), whole: createGroupJudge(deps) };
  const spec = SpecSchema.parse({ judge, candidate: { extract: "whole" }, reward: "strength" });
  const last = Math.max(...arrivals.flat().filter(Number.isFinite));
  let open = 0;
  const begun = (work: Promise<unknown>) => {
    open++;
    const ended = work.finally(() => open--);
    return Promise.race([ended, new Promise<void>((resolve) => (asked = resolve))]);
  };

  const moments = arrivals.flatMap((times, g) => {
    const journal = new GroupJournal(createRoomStore(memoryValues(() => undefined)), 0, () => {});
    const order = [...times.keys()].sort((a, b) => (times[a] as number) - (times[b] as number));
    const come = order.filter((r) => Number.isFinite(times[r]));
    const members = come.map((r) => ({ rollout: { text: programOf(`${g}`, r, "even") }, language: null }));
    const subject = { room: `${g}`, prompt: questionOf(`${g}`), spec, run_id: null, step: null, key_name: null };
    const about = { request_id: `group-${g}`, subject, deadline_ms: DEADLINE_MS };
    const closes = come.length < times.length ? last : (times[come.at(-1) as number] as number);
    const whole = async () => {
      const { journal: taken } = journal.ofWhole(about.request_id);
      const work = { ...about, logs: false, warnings: [], group_id: `${g}`, members, journal: taken };
      const { groups, rewards } = await judges.whole(work);
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
          ...about,
          members: members.slice(0, i + 2),
          journal: journal.ofEarly(about.request_id),
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
const IDLE = { runLog: undefined as never, metrics: undefined as never, report: () => {} };

const p99 = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.99,
  );

/** Steps at full load: all samples come within so many times of what judging all of them takes. */
export async function benchEarly(load: EarlyLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { rollouts, most } of load.sizes) {
    const atOnce = arrivalsOf(load, rollouts, 0, false, 0);
    const { end: judging_s } = await runStep(load, atOnce, false, {});
    const name = `K = ${rollouts}`;
    figures.push(figure(`${name}: a step of ${load.groups} groups, judged at once`, "s", null, [judging_s]));
    for (const spread of load.spreads) {
      const steps: { gathered: Step; early: Step }[] = [];
      for (let seed = 1; seed <= load.repeats; seed++) {
        const arrivals = arrivalsOf(load, rollouts, spread * judging_s, true, seed);
        const gathered = await runStep(load, arrivals, false, {});
        const early = await runStep(load, arrivals, true, {});
        if (JSON.stringify(gathered.rewards) !== JSON.stringify(early.rewards)) throw new Error("other rewards");
        steps.push({ gathered, early });
      }
      const of = `${name}, samples over ${spread} x that`;
      const over = (value: (step: Step) => number) =>
        steps.map(({ gathered, early }) => value(early) / value(gathered));
      const waited = ({ waits }: Step) => mean(waits);
      figures.push(
        figure(
          `${of}: last arrival to reward, gathered`,
          "s",
          null,
          steps.map(({ gathered }) => waited(gathered)),
        ),
        figure(
          `${of}: last arrival to reward, early`,
          "s",
          null,
          steps.map(({ early }) => waited(early)),
        ),
        figure(`${of}: early over gathered`, "times", spread === 2 ? { most } : null, over(waited)),
        figure(
          `${of}: the same, p99 of groups`,
          "times",
          { most: LATER_MOST },
          over(({ waits }) => p99(waits)),
        ),
        figure(
          `${of}: the step's end`,
          "times",
          { most: LATER_MOST },
          over(({ end }) => end),
        ),
        figure(
          `${of}: wasted generations with ${100 * load.lost} % lost samples`,
          "share",
          { most: WASTED_MOST },
          steps.map(({ early: { asked, used } }) => asked / used - 1),
        ),
      );
    }
  }
  return figures;
}
