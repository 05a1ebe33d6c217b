// Holds that who is too long for an engine is found through both protocols, with the real gateway
// between: the engine's words, and copies of one candidate side by side.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { answer, contextLength, status } from "../harness/mock-behaviours.ts";
import { type Behaviour, type MockBody, type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

const CONTEXT_CHARS = 48_000;

/** Takes the first candidate that prints the largest number, and only what fits and is allowed. */
function behave({ messages }: MockBody): Behaviour {
  const prompt = messages.map(({ content }) => content).join("\n");
  if (prompt.length > CONTEXT_CHARS) return contextLength();
  if (prompt.includes("forbidden")) return status(400, {}, { code: "content_filter" });
  const values = [...prompt.matchAll(/print\((\d)\)/g)].map(([, digit]) => Number(digit));
  return answer(`\\boxed{${String.fromCharCode(65 + values.indexOf(Math.max(...values)))}}`);
}

let engine: MockVerifier;
let gateway: Gateway;
const verifiers: Record<string, Verifier> = {};
beforeAll(async () => {
  engine = await startMockVerifier(({ body }) => behave(body));
  gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    pool: createEnginePool({ urls: [engine.url], model: "mock-model", apiKey: null }),
  });
  verifiers.openai = createOpenAiVerifier({ url: engine.url, model: "mock-model", apiKey: null }, clock);
  verifiers.verify = createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock);
});
afterAll(async () => {
  await gateway.close(0);
  await engine.close();
});

const fenced = (value: number, comment: string) => ({ text: `\`\`\`python\nprint(${value})\n# ${comment}\n\`\`\`` });
const LONG = fenced(9, "x".repeat(60_000));
const BAD = fenced(8, "forbidden");
const [TWO, ONE] = [fenced(2, "short"), fenced(1, "short")];

it.each(["openai", "verify"])("%s", async (protocol) => {
  const request = RewardsRequestSchema.parse({
    groups: [
      [LONG, TWO],
      [LONG, TWO, ONE],
      [BAD, TWO],
      [BAD, TWO, ONE],
      [LONG, BAD, TWO, ONE],
    ].map((rollouts, g) => ({
      prompt: `Print the largest. ${g}`,
      rollouts,
    })),
  });
  const rewardsBy = async (mode: "pairwise" | "listwise") => {
    const verifier = verifiers[protocol] as Verifier;
    const spec = SpecSchema.parse({ judge: { mode } });
    const signal = new AbortController().signal;
    const { reply } = await scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
    expect(reply.warnings).toEqual(["does_not_fit"]);
    return reply.rewards;
  };
  const expected = [
    [-1, 1],
    [-1, 1, 0.5],
    [-1, 1],
    [-1, 1, 0.5],
    [-1, -1, 1, 2 / 3],
  ];
  expect(await rewardsBy("pairwise")).toEqual(expected);
  expect(await rewardsBy("listwise")).toEqual(expected);
});
