// Cases of the recordings: combinations of a spec, a contract, a group size, kinds of rollouts and a judge.
// Every combination uses features that stay in the product, so that a refactoring must leave its record equal.
import * as contracts from "../api/contracts/examples.ts";
import { CONTRACTS, restartResponses } from "../api/contracts/sample-setup.ts";
import type { JudgeName } from "./recorded-judge.ts";

restartResponses();

export interface SentRequest {
  method?: "PUT";
  path: string;
  headers?: Record<string, string>;
  body: unknown;
}

/** Requests of one case: each step's requests are sent at once, steps follow one another. */
export interface RecordedCase {
  name: string;
  judge: JudgeName;
  steps: readonly (readonly SentRequest[])[];
}

const JUDGES: readonly JudgeName[] = ["healthy", "noisy", "failing", "late"];
const SIZES = [1, 2, 5, 8, 17, 64] as const;

/** What the rollouts of a group are. */
type Texts = "plain" | "mixed" | "transcripts";

/** The judge prefers the candidate with the larger q, which follows no order. */
const quality = (i: number) => (i * 7 + 3) % 10;
const program = (i: number) => `Here.\n\`\`\`python\nprint(${i})  # q=${quality(i)}\n\`\`\``;
const answer = (i: number) => `Step ${i}, q=${quality(i)}.\n\n\\boxed{${6 + (i % 3)}}`;

const transcript = (i: number) => ({
  messages: [
    {
      role: "assistant",
      content: `I look at file ${i}. q=${quality(i)}`,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: `{"path":"f${i % 2}.py"}` } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: `contents of f${i % 2}.py` },
    { role: "assistant", content: `Done with ${i % 4}.` },
  ],
});

/** Facts that every kind of signal finds in a rollout. */
const facts = (i: number) => ({
  answer: `${6 + Math.max(0, (i % 4) - 2)}`,
  length_tokens: 40 + 10 * i,
  pass_rate: quality(i) / 9,
  tests: [{ status: i % 2 === 0 ? "pass" : "fail" }, { status: "pass", weight: 2 }],
  numbers: { cost: (i % 5) / 4 },
});

function rollouts(texts: Texts, size: number, text: (i: number) => string): object[] {
  return Array.from({ length: size }, (_, i) => {
    if (texts === "transcripts") return { ...facts(i), ...transcript(i) };
    // Equal to the group's first, without an answer, and cut short.
    if (texts === "mixed" && i % 8 === 3) return { ...facts(i), text: text(0) };
    if (texts === "mixed" && i % 8 === 4) return { ...facts(i), text: "I cannot do that." };
    if (texts === "mixed" && i % 8 === 5)
      return { ...facts(i), text: `<think>cut ${text(i)}`, finish_reason: "length" };
    return { ...facts(i), text: text(i) };
  });
}

interface SpecCase {
  spec: object;
  sizes: readonly number[];
  /** Default programs. */
  text?: (i: number) => string;
  group?: object;
  texts?: readonly Texts[];
}

const listwise = (schedule: object | string, more: object = {}) => ({ judge: { mode: "listwise", schedule, ...more } });
const pairwise = (schedule: object | string, more: object = {}) => ({ judge: { schedule, ...more } });
const tournament = (judge: object, more: object = {}) => ({ kind: "tournament", judge, ...more });
const WHOLE = { candidate: { extract: "whole" } };

const SPECS: Readonly<Record<string, SpecCase>> = {
  default: { spec: {}, sizes: SIZES.slice(0, 5) },
  "both orders": { spec: { judge: { both_orders: true } }, sizes: [2, 5, 8] },
  "three samples": { spec: { judge: { samples: 3 } }, sizes: [2, 5] },
  "sampled until sure": { spec: { judge: { samples: { min: 1, max: 4, confidence: 0.9 } } }, sizes: [5] },
  "when close": { spec: { judge: { both_orders: "when_close" } }, sizes: [5, 8] },
  "soft votes": { spec: { judge: { prompt: "letter-select", vote: "soft", max_tokens: 8 } }, sizes: [2, 5, 8] },
  strength: { spec: { reward: "strength" }, sizes: [2, 8] },
  wins: { spec: { reward: "wins" }, sizes: [5] },
  top1: { spec: { reward: "top1" }, sizes: [5] },
  "net wins, copeland": { spec: { reward: "copeland" }, sizes: [5] },
  rank: { spec: { reward: "rank" }, sizes: [5, 8] },
  list: { spec: listwise("single_list"), sizes: [2, 5] },
  "list, samples": { spec: { ...listwise("single_list", { samples: 4 }), reward: "top1" }, sizes: [2, 5] },
  "list of scores": { spec: listwise("single_list", { form: "scores" }), sizes: [5] },
  blocks: { spec: listwise("blocks"), sizes: [8, 17, 64] },
  circular: { spec: pairwise("circular"), sizes: [8, 17, 64] },
  anchored: { spec: pairwise("anchored"), sizes: [8, 17, 64] },
  pivot: { spec: { ...pairwise("pivot"), reward: "strength" }, sizes: [8, 17, 64] },
  swiss: { spec: pairwise("swiss"), sizes: [2, 5, 8, 17, 64] },
  knockout: { spec: pairwise("knockout"), sizes: [2, 5, 8, 17, 64] },
  active: { spec: pairwise("active"), sizes: [5, 8, 17] },
  budget: { spec: { judge: { budget: { ratio: 0.4 } } }, sizes: [5, 8] },
  overlong: { spec: { overlong: { max_tokens: 90, cache_tokens: 40 } }, sizes: [5] },
  "format rules": { spec: { format: { rules: ["has_candidate", "closed_think", { regex: "^Here" }] } }, sizes: [5, 8] },
  audit: { spec: { audit: { share: 1, judge: { prompt: "code-select-cot" } } }, sizes: [5] },
  transcripts: {
    spec: { ...WHOLE, judge: { prompt: "trajectory-pair" } },
    sizes: [2, 5, 8],
    texts: ["transcripts"],
  },
  "a sum of signals": {
    spec: {
      signals: {
        base: tournament({ both_orders: true }),
        shape: { kind: "format", rules: ["has_candidate"], penalty: 1 },
        size: { kind: "overlong", max_tokens: 90, cache_tokens: 40 },
        short: { kind: "length", max: 400 },
      },
      reward: "0.5 * base + clamp(shape + size, -1, 0) + 0.1 * short",
    },
    sizes: [2, 5, 8],
  },
  "two tournaments": {
    spec: {
      signals: { a: tournament({}), b: { ...tournament({ prompt: "code-select-cot" }), schedule: "swiss" } },
      reward: "a + b",
    },
    sizes: [5, 8],
  },
  cascade: {
    spec: {
      signals: {
        right: { kind: "tests" },
        base: { ...tournament({}), when: "right == 1" },
        cost: { kind: "number", field: "cost", range: [0, 1] },
      },
      reward: "if(right == 1, coalesce(base, 0), -1) - 0.1 * cost",
    },
    sizes: [2, 5, 8],
  },
  reference: {
    spec: { signals: { right: { kind: "reference" } } },
    sizes: [1, 5, 8],
    text: answer,
    group: { reference: "6" },
  },
  consensus: {
    spec: { signals: { agreed: { kind: "consensus", label_free: true, max_steps: 100 } } },
    sizes: [2, 8, 17],
    text: answer,
  },
  grade: { spec: { ...WHOLE, signals: { good: { kind: "grade" } } }, sizes: [1, 5], text: answer },
  "grade, samples": {
    spec: { ...WHOLE, signals: { good: { kind: "grade", judge: { preset: "yes-no", samples: 3 }, reduce: "min" } } },
    sizes: [2, 5],
    text: answer,
  },
  "tournament and grade": {
    spec: {
      ...WHOLE,
      signals: { base: tournament({ prompt: "text-select" }), good: { kind: "grade" } },
      reward: "base * good",
    },
    sizes: [5],
    text: answer,
  },
  repetition: { spec: { signals: { worn: { kind: "repetition" } } }, sizes: [2, 5], text: answer },
  random: { spec: { signals: { luck: { kind: "random" } } }, sizes: [5], text: answer },
};

/** Judges that a case is recorded with: all of them for the middle size, two for the others. */
const judgesOf = (size: number, sizes: readonly number[]) =>
  size === sizes[Math.floor((sizes.length - 1) / 2)] ? JUDGES : size > 17 ? (["noisy"] as const) : JUDGES.slice(0, 2);

function rewards(name: string, { spec, sizes, text = program, group = {}, texts }: SpecCase): RecordedCase[] {
  return sizes.flatMap((size) =>
    judgesOf(size, sizes).flatMap((judge, k): RecordedCase[] => {
      const kind = texts?.[0] ?? (k % 2 === 0 ? "mixed" : "plain");
      const body = {
        ...{ run_id: "recorded", step: 3, deadline_ms: 20_000, spec: { seed: k, log_texts: k === 0, ...spec } },
        groups: [
          { group_id: "g", prompt: "Say it.", language: "python", ...group, rollouts: rollouts(kind, size, text) },
        ],
      };
      const headers = { ...(k === 1 && { accept: "application/x-ndjson" }) };
      return [{ name: `${name}, ${size} ${kind}, ${judge}`, judge, steps: [[{ path: "/v1/rewards", headers, body }]] }];
    }),
  );
}

/** Named groups: members added one by one or in halves, then closed. */
function named(size: number, judge: JudgeName, atOnce: boolean): RecordedCase {
  const group = `/v1/groups/g${size}`;
  const shared = { prompt: "Say it.", spec: { seed: 1 }, run_id: "recorded", step: 4, deadline_ms: 20_000, size };
  const members = rollouts("mixed", size, program);
  const chunk = atOnce ? Math.ceil(size / 2) : 1;
  const adds = Array.from({ length: Math.ceil(size / chunk) }, (_, i) => ({
    path: `${group}/rollouts`,
    body: { ...shared, position: i * chunk, rollouts: members.slice(i * chunk, (i + 1) * chunk) },
  }));
  const steps = atOnce ? adds.map((one) => [one]) : [adds];
  return {
    name: `named group of ${size} ${atOnce ? "in halves" : "one by one"}, ${judge}`,
    judge,
    steps: [...steps, [{ path: `${group}/close`, body: { deadline_ms: 20_000 } }]],
  };
}

/** One-sample contracts whose requests are gathered, or judged alone. */
function gathered(contract: (typeof CONTRACTS)[number], size: number, judge: JudgeName): RecordedCase {
  const url = `${contract.path}?group_size=${size}&deadline_ms=20000&run_id=recorded`;
  // The fourth's program is the first's; equal texts would be one request sent twice.
  const one = (i: number) => ({
    path: url,
    body: contract.body("Say it.", i === 3 ? `So. ${program(0)}` : program(i)),
  });
  return {
    name: `${contract.path} of ${size}, ${judge}`,
    judge,
    steps: [Array.from({ length: size }, (_, i) => one(i))],
  };
}

const RANKINGS: Readonly<Record<string, unknown>> = {
  "/v2/rerank": contracts.rerank,
  "/v1/rerank": contracts.rerank,
  "/rerank": contracts.tei,
  "/score": contracts.score,
  "/classify": contracts.classify,
  "/v1/score_batch": contracts.scoreBatch,
  "/v1/chat/completions": contracts.chat,
  "/v1/responses": contracts.responses,
  "/openrlhf/get_reward": contracts.openRlhf,
  "/nemo-gym/compare": contracts.nemoGymCompare,
};

export const CASES: readonly RecordedCase[] = [
  ...Object.entries(SPECS).flatMap(([name, spec]) => rewards(name, spec)),
  ...SIZES.slice(0, 5).flatMap((size) => JUDGES.slice(0, 3).map((judge) => named(size, judge, size % 2 === 0))),
  ...CONTRACTS.flatMap((contract) =>
    [1, 2, 5].flatMap((size) => JUDGES.slice(0, 3).map((judge) => gathered(contract, size, judge))),
  ),
  ...Object.entries(RANKINGS).flatMap(([path, body]) =>
    JUDGES.map((judge) => ({ name: `${path}, ${judge}`, judge, steps: [[{ path, body }]] })),
  ),
];
