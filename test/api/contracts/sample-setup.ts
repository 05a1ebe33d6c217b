// Helpers shared by the tests of one-sample contracts: each contract's routes and bodies, judgements that a
// test dictates, and how each tells a reward.

import type { RolloutResult } from "../../../src/core/contract/group-reply.ts";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { GatheredReward, GatheredSample, GroupRooms } from "../../../src/objects/gathering/gathering.ts";
import * as examples from "./examples.ts";

/** A contract as its client sees it. */
export interface SampleContract {
  /** The contract's name in the table. */
  name: string;
  path: string;
  example: object;
  /** A body whose prompt and answer are given. */
  body(prompt: string, answer: string): object;
  /** The reward that the client would train on. */
  rewardOf(reply: unknown): unknown;
}

const chatml = (prompt: string) => `<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n`;
const field = (name: string) => (reply: unknown) => (reply as Record<string, unknown>)[name];

let responses = 0;
/** Numbers responses from 0 again, for requests that are recorded. */
export const restartResponses = () => {
  responses = 0;
};

export const CONTRACTS: readonly SampleContract[] = [
  {
    name: "openrlhf",
    path: "/openrlhf/get_reward",
    example: examples.openRlhf,
    body: (prompt, answer) => ({
      query: [`${chatml(prompt)}${answer}<|im_end|>`],
      prompts: [chatml(prompt)],
      labels: ["l"],
    }),
    rewardOf: (reply) => (reply as { rewards: number[] }).rewards[0],
  },
  {
    name: "slime",
    path: "/slime/reward",
    example: examples.slime,
    body: (prompt, answer) => ({ prompt, response: answer, label: "l" }),
    rewardOf: (reply) => reply,
  },
  {
    name: "verl",
    path: "/verl/compute_score",
    example: examples.verl,
    body: (question, solution_str) => ({ ...examples.verl, solution_str, extra_info: { question, index: 1 } }),
    rewardOf: field("score"),
  },
  {
    name: "nemo_gym",
    path: "/nemo-gym/verify",
    example: examples.nemoGym,
    body: (input, text) => ({
      responses_create_params: { input },
      response: {
        ...examples.nemoGym.response,
        // The gym's rollouts each have a separate id.
        id: `resp_${responses++}`,
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
      },
    }),
    rewardOf: field("reward"),
  },
  {
    name: "eval_protocol",
    path: "/evaluate",
    example: examples.evalProtocol,
    body: (prompt, answer) => ({
      messages: [
        { role: "user", content: prompt },
        { role: "assistant", content: answer },
      ],
      ground_truth: "l",
      kwargs: {},
    }),
    rewardOf: field("score"),
  },
];

const RESULT: RolloutResult = {
  reward: 0.5,
  error: null,
  components: { base: 0.75, format: 0, overlong: -0.25 },
  wins: 1,
  losses: 0,
  ties: 1,
  undecided: 0,
  forfeits: 0,
  unparsed: 0,
  votes: null,
  rank: 1,
  duplicate_of: null,
  format_ok: true,
  jams_judge: false,
};

const METRICS: GatheredReward["metrics"] = {
  parse_rate: 0.9,
  tau_b: null,
  tau_b_undefined: "no_labels",
  list_acc: null,
  position_flip_rate: null,
  reward_mean: 0.5,
  reward_std: 0.2,
};

export const REQUEST_ID = "01K0000000000000000000ROOM";

/** One waiter's answer, as a room gives it; what a test does not say is plain. */
export function gathered(more: Partial<GatheredReward> & { result?: Partial<RolloutResult> } = {}): GatheredReward {
  return {
    request_id: REQUEST_ID,
    logged: true,
    warnings: [],
    members: 3,
    closed: "full",
    late: false,
    attached: false,
    metrics: METRICS,
    spec_hash: "sha256:00",
    ...more,
    result: { ...RESULT, ...more.result },
  };
}

/** A judgement that could not be had. */
export const without = (error: ItemErrorCode, more: Partial<GatheredReward> = {}): GatheredReward =>
  gathered({
    metrics: { ...METRICS, parse_rate: null },
    ...more,
    result: { ...RESULT, reward: null, error, components: { base: null, format: -1, overlong: 0 } },
  });

/** For rooms that samples alone come to. */
export const NO_NAMED: GroupRooms["named"] = { add: () => Promise.reject(), close: () => Promise.reject() };

/** Rooms that answer as the test says, and hold what came. */
export function fixedRooms(answer: GatheredReward | Promise<GatheredReward>) {
  const joined: GatheredSample[] = [];
  const rooms: GroupRooms = {
    async join(sample) {
      joined.push(sample);
      return answer;
    },
    forget: async () => undefined,
    named: NO_NAMED,
  };
  return { rooms, joined };
}
