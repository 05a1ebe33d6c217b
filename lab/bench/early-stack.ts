// The benchmark of asking before a group is complete on the real stack: Worker in workerd, gateway and an
// engine of a fixed time a generation. Its goals are early.ts's.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { hashText } from "../../src/core/math/random.ts";
import { mean } from "../../src/core/math/stats.ts";
import { answer } from "../../test/harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../../test/harness/mock-verifier.ts";
import { type EarlyLoad, type GroupArrivals, randomOf, stepOf } from "./early.ts";
import { programOf, questionOf } from "./early-stop-load.ts";
import { post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { startProgram } from "./program.ts";
import { type BareWorkerd, startWorkerd } from "./workerd.ts";

export interface EarlyStackLoad {
  sizes: EarlyLoad["sizes"];
  /** Groups of a step, all gathering at once. */
  groups: readonly number[];
  /** How long a step's samples come, in times of what judging all of it takes. */
  spread: number;
  /** Duration of each generation, ms, and how many the engine takes at a time. */
  generation_ms: number;
  slots: number;
  /** Steps of other arrivals each. */
  repeats: number;
}

interface StackStep {
  /** Seconds from a group's last arrival to its last reward, by group. */
  waits: number[];
  /** Seconds from the step's begin to its last reward. */
  end: number;
  /** Questions that the engine was sent. */
  asked: number;
  /** Those among them that left before their group was complete. */
  early: number;
  rewards: number[][];
}

interface Parts {
  engine: MockVerifier;
  /** By EARLY_JUDGING. */
  edges: { off: BareWorkerd; on: BareWorkerd };
}

type ArmName = keyof Parts["edges"];

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** Says the same of the same texts in the same order, whoever asks and whenever. */
const engineOf = ({ generation_ms }: EarlyStackLoad) =>
  startMockVerifier(
    ({ body }) => {
      const letter = hashText(...body.messages.map(({ content }) => content))[0] % 2 === 0 ? "A" : "B";
      return answer(`\\boxed{${letter}}`, { before_headers: pause(generation_ms) });
    },
    { keep_bodies: false },
  );

async function withStack<T>(script: WorkerModules, load: EarlyStackLoad, run: (parts: Parts) => Promise<T>) {
  const engine = await engineOf(load);
  const closers = [() => engine.close()];
  try {
    const model = { ENGINE_MODEL: "mock-model", ENGINE_MAX_IN_FLIGHT: `${load.slots}` };
    const gateway = await startProgram("gpu-backend/gateway/main.ts", { PORT: "0", ENGINE_URL: engine.url, ...model });
    closers.push(() => gateway.close());
    const edge = async (EARLY_JUDGING: ArmName) => {
      const vars = { VERIFIER_URL: gateway.url, VERIFIER_PROTOCOL: "verify", EARLY_JUDGING };
      const started = await startWorkerd({ script, objects: true, vars });
      closers.push(() => started.close());
      return started;
    };
    return await run({ engine, edges: { off: await edge("off"), on: await edge("on") } });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** @param id what no other step's prompts have; the same for both arms, whose rewards are compared */
async function runStep(
  { engine, edges }: Parts,
  arm: ArmName,
  arrivals: readonly GroupArrivals[],
  id: string,
): Promise<StackStep> {
  const query = `format=object&group_size=${arrivals[0]?.times.length}&tries=1&deadline_ms=600000`;
  const before = engine.log.length;
  const began = performance.now();
  const now_s = () => (performance.now() - began) / 1_000;
  const groups = await Promise.all(
    arrivals.map(async ({ times }, g) => {
      const name = `${id}-${g}`;
      const samples = times.map(async (at, r) => {
        const response = `\`\`\`python\n${programOf(name, r, "even")}\`\`\``;
        const body = JSON.stringify({ prompt: questionOf(name), response, label: "" });
        await pause(1_000 * (at - now_s()));
        const reply = await post(`${edges[arm].url}/slime/reward?${query}`, body);
        return JSON.parse(reply) as { score: number; rm_early: number };
      });
      const replies = await Promise.all(samples);
      return { replies, wait: now_s() - Math.max(...times) };
    }),
  );
  return {
    waits: groups.map(({ wait }) => wait),
    end: now_s(),
    asked: engine.log.length - before,
    early: groups.reduce((sum, { replies }) => sum + (replies[0]?.rm_early ?? 0), 0),
    rewards: groups.map(({ replies }) => replies.map(({ score }) => score)),
  };
}

async function ofSize(parts: Parts, load: EarlyStackLoad, size: EarlyLoad["sizes"][number], groups: number) {
  const { rollouts, max } = size;
  const step = (arm: ArmName, over_s: number, seed: string) => {
    const drawn = Array.from({ length: groups }, () => ({ rollouts, over_s }));
    const arrivals = stepOf({ lost: 0 }, randomOf("stack", groups, rollouts, seed), 0, drawn);
    return runStep(parts, arm, arrivals, `${groups}-${rollouts}-${seed}`);
  };
  const unit_s = (await step("off", 0, "unit")).end;
  const off: StackStep[] = [];
  const on: StackStep[] = [];
  for (let seed = 1; seed <= load.repeats; seed++) {
    off.push(await step("off", load.spread * unit_s, `${seed}`));
    on.push(await step("on", load.spread * unit_s, `${seed}`));
    if (JSON.stringify(off.at(-1)?.rewards) !== JSON.stringify(on.at(-1)?.rewards))
      throw new Error("early and gathered judging gave different rewards");
  }
  const ratio = (value: (step: StackStep) => number) => on.map((early, i) => value(early) / value(off[i] as StackStep));
  const wait = ({ waits }: StackStep) => mean(waits);
  const label = `K = ${rollouts}, ${groups === 1 ? "one group alone" : `${groups} groups`}, arrivals spread over ${load.spread} x the judging time`;
  // An engine that is idle has nothing to gain but waves.
  const goal = groups === 1 ? null : { max };
  return [
    figure(`${label}: judging time when all arrive at once`, "s", null, [unit_s]),
    figure(`${label}: last arrival to last reward, gathered`, "s", null, off.map(wait)),
    figure(`${label}: last arrival to last reward, early`, "s", null, on.map(wait)),
    figure(`${label}: early over gathered`, "times", goal, ratio(wait)),
    figure(
      `${label}: early over gathered, slowest group`,
      "times",
      null,
      ratio(({ waits }) => Math.max(...waits)),
    ),
    figure(
      `${label}: end of the step, early over gathered`,
      "times",
      null,
      ratio(({ end }) => end),
    ),
    figure(
      `${label}: comparisons sent before the last arrival`,
      "share",
      { min: 0.01 },
      on.map(({ asked, early }) => early / asked),
    ),
    figure(
      `${label}: generations, early over gathered`,
      "times",
      null,
      ratio(({ asked }) => asked),
    ),
  ];
}

/** One group on an idle engine and as many as keep it full; the rewards of both arms must be equal. */
export function benchEarlyStack(script: WorkerModules, load: EarlyStackLoad): Promise<Figure[]> {
  return withStack(script, load, async (parts) => {
    const figures: Figure[] = [];
    for (const groups of load.groups) {
      for (const size of load.sizes) figures.push(...(await ofSize(parts, load, size, groups)));
    }
    return figures;
  });
}
