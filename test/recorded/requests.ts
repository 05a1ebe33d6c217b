// Owns the corpus of recorded requests: every route and contract, the spec's fields one by one, and
// what is refused.

import * as examples from "../../scripts/build/openapi/examples.ts";
import * as contracts from "../api/contracts/examples.ts";
import { CONTRACTS, restartResponses } from "../api/contracts/sample-setup.ts";
import { fenced } from "../api/routes/harness.ts";

restartResponses();

export interface RecordedRequest {
  name: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /**
   * Sent beside it, so that a group of one-sample requests is whole; only the first's reply is
   * recorded.
   */
  beside?: unknown;
}

const post = (name: string, path: string, body: unknown, headers: Record<string, string> = {}): RecordedRequest => ({
  name,
  method: "POST",
  path,
  body,
  headers,
});
const get = (path: string): RecordedRequest => ({ name: `GET ${path}`, method: "GET", path });

/** Four candidates of which two are equal, a malformed one, one cut short, labels on all. */
const MIXED = [
  { text: fenced("a = 1"), length_tokens: 40, pass_rate: 1 },
  { text: `<think>long</think>\n${fenced("a = 1  # same length as none")}`, length_tokens: 900, pass_rate: 0.5 },
  { text: fenced("a = 1"), length_tokens: 41, pass_rate: 1 },
  { text: "no program", length_tokens: 7, pass_rate: 0 },
  { text: `<think>cut ${fenced("b = 2")}`, length_tokens: 1000, finish_reason: "length", pass_rate: 0 },
];

const mixed = (spec: unknown, more: object = {}) => ({
  run_id: "recorded",
  step: 3,
  spec,
  groups: [
    { group_id: "g", prompt: "Write it.", language: "python", rollouts: MIXED },
    { prompt: [{ role: "user", content: "Say it." }], rollouts: MIXED.slice(0, 2) },
    { prompt: "One alone.", rollouts: MIXED.slice(0, 1) },
  ],
  ...more,
});

/** Every field of the spec that is not the default, one by one, and together. */
const SPECS: Record<string, unknown> = {
  default: "default",
  empty: {},
  "both orders": { judge: { both_orders: true } },
  "several samples": { judge: { samples: 3, temperature: 1, top_p: 0.5, max_tokens: 100 } },
  "scores form": { judge: { form: "scores" } },
  "cot prompt": { judge: { prompt: "code-select-cot" } },
  listwise: { judge: { mode: "listwise" } },
  "listwise samples": { judge: { mode: "listwise", samples: 4 }, reward: "top1" },
  "one model": { judge: { strict_model: true } },
  "after think": { candidate: { extract: "after_think" } },
  "whole text": { candidate: { extract: "whole" } },
  top1: { reward: "top1" },
  wins: { reward: "wins" },
  "closed think": { format: { rules: ["has_candidate", "closed_think"], penalty: 0.5 } },
  regex: { format: { rules: [{ regex: "^Here" }], penalty: 2 } },
  "no rules": { format: { rules: [], penalty: 0 } },
  overlong: { overlong: { max_tokens: 1000, cache_tokens: 200 } },
  "overlong unclamped": { overlong: { max_tokens: 800, cache_tokens: 200, clamp: false } },
  seeded: { seed: 7, log_texts: true },
  together: { ...examples.spec, reward: "wins", seed: 1 },
};

const REFUSED: Record<string, unknown> = {
  "no groups": { groups: [] },
  "unknown field": { ...examples.rewardsRequest, extra: 1 },
  "unknown spec": { ...examples.rewardsRequest, spec: "nobody" },
  "schedule of the other mode": mixed({ judge: { mode: "listwise", schedule: "round_robin" } }),
  "no lengths": {
    ...mixed({ overlong: { max_tokens: 10, cache_tokens: 5 } }),
    groups: [{ prompt: "p", rollouts: [{ text: "x" }] }],
  },
  "a prompt that nobody knows": mixed({ judge: { prompt: "nothing" } }),
  "an unsafe regex": mixed({ format: { rules: [{ regex: "(a+)+$" }] } }),
  "a wrong type": { groups: "none" },
  "cache over max": mixed({ overlong: { max_tokens: 5, cache_tokens: 10 } }),
};

const VERDICTS = [
  "\\boxed{B}",
  "\\boxed{7, 4}",
  "\\boxed{4, 7}",
  "<answer>4 7</answer>",
  "nothing",
  "\\boxed{A} or \\boxed{B}",
];
const FORMULATIONS = ["list_em", "pair_em", "list_sc", "pair_sc"].flatMap((formulation) =>
  ["think", "cot"].map((style) =>
    post(`verdicts ${formulation} ${style}`, "/v1/verdicts", {
      formulation,
      options: { style },
      overlong: { max_tokens: 100, cache_tokens: 50 },
      items: VERDICTS.map((answer, i) => ({
        text: style === "think" ? `<think>x</think>\n${answer}` : `x ${answer}`,
        pass_rates: [0.2, 1],
        length_tokens: 20 * i,
      })),
    }),
  ),
);

const NDJSON = { accept: "application/x-ndjson" };

export const REQUESTS: readonly RecordedRequest[] = [
  ...Object.entries(SPECS).map(([name, spec]) => post(`rewards: ${name}`, "/v1/rewards", mixed(spec))),
  ...Object.entries(SPECS)
    .slice(0, 4)
    .map(([name, spec]) => post(`rewards streamed: ${name}`, "/v1/rewards", mixed(spec), NDJSON)),
  ...Object.entries(REFUSED).map(([name, body]) => post(`refused: ${name}`, "/v1/rewards", body)),
  post("rewards of the reference", "/v1/rewards", examples.rewardsRequest),
  post("not JSON", "/v1/rewards", "{"),
  post("a text", "/v1/rewards", "x", { "content-type": "text/plain" }),
  ...FORMULATIONS,
  post("verdicts of the reference", "/v1/verdicts", examples.verdictsRequest),
  { name: "a spec is stored", method: "PUT", path: "/v1/specs/mine", body: examples.spec },
  get("/v1/specs/mine"),
  get("/v1/specs/default"),
  get("/v1/specs/nobody"),
  post("rewards by a stored spec", "/v1/rewards", mixed("mine")),
  ...["/v1/rerank", "/v2/rerank"].map((path) => post(path, path, contracts.rerank)),
  post("/rerank", "/rerank", contracts.tei),
  post("/rerank with documents", "/rerank", contracts.rerank),
  ...["/score", "/v1/score"].map((path) => post(path, path, contracts.score)),
  post("/classify", "/classify", contracts.classify),
  post("/v1/score_batch", "/v1/score_batch", contracts.scoreBatch),
  post("/v1/chat/completions", "/v1/chat/completions", contracts.chat),
  post("/v1/chat/completions streamed", "/v1/chat/completions", { ...contracts.chat, stream: true }),
  ...["/v1/rerank", "/rerank", "/score", "/classify", "/v1/score_batch", "/v1/chat/completions"].map((path) =>
    post(`${path} of nothing`, path, {}),
  ),
  ...CONTRACTS.flatMap(({ path, example, body }) => [
    post(`${path} alone`, `${path}?group_size=1`, example),
    {
      ...post(`${path} gathered`, `${path}?group_size=2`, body("Say it.", `long ${fenced("c = 1")}`)),
      beside: body("Say it.", fenced("d")),
    },
    post(`${path} of nothing`, `${path}?group_size=1`, {}),
    post(`${path} with a wrong size`, `${path}?group_size=none`, example),
  ]),
  post("nemo-gym metrics", "/nemo-gym/aggregate_metrics", contracts.nemoGymRows),
  post("nemo-gym session", "/nemo-gym/seed_session", {}),
  ...["/", "/healthz", "/health", "/readyz", "/nemo-gym/", "/nemo-gym/reverify_mode", "/v1/models"].map(get),
  ...["/v1/runs", "/v1/runs/recorded", "/v1/runs/recorded/steps", "/v1/runs/recorded/groups?step=3&limit=2"].map(get),
  ...["groups", "verdicts", "texts"].map((table) => get(`/v1/runs/recorded/export?table=${table}`)),
  ...["/v1/runs/nobody", "/v1/runs?limit=0", "/v1/runs?other=1", "/nothing", "/v1/batches/none"].map(get),
  { name: "a method that the path lacks", method: "DELETE", path: "/v1/rewards" },
];
