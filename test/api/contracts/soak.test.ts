// The soak of every contract over real HTTP in workerd: 5 % of the requests are cut off by the
// client and sent again, and every sample gets exactly one reward, the one that /v1/rewards gives.
// SOAK_REQUESTS sets how many requests each contract gets.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Edge, startEdge } from "../../../scripts/stack/edge.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../../harness/production-limits.ts";
import { named } from "./clients.ts";
import { CONTRACTS } from "./sample-setup.ts";
import {
  groupsOf,
  nativeGroups,
  type Rewards,
  type SoakGroup,
  sampleRequests,
  soak,
  WHOLE,
  wholeRequests,
} from "./soak-load.ts";

const REQUESTS = Number(process.env.SOAK_REQUESTS ?? 200);
const IN_FLIGHT = 48;
const SAMPLES = 4;
/** Contracts that refuse equal candidates. */
const JUDGES = ["chat_completions", "responses"];
const GROUPS_A_REQUEST = 250;

let mock: MockVerifier;
let edge: Edge;
beforeAll(async () => {
  // A coin that depends on everything that was asked: a question put in another order, or about
  // another group, shows.
  const coin = (text: string) => `\\boxed{${"AB"[hashText(text)[0] & 1]}}`;
  mock = await startMockVerifier(({ body }) => answer(coin(JSON.stringify(body.messages))), { keep_bodies: false });
  const vars = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock" };
  edge = await startEdge({ host: "127.0.0.1", port: 0, script: await bundleLimitedWorker(), vars });
});
afterEach(() => expectWithinLimits(edge.url));
afterAll(async () => {
  await edge.close();
  await mock.close();
});

/** The rewards of /v1/rewards for the groups. */
async function rewardsOf(groups: readonly SoakGroup[]): Promise<Rewards[]> {
  const rewards: Rewards[] = [];
  for (let from = 0; from < groups.length; from += GROUPS_A_REQUEST) {
    const some = groups.slice(from, from + GROUPS_A_REQUEST);
    const body = {
      groups: some.map(({ prompt, answers }) => ({ prompt, rollouts: answers.map((text) => ({ text })) })),
    };
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${edge.url}/v1/rewards`, { method: "POST", headers, body: JSON.stringify(body) });
    rewards.push(...((await response.json()) as { rewards: Rewards[] }).rewards);
  }
  return rewards;
}

/** `wrong` as a short text: what was sent and what came. */
const faults = ({ wrong }: Awaited<ReturnType<typeof soak>>) =>
  wrong
    .slice(0, 5)
    .map(({ request, told }) => ({ body: request.body.slice(0, 120), expected: request.expected, told }));

describe(`${REQUESTS} requests, 5 % of them cut off and sent again`, () => {
  test.each(CONTRACTS.map(({ path }) => path))("%s", async (path) => {
    const groups = groupsOf(path, Math.ceil(REQUESTS / SAMPLES), SAMPLES);
    const requests = sampleRequests(path, groups, await rewardsOf(nativeGroups(path, groups)));
    const outcome = await soak(edge.url, requests, IN_FLIGHT, 1);
    expect(faults(outcome)).toEqual([]);
    expect(outcome.cut).toBeGreaterThan(0);
  });

  test.each(named(WHOLE))("%s", async (name, client) => {
    const groups = groupsOf(name, REQUESTS, 2, !JUDGES.includes(client.contract.name));
    const rewards = await rewardsOf(groups);
    const outcome = await soak(edge.url, wholeRequests(client, groups, rewards), IN_FLIGHT, 2);
    expect(faults(outcome)).toEqual([]);
    expect(outcome.cut).toBeGreaterThan(0);
  });
});
