// A deployment's own default judge: what `default` asks then, in its own routes and in a contract
// of another tool.

import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { specOfJudge } from "../../../src/core/reward/default-spec.ts";
import { readEnv } from "../../../src/env.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { specHash } from "../../../src/scoring/digest.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { startMockVerifier } from "../../harness/mock-verifier.ts";
import { problemOf, setUp } from "./harness.ts";

const clock = systemClock;
const ANSWERS = ["Perhaps.", "It is Paris, the capital."];

/** Runs with an engine that prefers the longer answer in MT-Bench's form, and returns its questions. */
async function judged(run: (api: ReturnType<typeof setUp>) => Response | Promise<Response>) {
  const asked: string[] = [];
  const engine = await startMockVerifier(({ body }) => {
    const text = (body as { messages: { content: string }[] }).messages.map(({ content }) => content).join("\n");
    asked.push(text);
    const [short = "", long = ""] = ANSWERS;
    return answer(`[[${text.indexOf(long) < text.indexOf(short) ? "A" : "B"}]]`);
  });
  try {
    const verifier = createOpenAiVerifier({ url: engine.url, model: "m", apiKey: null }, clock);
    const response = await run(setUp({ verifier, clock, default_spec: specOfJudge("mtbench-ab") }));
    return { body: await response.json(), asked };
  } finally {
    await engine.close();
  }
}

test("a request that names no spec is judged by it, under its hash", async () => {
  const groups = [{ prompt: "Which city?", rollouts: ANSWERS.map((text) => ({ text })) }];
  const { body, asked } = await judged(({ post }) => post("/v1/rewards", { groups }));
  const reply = body as RewardsReply;
  expect(reply.rewards).toEqual([[0, 1]]);
  expect(reply.spec_hash).toBe(await specHash(specOfJudge("mtbench-ab")));
  expect(asked[0]).toContain("[The Start of Assistant A's Answer]");
});

test("so is a rerank of texts, and GET shows it under `default`", async () => {
  const { body, asked } = await judged(({ post }) =>
    post("/v2/rerank", { model: "default", query: "Which city?", documents: ANSWERS }),
  );
  expect((body as { results: { index: number }[] }).results.map(({ index }) => index)).toEqual([1, 0]);
  expect(asked[0]).toContain("[The Start of Assistant A's Answer]");
  const { call } = setUp({ default_spec: specOfJudge("compassverifier") });
  const told = (await (await call("/v1/specs/default")).json()) as { spec: object };
  expect(told.spec).toMatchObject({ signals: { grade: { kind: "grade", judge: { prompt: "compassverifier" } } } });
});

test("a default judge that needs a fact refuses by field the group that lacks it", async () => {
  const { post } = setUp({ default_spec: specOfJudge("compassverifier") });
  const groups = [{ prompt: "Which city?", rollouts: [{ text: "Paris" }] }];
  expect((await problemOf(await post("/v1/rewards", { groups }))).errors?.[0]?.path).toBe("groups[0].reference");
});

test("the variable takes a preset that exists", () => {
  expect(readEnv({ DEFAULT_JUDGE: "trajectory-pair" })).toMatchObject({
    config: { DEFAULT_JUDGE: "trajectory-pair" },
    faults: [],
  });
  expect(readEnv({ DEFAULT_JUDGE: "rm-r2" }).faults).toMatchObject([{ path: "DEFAULT_JUDGE" }]);
  expect(readEnv({}).config.DEFAULT_JUDGE).toBeUndefined();
});
