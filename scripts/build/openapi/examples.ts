// Examples of the OpenAPI document. The route tests send them, so that they stay valid.

const CORRECT =
  "<think>Sum the even ones.</think>\n```python\ndef f(xs):\n    return sum(x for x in xs if x % 2 == 0)\n```";
const WRONG = "<think>Sum them.</think>\n```python\ndef f(xs):\n    return sum(xs)\n```";

export const spec = {
  judge: { mode: "pairwise", both_orders: true, samples: 2 },
  reward: "win_rate",
  format: { rules: ["has_candidate", "closed_think"], penalty: 1 },
  overlong: { max_tokens: 16384, cache_tokens: 2048 },
};

export const signalsSpec = {
  signals: {
    base: { kind: "tournament", score: "win_rate" },
    format: { kind: "format", rules: ["has_candidate"], penalty: 2 },
  },
  reward: "0.5 * base + clamp(format, -1, 0)",
};

export const rescoreRequest = {
  spec: { signals: { base: signalsSpec.signals.base }, reward: "zscore(base)" },
  from_step: 100,
  to_step: 200,
};

export const rewardsRequest = {
  run_id: "qwen7b-grpo-3",
  step: 120,
  spec: "default",
  deadline_ms: 90000,
  groups: [
    {
      group_id: "p17",
      prompt: "Write f(xs): the sum of the even numbers in xs.\nassert f([1, 2, 4]) == 6",
      language: "python",
      rollouts: [
        { text: CORRECT, length_tokens: 412, finish_reason: "stop", pass_rate: 1 },
        { text: WRONG, length_tokens: 310, finish_reason: "stop", pass_rate: 0 },
      ],
    },
  ],
};

const { prompt, language, rollouts } = rewardsRequest.groups[0] as (typeof rewardsRequest.groups)[number];

export const membersRequest = { prompt, language, size: 8, position: 2, rollouts: rollouts.slice(0, 1) };

export const groupState = { group_id: "step-4.prompt-17", members: 3, size: 8, state: "gathering" };

export const closeRequest = { deadline_ms: 90000 };

/** An agent run: a tool call, its result, a final message and the file that the agent changed. */
const run = (cmd: string, result: string, said: string, text: string) => ({
  messages: [
    {
      role: "assistant",
      content: "I run the tests first.",
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: JSON.stringify({ cmd }) } }],
    },
    { role: "tool", tool_call_id: "c1", content: result },
    { role: "assistant", content: said },
  ],
  files: [{ path: "add.py", text, base: "def add(a, b):\n    return a - b\n" }],
});

export const runsRequest = {
  spec: { candidate: { extract: "whole" }, judge: { preset: "trajectory-pair" } },
  groups: [
    {
      prompt: "The test of add.py fails. Repair add.py.",
      rollouts: [
        run("sed -i 's/-/+/' add.py && pytest -q", "1 passed", "Repaired.", "def add(a, b):\n    return a + b\n"),
        run("rm test_add.py && pytest -q", "no tests ran", "No test fails.", "def add(a, b):\n    return a - b\n"),
      ],
    },
  ],
};

const rollout = {
  error: null,
  ties: 0,
  undecided: 0,
  forfeits: 0,
  unparsed: 0,
  votes: null,
  duplicate_of: null,
  format_ok: true,
  jams_judge: false,
};
const batch = { parse_rate: 1, reward_mean: 0.5, reward_std: 0.5 };
const SPEC_HASH = "sha256:9f0c1b6a7d3e4f5081726354a5b6c7d8e9f00112233445566778899aabbccdd0";

export const rewardsReply = {
  request_id: "01KAJ2V6S3T4R5Q6P7N8M9K0H1",
  run_id: "qwen7b-grpo-3",
  step: 120,
  spec_hash: SPEC_HASH,
  rewards: [[1, 0]],
  groups: [
    {
      group_id: "p17",
      status: "ok",
      win_counts: [1, 0],
      selected: 0,
      selected_tied: [0],
      rollouts: [
        { reward: 1, components: { base: 1, format: 0, overlong: 0 }, wins: 1, losses: 0, rank: 1, ...rollout },
        { reward: 0, components: { base: 0, format: 0, overlong: 0 }, wins: 0, losses: 1, rank: 2, ...rollout },
      ],
      metrics: { ...batch, tau_b: 1, tau_b_undefined: null, list_acc: true, position_flip_rate: null },
      verifier: {
        comparisons: 1,
        generations: 1,
        parsed: 1,
        unparsed: 0,
        failed: 0,
        saved: 0,
        prompt_tokens: 604,
        completion_tokens: 388,
        latency_ms: { p50: 2140, p99: 2140, max: 2140 },
        models: ["verifier-8b"],
      },
    },
  ],
  metrics: { ...batch, tau_b_mean: 1, tau_b_undefined: 0, list_acc: 1 },
  timing_ms: { total: 2161, verifier: 2150, overhead: 11 },
  logged: true,
  warnings: [],
};

export const verdictsRequest = {
  formulation: "list_em",
  options: { style: "think", prefill: "" },
  items: [
    { text: "<think>B handles the empty list.</think>\n\\boxed{B}", candidates: 5, correct: 1, length_tokens: 900 },
  ],
};

export const verdictsReply = {
  request_id: "01KAJ2V6S3T4R5Q6P7N8M9K0H2",
  rewards: [1],
  items: [{ reward: 1, components: { content: 1, format: 0, overlong: 0 }, verdict: "B", scores: null, status: "ok" }],
  metrics: { parse_rate: 1, accuracy: 1, reward_mean: 1, reward_std: 0 },
  logged: false,
  warnings: [],
};

export const template = {
  shape: "pair",
  messages: [
    {
      role: "system",
      text: 'You compare two translations of one text. End with "[[A]]" or "[[B]]", or "[[C]]" for a tie.',
    },
    { role: "user", text: "[Source]\n{{question}}\n\n{{candidates}}" },
  ],
  candidate: "[Translation {{letter}}]\n{{text}}\n[End of translation {{letter}}]",
  parser: { kind: "bracket", labels: ["A", "B", "C"] },
  ties: ["C"],
};
