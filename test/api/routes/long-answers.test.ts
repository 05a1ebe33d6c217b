// Judges that write much around their verdict: what the parser needs of an answer reaches it,
// through the gateway as without one, up to a bound.

import { expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { startMockVerifier } from "../../harness/mock-verifier.ts";
import { setUp } from "./harness.ts";

const clock = systemClock;
const ANSWERS = ["Cold.", "Very warm."];

const startRelay = (url: string) =>
  startGateway({ host: "127.0.0.1", port: 0, pool: createEnginePool({ urls: [url], model: "m", apiKey: null }) });

async function judged(preset: string, protocol: "openai" | "verify", says: (betterFirst: boolean) => string) {
  const engine = await startMockVerifier(({ body }) => {
    const text = JSON.stringify((body as { messages: unknown }).messages);
    return answer(says(text.indexOf("Very warm") < text.indexOf("Cold")), { piece: 4_000 });
  });
  const gateway = protocol === "verify" ? await startRelay(engine.url) : null;
  const about = { url: gateway?.url ?? engine.url, model: "m", apiKey: null };
  const verifier = protocol === "verify" ? createGatewayVerifier(about, clock) : createOpenAiVerifier(about, clock);
  const spec = { candidate: { extract: "whole" }, judge: { preset, reask: 0 } };
  const groups = [{ prompt: "Warm?", rollouts: ANSWERS.map((text) => ({ text })) }];
  try {
    const reply = await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups });
    return ((await reply.json()) as RewardsReply).groups[0]?.rollouts.map(({ reward, error }) => reward ?? error);
  } finally {
    await gateway?.close(0);
    await engine.close();
  }
}

const words = (chars: number) => Array.from({ length: chars / 8 }, (_, i) => `w${`${i}`.padStart(6, "0")}`).join(" ");
const ruler = (betterFirst: boolean, chars: number) =>
  JSON.stringify({
    scores: [betterFirst, !betterFirst].map((good, i) => ({
      trajectory_id: `${i + 1}`,
      score: good ? 0.9 : 0.1,
      explanation: words(chars / 2),
    })),
  });

test.each([
  ["ruler", (first: boolean) => ruler(first, 24_000)],
  [
    "judgelrm",
    (first: boolean) => `<answer>${first ? 9 : 2}</answer> ${words(24_000)} <answer>${first ? 2 : 9}</answer>`,
  ],
] as const)("%s: a verdict of 24,000 characters is read through both protocols", async (preset, says) => {
  expect(await judged(preset, "openai", says)).toEqual([0, 1]);
  expect(await judged(preset, "verify", says)).toEqual([0, 1]);
});

test("beyond the bound the gateway's answer is no verdict, and no number", async () => {
  expect(await judged("ruler", "verify", (first) => ruler(first, 160_000))).toEqual(["unparsed", "unparsed"]);
});
