// A run of 137 steps with 400 KiB of results before verifiers that cannot hold it: through both
// protocols, with the engines' own words, it is shown shorter until it fits.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningSimulator, startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { TOO_LONG } from "../harness/engine-refusals.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type Behaviour, type MockBody, startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

const SURE = { parse_rate: 1, lapse_rate: 0, loop_rate: 0, thinking_median_tokens: 50, thinking_sigma: 0 };
const STEPS = 137;
const RESULT_CHARS = Math.ceil((400 * 1024) / STEPS);
const commands = Array.from({ length: STEPS }, (_, i) => `sed -n ${i}p f${i}.py`);

/** @param last what it ends in */
const longRun = (last: string) => ({
  messages: commands.flatMap((cmd, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `c${i}`, type: "function", function: { name: "bash", arguments: i === STEPS - 1 ? last : cmd } },
      ],
    },
    {
      role: "tool",
      tool_call_id: `c${i}`,
      content: `${i}: ${"line of a file\n".repeat(RESULT_CHARS)}`.slice(0, RESULT_CHARS),
    },
  ]),
});
const SHORT = { messages: [{ role: "assistant", content: "I gave up at once." }] };
const GOOD = longRun("python -m pytest");
const BAD = longRun("rm -rf / ");
const PAIR = { candidate: { extract: "whole" }, judge: { preset: "trajectory-pair" } };
const POINT = {
  candidate: { extract: "whole" },
  signals: { it: { kind: "grade", judge: { preset: "yes-no", max_tokens: 512 } } },
};

async function score(verifier: Verifier, rollouts: object[], given: object) {
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Mend f3.py.", rollouts }] });
  const { signal } = new AbortController();
  const spec = SpecSchema.parse(given);
  const { reply } = await scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
  const [group] = reply.groups;
  if (group === undefined) throw new Error("one group was asked");
  return { group, told: group.rollouts.map(({ reward, error }) => error ?? reward) };
}

const promptOf = ({ messages }: MockBody) => messages.map(({ content }) => content).join("\n");
/** Takes the run that deletes nothing, and only what it can hold. */
const judgeOf =
  (chars: number, refusal: Behaviour, asked: string[] = []) =>
  ({ body }: { body: MockBody }): Behaviour => {
    const prompt = promptOf(body);
    asked.push(prompt);
    if (prompt.length > chars) return refusal;
    return answer(prompt.indexOf("rm -rf /") < prompt.indexOf("python -m pytest") ? "[[B]]" : "[[A]]");
  };

async function withJudge(script: ReturnType<typeof judgeOf>, test: (verifier: Verifier) => Promise<void>) {
  const mock = await startMockVerifier(script);
  try {
    await test(createOpenAiVerifier({ url: mock.url, model: "mock-model", apiKey: null }, clock));
  } finally {
    await mock.close();
  }
}

const ENGINES = TOO_LONG.filter(([name]) => /OpenAI|vLLM|SGLang/.test(name));

describe("a pair of such runs", () => {
  it("is shown with every call whole, and the reply says how much of the results", async () => {
    const asked: string[] = [];
    await withJudge(judgeOf(1_000_000, answer(""), asked), async (verifier) => {
      const { group, told } = await score(verifier, [GOOD, BAD], PAIR);
      expect(told).toEqual([1, 0]);
      for (const cmd of commands.slice(0, -1)) expect(asked[0]).toContain(cmd);
      for (const { shown, left_out } of group.rollouts) {
        expect(shown).toBeGreaterThan(0.1);
        expect(shown).toBeLessThan(0.2);
        expect(left_out?.results).toBeGreaterThan(340_000);
      }
    });
  });

  it.each(ENGINES)("is shown shorter until it fits, by the words of %s", async (_, status, body) => {
    const refusal: Behaviour = (reply) => reply.whole(status, { "content-type": "application/json" }, body);
    const asked: string[] = [];
    await withJudge(judgeOf(40_000, refusal, asked), async (verifier) => {
      const { group, told } = await score(verifier, [GOOD, BAD], PAIR);
      expect(told).toEqual([1, 0]);
      expect(group.status).toBe("ok");
      for (const cmd of commands.slice(0, -1)) expect(asked.at(-1)).toContain(cmd);
      const rounds = asked.length;
      expect(group.verifier).toMatchObject({ generations: rounds, failed: rounds - 1, parsed: 1, comparisons: 1 });
      expect(rounds).toBeGreaterThan(2);
    });
  });
});

describe("through the protocols, with an engine of", () => {
  const engines: RunningSimulator[] = [];
  const gateways: Gateway[] = [];
  const verifiers: Record<string, Verifier> = {};
  beforeAll(async () => {
    for (const context_tokens_max of [8_192, 2_048]) {
      const engine = await startSimulator({
        scale: "instant",
        engine: { context_tokens_max },
        noise: SURE,
      });
      const pool = createEnginePool({ urls: [engine.url], model: "sim-14b", apiKey: null });
      const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
      verifiers[`openai ${context_tokens_max}`] = createOpenAiVerifier(
        { url: engine.url, model: "sim-14b", apiKey: null },
        clock,
      );
      verifiers[`verify ${context_tokens_max}`] = createGatewayVerifier(
        { url: gateway.url, model: null, apiKey: null },
        clock,
      );
      engines.push(engine);
      gateways.push(gateway);
    }
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close(0);
    for (const engine of engines) await engine.close();
  });

  it.each(["openai", "verify"])("8,192 tokens it is judged, shorter (%s)", async (protocol) => {
    const { group, told } = await score(verifiers[`${protocol} 8192`] as Verifier, [GOOD, SHORT], POINT);
    expect(told).toEqual([expect.any(Number), expect.any(Number)]);
    expect(group.rollouts[0]?.shown).toBeLessThan(0.1);
    expect(group.rollouts[1]?.shown).toBe(1);
    expect(group.verifier.failed).toBeGreaterThan(0);
    expect(group.verifier.prompt_tokens).toBeGreaterThan(3_000);
  });

  it.each(["openai", "verify"])("2,048 tokens not even own words fit: a loss, as of a text (%s)", async (protocol) => {
    const { group, told } = await score(verifiers[`${protocol} 2048`] as Verifier, [GOOD, SHORT], POINT);
    expect(told).toEqual([0, expect.any(Number)]);
    expect(group.rollouts[0]?.details?.it).toMatchObject({ unreadable: "context_exceeded" });
  });
});
