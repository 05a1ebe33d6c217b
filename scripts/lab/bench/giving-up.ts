// Owns the benchmark of questions given up while they run: tokens and time of `winner` whose gateway
// ends them, against one that lets them run. The product's scoring over the gateway's scheduler on a
// simulated engine, in virtual time.
import type { ModelName } from "../../../gpu-backend/engines/simulator/parameters.ts";
import { SpecSchema } from "../../../src/core/signals/flat-spec.ts";
import { RewardsRequestSchema } from "../../../src/core/signals/requests.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { programOf, questionOf } from "./early-stop-load.ts";
import { type Figure, figure } from "./figures.ts";
import { VirtualEngine } from "./virtual-engine.ts";
import { virtualGateway } from "./virtual-gateway.ts";

const SEED = 7;

export interface GivingUpLoad {
  models: readonly ModelName[];
  /** Candidates of a group. */
  rollouts: readonly number[];
  groups: number;
  /** Generations at the engine at most: of a busy one few, of an idle one all that are asked. */
  in_flight: { busy: number; idle: number };
}

interface Ran {
  tokens: number;
  seconds: number;
  selected: (number | null)[];
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Groups one after another on an idle engine, or all at once on a busy one. */
async function run(
  model: ModelName,
  rollouts: number,
  names: readonly string[],
  in_flight: number,
  ends: boolean,
): Promise<Ran> {
  const engine = new VirtualEngine(model, SEED, in_flight);
  const { verifier, clock } = virtualGateway(engine, model, ends);
  const groups = names.map((name) => ({
    prompt: questionOf(name),
    rollouts: Array.from({ length: rollouts }, (_, r) => ({ text: programOf(name, r, "even") })),
  }));
  const request = RewardsRequestSchema.parse({ groups });
  const spec = SpecSchema.parse({ judge: { schedule: "winner" }, candidate: { extract: "whole" }, reward: "top1" });
  const about = { request, spec, started_ms: clock.now(), signal: new AbortController().signal };
  const asked = { open: true };
  const scored = scoreBatch({ verifier, clock }, about).finally(() => {
    asked.open = false;
  });
  while (asked.open) {
    const next = engine.nextAt();
    if (Number.isFinite(next)) engine.advance(next);
    await turn();
  }
  const { reply } = await scored;
  return {
    tokens: engine.tokens_generated,
    seconds: engine.now,
    selected: reply.groups.map(({ selected }) => selected),
  };
}

/** @throws Error where a group's selected rollout hangs on whether anything was ended */
export async function benchGivingUp(load: GivingUpLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  const names = Array.from({ length: load.groups }, (_, g) => `g${g}`);
  for (const model of load.models) {
    for (const rollouts of load.rollouts) {
      for (const state of ["idle", "busy"] as const) {
        const batches = state === "busy" ? [names] : names.map((name) => [name]);
        const total = { with: 0, without: 0, seconds: 0, secondsWithout: 0 };
        for (const batch of batches) {
          const [ended, whole] = [true, false].map((ends) =>
            run(model, rollouts, batch, load.in_flight[state], ends),
          ) as [Promise<Ran>, Promise<Ran>];
          const [one, other] = [await ended, await whole];
          if (`${one.selected}` !== `${other.selected}`) throw new Error(`${model}: another rollout is selected`);
          total.with += one.tokens;
          total.without += other.tokens;
          total.seconds += one.seconds;
          total.secondsWithout += other.seconds;
        }
        const about = `${model}, n = ${rollouts}, ${state} engine`;
        figures.push(
          figure(`${about}: tokens a group, all run to their end`, "tokens", null, [total.without / load.groups]),
          figure(`${about}: of them with what is given up ended`, "share", { most: 1 }, [total.with / total.without]),
          figure(`${about}: time, over that`, "times", null, [total.seconds / total.secondsWithout]),
        );
      }
    }
  }
  return figures;
}
