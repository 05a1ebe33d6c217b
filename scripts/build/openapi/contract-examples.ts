// Owns the examples of the foreign contracts in the OpenAPI document. The contract tests send them,
// so that they stay true.

const QUESTION = "Write f(xs): the sum of the even numbers in xs.\nassert f([1, 2, 4]) == 6";
const CORRECT = "```python\ndef f(xs):\n    return sum(x for x in xs if x % 2 == 0)\n```";
const WRONG = "```python\ndef f(xs):\n    return sum(xs)\n```";

export const rerank = { model: "default", query: QUESTION, documents: [WRONG, CORRECT], top_n: 1 };

export const tei = { query: QUESTION, texts: [WRONG, CORRECT], return_text: false };

export const score = { model: "default", queries: QUESTION, documents: [WRONG, CORRECT] };

const rendered = (answer: string) =>
  `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${answer}<|im_end|>\n`;
export const classify = { model: "default", input: [rendered(WRONG), rendered(CORRECT)] };

export const scoreBatch = {
  run_id: "qwen7b-grpo-3",
  step: 120,
  prompts: [QUESTION, QUESTION],
  completions: [WRONG, [{ role: "assistant", content: CORRECT }]],
  context: { ground_truth: ["6", "6"] },
};

export const chat = {
  model: "default",
  messages: [
    {
      role: "user",
      content: JSON.stringify({
        question: QUESTION,
        candidates: ["def f(xs):\n    return sum(xs)", "def f(xs):\n    return sum(x for x in xs if x % 2 == 0)"],
        language: "python",
      }),
    },
  ],
};

/** Texts as OpenRLHF sends them: rendered, special tokens kept. */
export const openRlhf = {
  query: [rendered(CORRECT).trimEnd()],
  prompts: [`<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n`],
  labels: ["6"],
};

export const slime = { prompt: [{ role: "user", content: QUESTION }], response: CORRECT, label: "6" };

export const verl = {
  data_source: "sums",
  solution_str: CORRECT,
  ground_truth: "6",
  extra_info: { question: QUESTION, index: 17 },
};

export const evalProtocol = {
  messages: [
    { role: "user", content: QUESTION },
    { role: "assistant", content: CORRECT },
  ],
  ground_truth: "6",
  kwargs: {},
};

export const nemoGym = {
  expected_answer: "6",
  responses_create_params: { input: QUESTION },
  response: {
    id: "resp_1",
    created_at: 0,
    model: "policy",
    object: "response",
    output: [
      { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Filter, then sum." }] },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: CORRECT, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: { input_tokens: 40, output_tokens: 96, total_tokens: 136 },
  },
};

export const nemoGymRows = {
  verify_responses: [
    { _ng_task_index: 0, _ng_rollout_index: 0, reward: 1, response: {} },
    { _ng_task_index: 0, _ng_rollout_index: 1, reward: 0, response: {} },
  ],
};
