// The simulator as the judge of every preset, over HTTP: each answer is read by the preset's own
// parser, right as often as the noise model says, and null where the form is spoilt.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { letterProbabilities } from "../../../gpu-backend/engines/simulator/noise.ts";
import { noiseParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import { type RunningSimulator, startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { PRESETS } from "../../../lab/templates/index.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { ParserSettings } from "../../../src/core/judges/parsers/table.ts";
import type { Preset } from "../../../src/core/judges/presets/preset.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Verifier } from "../../../src/ports/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { setUp } from "../../api/routes/harness.ts";

const clock = systemClock;
const about = { model: "sim-7b", apiKey: null };
const GROUPS = 48;
const SIGMAS = 4;

// The bias of A would come in by which of a pair is shown first.
const noise = { discrimination: 2, lapse_rate: 0.1, position_bias: 0, loop_rate: 0, thinking_median_tokens: 8 };
const parameters = { ...noiseParameters("sim-7b"), ...noise };

const start = (parse_rate: number) =>
  startSimulator({ model: "sim-7b", scale: "instant", seed: 11, noise: { ...noise, parse_rate } });

const isAlone = ({ shape }: Preset) => shape !== "pair" && shape !== "list";

/** Groups of labelled answers, no two of them alike. */
const groupsOf = (rates: readonly number[], count = GROUPS) =>
  Array.from({ length: count }, (_, g) => ({
    prompt: `Question ${g}?`,
    reference: "right",
    rollouts: rates.map((rate, r) => {
      const steps = ["Let me see.", `Answer ${g}.${r}\n# pass_rate=${rate}`];
      return { text: steps[1], step_texts: steps, pass_rate: rate };
    }),
  }));

async function judged(verifier: Verifier, name: string, rates: readonly number[], count = GROUPS) {
  const preset = PRESETS[name] as Preset;
  const judge = {
    preset: name,
    reask: 0,
    max_tokens: 2_048,
    ...(rates.length > 2 && !isAlone(preset) && { mode: "listwise" }),
  };
  const alone = preset.shape === "steps" ? { kind: "steps", source: "judge", judge } : { kind: "grade", judge };
  const quality = isAlone(preset) ? alone : { kind: "tournament", judge };
  const spec = { candidate: { extract: "whole" }, signals: { quality } };
  const response = await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups: groupsOf(rates, count) });
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return reply;
}

function expectShare(hits: number, p: number, count: number): void {
  expect(Math.abs(hits / count - p)).toBeLessThanOrEqual(SIGMAS * Math.sqrt((p * (1 - p)) / count));
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** The chance that one candidate is given more than the middle of a scale, or passes. */
function aboveMiddle(rate: number, parser: ParserSettings): number {
  const [low, high] = ("range" in parser ? parser.range : undefined) ?? [0, 1];
  const steps = high - low;
  // The level from which a mark is rounded to above the middle; a label passes from 1/2 on.
  const level = steps > 1 ? (Math.floor(steps / 2) + 0.5) / steps : 0.5;
  const { discrimination: d, lapse_rate } = parameters;
  const against = 2 * d * (level - 0.5);
  return (1 - lapse_rate) * sigmoid(d * (2 * rate - 1) - against) + lapse_rate * sigmoid(-against);
}

describe.each(Object.entries(PRESETS))("%s", (name, preset) => {
  let clear: RunningSimulator;
  let noisy: RunningSimulator;
  beforeAll(async () => {
    [clear, noisy] = await Promise.all([start(1), start(0.6)]);
  });
  afterAll(() => Promise.all([clear.close(), noisy.close()]));

  const through = (engine: RunningSimulator) =>
    createOpenAiVerifier({ ...about, url: engine.url, simulated: true }, clock);

  test.runIf(isAlone(preset))("every answer parses, and one candidate passes as often as stated", async () => {
    const { rewards, metrics } = await judged(through(clear), name, [1, 0, 0.6]);
    expect(metrics.parse_rate).toBe(1);
    for (const [r, rate] of [1, 0, 0.6].entries()) {
      const above = rewards.filter((group) => (group[r] as number) > 0.5).length;
      expectShare(above, aboveMiddle(rate, preset.parser), GROUPS);
    }
  });

  test.runIf(!isAlone(preset))("every answer parses, and the better of two wins as often as stated", async () => {
    const { rewards, metrics } = await judged(through(clear), name, [1, 0.2]);
    expect(metrics.parse_rate).toBe(1);
    const [right] = letterProbabilities([1, 0.2], parameters) as [number];
    expectShare(rewards.filter(([first]) => first === 1).length, right, GROUPS);
  });

  test.runIf(preset.shape === "list")("the best of a list is chosen as often as stated", async () => {
    const rates = [0.3, 1, 0.1, 0.5];
    const { groups, metrics } = await judged(through(clear), name, rates);
    expect(metrics.parse_rate).toBe(1);
    const right = letterProbabilities(rates, parameters)[1] as number;
    expectShare(groups.filter(({ selected }) => selected === 1).length, right, GROUPS);
  });

  test("a spoilt form is null with the code, never a half, and as frequent as stated", async () => {
    const { groups } = await judged(through(noisy), name, [1, 0]);
    const rollouts = groups.flatMap((group) => group.rollouts);
    const unread = rollouts.filter(({ reward }) => reward === null);
    expect(new Set(unread.map(({ error }) => error))).toEqual(new Set(["unparsed"]));
    // Both of a pair depend on one answer.
    const answers = isAlone(preset) ? 1 : 2;
    // In two turns either may be spoilt.
    const share = preset.summary ? 1 - 0.6 ** 2 : 0.4;
    expectShare(unread.length / answers, share, rollouts.length / answers);
    // Where it may name both, a half is what it said.
    const mayTie = isAlone(preset) || ("many" in preset.parser && preset.parser.many);
    if (!mayTie) expect(rollouts.filter(({ reward }) => reward === 0.5)).toEqual([]);
  });

  test("the gateway asks it in the same words", async () => {
    const pool = createEnginePool({ urls: [clear.url], ...about, simulated: true, maxInFlight: 16 });
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
    try {
      const verifier = createGatewayVerifier({ ...about, url: gateway.url }, clock);
      const direct = await judged(through(clear), name, [1, 0.2], 8);
      const relayed = await judged(verifier, name, [1, 0.2], 8);
      expect(relayed.metrics.parse_rate).toBe(1);
      expect(relayed.rewards).toEqual(direct.rewards);
    } finally {
      await gateway.close(0);
    }
  });
});
