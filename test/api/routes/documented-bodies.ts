// Bodies of every documented component: those that its route takes, and those that it refuses.
import * as examples from "../../../scripts/build/openapi/examples.ts";
import * as contracts from "../contracts/examples.ts";

const ALONE = "?group_window_ms=0&on_failure=0";

const { rollouts, ...group } = examples.rewardsRequest.groups[0] as (typeof examples.rewardsRequest.groups)[number];

const bare = rollouts.map(({ text }) => ({ text }));

const overlong = { max_tokens: 10, cache_tokens: 5 };

const verdicts = (formulation: string, item: object) => ({ formulation, items: [{ text: "\\boxed{A}", ...item }] });

const [rates, counted] = [{ pass_rates: [1, 0] }, { candidates: 2, correct: 1 }];

const documents = [{ body: "one" }, { body: "three of them" }];

const texts = ["one", "three of them"];

export const [user, assistant] = contracts.evalProtocol.messages;

const gym = (responses_create_params: object) => ({ ...contracts.nemoGym, responses_create_params });

/** Flags of vendors' bodies, which are read as their servers read them: 0 and "true" too. */
const FLAGS = /^\/(return_documents|return_text|return_input|raw_scores|use_activation|rewrite_query)$/;

interface Bodies {
  path: string;
  /** Taken by the route, and allowed by the document. */
  taken: object[];
  /** Refused by both, each for a rule between fields or a limit. */
  refused: object[];
  /** Where the route takes what it does not read, though the document says what belongs there. */
  unread?: RegExp;
}

export const BODIES: Record<string, Bodies> = {
  RewardsRequest: {
    path: "/v1/rewards",
    taken: [
      examples.rewardsRequest,
      { spec: { overlong }, groups: [{ ...group, rollouts }] },
      { spec: { overlong: null }, groups: [{ ...group, rollouts: bare }] },
      { spec: { judge: { mode: "listwise" } }, groups: [{ ...group, rollouts: bare }] },
    ],
    refused: [
      { spec: { overlong }, groups: [{ ...group, rollouts: bare }] },
      { groups: [{ ...group, rollouts: [{ text: "x", too_long: false }] }] },
    ],
  },
  Spec: {
    path: "PUT /v1/specs/own",
    taken: [
      examples.spec,
      {},
      { judge: { mode: "listwise", schedule: "single_list" } },
      { judge: { schedule: "round_robin", prompt: "code-select-cot" } },
    ],
    refused: [{ judge: { schedule: "single_list" } }, { judge: { mode: "listwise", schedule: "round_robin" } }],
  },
  VerdictsRequest: {
    path: "/v1/verdicts",
    taken: [
      examples.verdictsRequest,
      ...["list_em", "pair_em", "list_sc", "pair_sc"].map((name) => verdicts(name, rates)),
      ...["list_em", "pair_em", "list_sc"].map((name) => verdicts(name, counted)),
      verdicts("pair_sc", { ...rates, ...counted, correct: 0 }),
      { ...verdicts("list_em", { ...rates, length_tokens: 1 }), overlong },
    ],
    refused: [
      ...["list_em", "pair_em", "list_sc", "pair_sc"].map((name) => verdicts(name, {})),
      ...["list_em", "pair_em", "list_sc"].map((name) => verdicts(name, { candidates: 2 })),
      verdicts("pair_sc", counted),
      ...["pair_em", "pair_sc"].map((name) => verdicts(name, { pass_rates: [1, 0, 0] })),
      verdicts("list_em", { candidates: 3, correct: [1] }),
      verdicts("pair_em", { candidates: 3, correct: 1 }),
      verdicts("pair_em", { candidates: 2, correct: 2 }),
      { ...verdicts("list_em", rates), overlong },
    ],
  },
  RerankRequest: {
    path: "/v1/rerank",
    unread: FLAGS,
    taken: [
      contracts.rerank,
      { query: "q", documents, rank_fields: ["body"] },
      { query: "q", documents: texts.map((text) => ({ text })), rank_fields: [] },
    ],
    refused: [
      { query: "q", documents },
      { query: "q", documents, rank_fields: [] },
      { query: "q", documents: [] },
      { query: "", documents: texts },
      { query: "q", documents: texts, rank_fields: Array.from({ length: 65 }, () => "a") },
    ],
  },
  PineconeRequest: {
    path: "/pinecone/rerank",
    unread: FLAGS,
    taken: [contracts.pinecone, { query: "q", documents, rank_fields: ["body"] }],
    refused: [
      { query: "q", documents },
      { query: "q", documents: [] },
    ],
  },
  MixedbreadRequest: {
    path: "/mixedbread/v1/reranking",
    unread: FLAGS,
    taken: [contracts.mixedbread, { query: "q", input: documents, rank_fields: ["body"] }],
    refused: [
      { query: "q", input: documents },
      { query: "q", input: [] },
    ],
  },
  TeiRequest: { path: "/rerank", unread: FLAGS, taken: [contracts.tei], refused: [{ query: "q", texts: [] }] },
  ScoreRequest: {
    path: "/score",
    unread: FLAGS,
    taken: [contracts.score, { text_1: ["p", "p"], text_2: texts }, { data_1: "p", data_2: texts, text_1: "p" }],
    refused: [
      { queries: "p", text_2: texts },
      { text_1: "p", text_2: "one" },
      { text_1: "p", text_2: ["one"] },
      { text_1: "p", text_2: Array.from({ length: 2049 }, () => "") },
    ],
  },
  ClassifyRequest: {
    path: "/classify",
    unread: FLAGS,
    taken: [contracts.classify, { query: "p", input: texts }, { ...contracts.classify, query: null }],
    refused: [{ input: texts }, { input: texts, query: null }, { input: contracts.classify.input[0] }],
  },
  ScoreBatchRequest: {
    path: "/v1/score_batch",
    taken: [
      contracts.scoreBatch,
      { prompts: ["p", "p"], completions: texts, length_tokens: [1, 2], spec: { overlong } },
      { prompts: ["p", "p"], completions: texts, completion_ids: [[1], [2]], spec: { overlong } },
      { prompts: ["p", "p"], completions: texts, response_field: "rewards" },
    ],
    refused: [
      { prompts: ["p", "p"], completions: texts, spec: { overlong } },
      { prompts: ["p", "p"], completions: texts, response_field: "metrics" },
      { prompts: ["p", "p"], completions: texts, length_tokens: [1, -1] },
      { prompts: ["p", "p"], completions: texts, pass_rate: [1, 2] },
      { prompts: [], completions: [] },
    ],
    // Token ids are counted, under either name; columns of the dataset that do not fit are none.
    unread: /^\/(completion_ids|length_tokens|context)\b/,
  },
  ChatRequest: {
    path: "/v1/chat/completions",
    taken: [contracts.chat, { messages: [{ role: "user", content: [] }, ...contracts.chat.messages] }],
    refused: [
      { messages: [{ role: "system", content: "{}" }] },
      { messages: [{ role: "user", content: "Which is better?" }] },
      { messages: [{ role: "user" }] },
    ],
  },
  OpenRlhfRequest: {
    path: `/openrlhf/get_reward${ALONE}`,
    taken: [contracts.openRlhf, { query: contracts.openRlhf.query }, { query: ["p a"], prompts: ["p"] }, { query: [] }],
    refused: [{ query: ["p a"] }, { query: ["p a"], prompts: null }],
  },
  EvaluateRequest: {
    path: `/evaluate${ALONE}`,
    taken: [contracts.evalProtocol],
    refused: [{ messages: [user, user] }, { messages: [assistant] }],
  },
  VerlRequest: {
    path: `/verl/compute_score${ALONE}`,
    taken: [contracts.verl, { ...contracts.verl, extra_info: { prompt: "p" } }],
    refused: [
      { ...contracts.verl, extra_info: {} },
      { ...contracts.verl, extra_info: { index: 17 } },
    ],
  },
  SlimeRequest: {
    path: `/slime/reward${ALONE}`,
    taken: [contracts.slime, { prompt: "p", response: "r" }],
    refused: [{ prompt: [], response: "r" }, { response: "r" }],
  },
  NemoGymVerifyRequest: {
    path: `/nemo-gym/verify${ALONE}`,
    taken: [
      contracts.nemoGym,
      gym({ input: [{ type: "reasoning" }], instructions: "Do." }),
      gym({ input: [{ type: "function_call_output" }] }),
    ],
    refused: [gym({ input: [{ type: "reasoning" }] }), gym({ input: [{ type: "reasoning" }], instructions: "" })],
  },
  NemoGymCompareRequest: {
    path: "/nemo-gym/compare",
    taken: [contracts.nemoGymCompare],
    refused: [
      { ...contracts.nemoGymCompare, conversation_history: [] },
      { ...contracts.nemoGymCompare, response_objs: [] },
    ],
  },
  RulerRequest: {
    path: "/ruler/v1/chat/completions",
    taken: [contracts.ruler, { messages: contracts.ruler.messages.slice(1) }],
    refused: [
      { messages: contracts.ruler.messages.slice(0, 1) },
      { messages: [{ role: "user", content: "Which is better?" }] },
      { ...contracts.ruler, stream: true },
    ],
  },
};
