// The example of agents' runs that /docs shows is one that the route takes.
import { expect, test } from "vitest";
import { rewardsRequest, runsRequest } from "../../../scripts/build/openapi/examples.ts";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { setUp } from "./harness.ts";

test("the documented request with runs is judged by its calls, and says what was shown", async () => {
  const verifier = fakeVerifier(
    ([first = ""]) => `"turn A": 1, "turn B": 1. [[${first.includes("rm test") ? "B" : "A"}]]`,
  );
  const { post } = setUp({ verifier });
  const response = await post("/v1/rewards", runsRequest);
  expect(response.status).toBe(200);
  const { rewards, groups } = (await response.json()) as RewardsReply;
  expect(rewards).toEqual([[1, 0]]);
  expect(groups[0]?.rollouts.map(({ shown, details }) => [shown, details])).toEqual(
    [1, 1].map((one) => [one, { base: { turns: { 1: 1 } } }]),
  );
  expect((await post("/v1/rewards", { ...rewardsRequest, spec: {} })).status).toBe(200);
});
