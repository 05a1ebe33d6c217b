// The benchmark of schedules in waves: how much longer a step takes than one wave of as many questions. The
// product's scoring over the gateway's scheduler on a simulated engine, in virtual time.
import { mean } from "../../src/core/math/stats.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { arrivals, programOf, questionOf } from "./early-stop-load.ts";
import { type Figure, figure } from "./figures.ts";
import { VirtualEngine } from "./virtual-engine.ts";
import { virtualGateway } from "./virtual-gateway.ts";

const MODEL = "sim-14b";
const SEED = 5;
/** A step in waves may take this many times as long as one wave of as many questions. */
const WAVES_MOST = 1.3;

export interface WavesLoad {
  /** Candidates of a group. */
  rollouts: number;
  /** Groups of the one large step. */
  groups: number;
  /** Groups of each of the many small steps, and how many of these come. */
  small: { groups: number; steps: number };
  /** Arrivals of small steps as a share of what the engine sustains of them. */
  load_share: number;
  /** Generations the gateway has at the engine at most. */
  in_flight: number;
}

/** What is asked in waves: by name, a judge's settings. */
const IN_WAVES: Readonly<Record<string, SpecInput["judge"]>> = {
  swiss: { schedule: "swiss" },
  knockout: { schedule: "knockout" },
  pivot: { schedule: "pivot" },
  "active, a quarter": { schedule: "active", budget: { ratio: 0.25 } },
  "active, half": { schedule: "active", budget: { ratio: 0.5 } },
  "sequential samples": { schedule: "swiss", samples: { min: 2, max: 8 } },
};

interface Ran {
  /** Seconds of each step, from its arrival to its reply. */
  seconds: number[];
  /** Generations of each group of each step. */
  generations: number[][];
  /** When the last step was done, s. */
  end: number;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Steps of groups at `starts` seconds, each one request, on a fresh engine. */
async function run(
  load: WavesLoad,
  groups: number,
  starts: readonly number[],
  judgeOf: (step: number) => SpecInput["judge"],
): Promise<Ran> {
  const engine = new VirtualEngine(MODEL, SEED, load.in_flight);
  const { verifier, clock } = virtualGateway(engine, MODEL);
  const ran: Ran = { seconds: [], generations: [], end: 0 };
  let open = 0;
  const send = async (step: number) => {
    open++;
    const at = engine.now;
    const request = RewardsRequestSchema.parse({ groups: groupsOf(load, groups, step) });
    const spec = SpecSchema.parse({ judge: judgeOf(step), candidate: { extract: "whole" }, reward: "strength" });
    const batch = { request, spec, started_ms: clock.now(), signal: new AbortController().signal };
    const { reply } = await scoreBatch({ verifier, clock }, batch);
    ran.seconds[step] = engine.now - at;
    ran.generations[step] = reply.groups.map(({ verifier: { generations } }) => generations);
    ran.end = engine.now;
    open--;
  };
  for (let sent = 0; sent < starts.length || open > 0; ) {
    const start = starts[sent] ?? Number.POSITIVE_INFINITY;
    const next = Math.min(start, engine.nextAt());
    // Nothing runs: the edge is still at work, which takes no virtual time.
    if (Number.isFinite(next)) engine.advance(next);
    if (next === start && Number.isFinite(start)) void send(sent++);
    await turn();
  }
  return ran;
}

const groupsOf = ({ rollouts }: WavesLoad, groups: number, step: number) =>
  Array.from({ length: groups }, (_, g) => ({
    prompt: questionOf(`${step}-${g}`),
    rollouts: Array.from({ length: rollouts }, (_, r) => ({ text: programOf(`${step}-${g}`, r, "even") })),
  }));

/**
 * One wave of as many generations: the pairs of a round robin that a budget of them pays, sampled
 * as often as it takes.
 */
function oneWave(generations: number, rollouts: number): SpecInput["judge"] {
  const samples = Math.ceil(generations / ((rollouts * (rollouts - 1)) / 2));
  return { schedule: "round_robin", both_orders: false, samples, budget: { generations: Math.round(generations) } };
}

/**
 * By schedule: one large step alone, and small ones that come by chance, against one wave of as
 * many questions.
 */
export async function benchWaves(load: WavesLoad, names: readonly string[] = Object.keys(IN_WAVES)): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of names) {
    const judge = IN_WAVES[name];
    const large = await run(load, load.groups, [0], () => judge);
    const asked = mean(large.generations.flat());
    const whole = await run(load, load.groups, [0], () => oneWave(asked, load.rollouts));
    const goal = { max: WAVES_MOST };
    const ratio = large.end / whole.end;
    figures.push(
      figure(`${name}: generations per group`, "generations", null, [asked]),
      figure(`${name}: step of ${load.groups} groups, same comparisons in one wave`, "s", null, [whole.end]),
      figure(`${name}: step of ${load.groups} groups, relative to one wave`, "times", goal, [ratio]),
    );
    const alone = await run(load, 1, [0], () => judge);
    const singleWave = await run(load, 1, [0], () => oneWave(mean(alone.generations.flat()), load.rollouts));
    figures.push(figure(`${name}: a group alone, relative to one wave`, "times", null, [alone.end / singleWave.end]));
    const { groups, steps } = load.small;
    const gap = (whole.end * groups) / load.groups / load.load_share;
    const starts = arrivals(steps, gap, SEED);
    const waves = await run(load, groups, starts, () => judge);
    const ones = await run(load, groups, starts, (step) =>
      oneWave(mean(waves.generations[step] as number[]), load.rollouts),
    );
    figures.push(
      figure(`${name}: steps of ${groups} groups under load, mean in one wave`, "s", null, [mean(ones.seconds)]),
      figure(`${name}: steps of ${groups} groups under load, mean relative to one wave`, "times", null, [
        mean(waves.seconds) / mean(ones.seconds),
      ]),
      figure(`${name}: steps under load, end of the last, relative to one wave`, "times", goal, [waves.end / ones.end]),
    );
  }
  return figures;
}
