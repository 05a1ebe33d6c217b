// `judge.think` against the simulator: a thought cut at `first` goes on under the same seed, so that
// rewards are those of asking with all tokens at once, and every token is counted.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSimulator, startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import type { Verifier } from "../../../src/scoring/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { setUp } from "../../api/routes/harness.ts";

const clock = { now: () => performance.now(), date: () => new Date() };
const [FIRST, THEN] = [60, 4000];

let engine: RunningSimulator;
let gateway: Gateway;
let verifiers: Record<"openai" | "verify", Verifier>;
beforeAll(async () => {
  const noise = { thinking_median_tokens: FIRST, thinking_sigma: 0.5, parse_rate: 1, loop_rate: 0 };
  engine = await startSimulator({ model: "sim-7b", scale: "instant", seed: 7, noise });
  const pool = createEnginePool({ urls: [engine.url], model: "sim-7b", apiKey: null, maxInFlight: 16 });
  gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  verifiers = {
    openai: createOpenAiVerifier({ url: engine.url, model: "sim-7b", apiKey: null }, clock),
    verify: createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock),
  };
});
afterAll(async () => {
  await gateway.close(0);
  await engine.close();
});

async function judged(verifier: Verifier, judge: Record<string, unknown>) {
  const rollouts = [0.1, 0.3, 0.5, 0.7, 0.9].map((rate) => ({ text: `Answer\n# pass_rate=${rate}` }));
  const spec = { candidate: { extract: "whole" }, judge: { prompt: "text-select", ...judge } };
  const body = { spec, groups: [{ prompt: "Which?", rollouts }] };
  const response = await setUp({ verifier, clock }).post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return { rewards: reply.rewards[0], use: (reply.groups[0] as NonNullable<(typeof reply.groups)[0]>).verifier };
}

describe.each(["openai", "verify"] as const)("through %s", (protocol) => {
  test("one vote a pair comes to the rewards of all tokens at once, for the tokens of both askings", async () => {
    const whole = await judged(verifiers[protocol], { max_tokens: THEN });
    const think = await judged(verifiers[protocol], { think: { first: FIRST, then: THEN } });
    expect(think.rewards).toEqual(whole.rewards);
    const { generations, cut_short = 0, completion_tokens, unparsed } = think.use;
    expect(unparsed).toBe(0);
    expect(cut_short).toBeGreaterThan(0);
    expect(cut_short).toBeLessThan(10);
    expect(generations).toBe(10 + cut_short);
    expect(completion_tokens).toBe(whole.use.completion_tokens + cut_short * FIRST);
  });
});
