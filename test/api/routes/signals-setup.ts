// Helpers shared by the tests of specs of signals: requests about programs, their rewards and refusals.
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { Script } from "../../harness/fakes.ts";
import { fenced, problemOf, setUp } from "./harness.ts";

export const T = { kind: "tournament" };

export const F = { kind: "format", rules: ["has_candidate"], penalty: 2 };

export const rollouts = (...codes: (string | null)[]) =>
  codes.map((code, i) => ({ text: code === null ? "no program" : fenced(code), length_tokens: 10 * (i + 1) }));

export const request = (spec: unknown, codes: (string | null)[], more: object = {}) => ({
  spec,
  groups: [{ prompt: "Write it.", rollouts: rollouts(...codes) }],
  ...more,
});

export async function rewarded(spec: unknown, codes: (string | null)[], more: object = {}, script?: Script) {
  const { post, ...parts } = setUp(script === undefined ? {} : { script });
  const response = await post("/v1/rewards", request(spec, codes, more));
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return { reply, rewards: reply.rewards[0] as (number | null)[], ...parts };
}

export async function refused(spec: unknown, more: object = {}) {
  const problem = await problemOf(await setUp().post("/v1/rewards", request(spec, ["a", "bb"], more)));
  return { code: problem.code, errors: problem.errors ?? [] };
}
