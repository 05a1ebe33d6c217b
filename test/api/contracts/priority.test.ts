// Holds that what somebody waits for goes before batches of rewards, all the way to the engine.
import { expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { startMockVerifier } from "../../harness/mock-verifier.ts";
import { clock } from "../../verifier/setup.ts";
import { PROGRAMS, setUp } from "./setup.ts";

const rollouts = PROGRAMS.slice(0, 2).map((text) => ({ text }));

test.each([
  ["/v2/rerank", { model: "rm", query: "Sum it.", documents: PROGRAMS }, -10],
  ["/score", { text_1: ["Sum it.", "Sum it."], text_2: PROGRAMS.slice(0, 2) }, -10],
  ["/v1/rewards", { groups: [{ prompt: "Sum it.", rollouts }] }, undefined],
])("a question of %s has the priority %s at the engine", async (path, body, priority) => {
  const engine = await startMockVerifier(() => answer("\\boxed{A}"));
  const pool = createEnginePool({ urls: [engine.url], model: "mock-model", apiKey: null, kind: "vllm" });
  const gateway = await startGateway({ pool, host: "127.0.0.1", port: 0 });
  const verifier = createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock);
  try {
    expect((await setUp({ verifier, clock }).post(path, body)).status).toBe(200);
    expect(new Set(engine.log.map(({ body }) => body.priority))).toEqual(new Set([priority]));
  } finally {
    await gateway.close(0);
    await engine.close();
  }
});
