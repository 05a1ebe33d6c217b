// One use of every kind of signal for the tests of admission: a spec, what its groups carry, and what an
// honest answer to its question looks like. A kind without an entry is not admitted.
import { STEP_SUMMARY } from "../../src/core/judges/presets/table.ts";
import type { Script } from "../harness/fakes.ts";

export interface KindUse {
  /** Settings of the signal besides its kind. */
  settings: object;
  extract?: "whole" | "last_code_block";
  group?: object;
  /** Fields of the i-th rollout; a `text` here replaces its own. */
  rollout?: (i: number) => object;
  request?: object;
  /** The reward of a kind without a finite range; absent: its value. */
  reward?: string;
  /** Its verifier's, sandbox's or checker's answers; absent: it asks none. */
  answers?: Script;
}

const longest: Script = (shown) => {
  const best = shown.reduce((top, text, i) => (text.length > (shown[top] as string).length ? i : top), 0);
  return `\\boxed{${String.fromCharCode(65 + best)}}`;
};
const says =
  (answer: string): Script =>
  () =>
    answer;

/** By kind, and where a kind asks in several ways, by `kind/way`. */
export const KIND_USES: Readonly<Record<string, KindUse>> = {
  tournament: { settings: {}, answers: longest },
  "tournament/list": {
    settings: { judge: { mode: "listwise", form: "scores" }, score: "mean_score" },
    answers: (shown) => `\\boxed{${shown.map((text) => text.length % 10).join(", ")}}`,
  },
  format: { settings: { rules: ["has_candidate"], penalty: 1 } },
  overlong: { settings: { max_tokens: 100, cache_tokens: 50 } },
  length: { settings: { form: "kimi" } },
  repetition: { settings: { ngram: 2, penalty: 1 } },
  tests: { settings: { score: "rate" }, rollout: (i) => ({ tests: [{ status: i === 0 ? "fail" : "pass" }] }) },
  "tests/sandbox": {
    settings: { score: "rate", source: "sandbox" },
    group: { test_cases: [{ stdin: "1\n", stdout: "2\n" }] },
    answers: says("pass"),
  },
  steps: { settings: {}, rollout: (i) => ({ step_scores: [0.5, i / 4] }) },
  "steps/judge": {
    settings: { source: "judge" },
    rollout: (i) => ({ step_texts: [`first of ${i}`, `second of ${i}`] }),
    answers: says("\\boxed{1}"),
  },
  "steps/summary": {
    settings: { source: "judge", judge: { preset: "summary-first-wrong-step" } },
    // The first turn repeats what it read.
    answers: ([text], { job }) => (job.preset === STEP_SUMMARY ? `<step>${text}</step><step>So.</step>` : "\\boxed{1}"),
  },
  "steps/prm": {
    settings: { source: "prm" },
    rollout: (i) => ({ step_texts: [`first of ${i}`, `second of ${i}`] }),
    answers: says("[0.5, 0.25]"),
  },
  "steps/progress": {
    settings: { per_step: "progress", reduce: "sum" },
    group: { start_score: 0.25 },
    rollout: (i) => ({ step_scores: [0.5, i / 4] }),
  },
  "steps/checker": {
    settings: { source: "checker", url: "https://checker.example/steps" },
    rollout: (i) => ({ step_texts: [`first of ${i}`, `second of ${i}`] }),
    answers: says("[1, null]"),
  },
  "steps/log_ratio": {
    settings: { source: "log_ratio", reduce: "sum" },
    reward: "sigmoid(it)",
    rollout: (i) => ({ step_logprobs: [-0.5, -i - 1], base_step_logprobs: [-1, -1] }),
  },
  logprob: { settings: {}, rollout: (i) => ({ reference_logprobs: [-0.5, -i - 1] }) },
  "logprob/r3": {
    settings: { form: "r3" },
    reward: "sigmoid(it)",
    rollout: (i) => ({ reference_logprobs: [-0.5, -i - 1] }),
  },
  "logprob/density_ratio": {
    settings: { form: "density_ratio" },
    reward: "sigmoid(it)",
    rollout: (i) => ({ text_logprobs: [-0.5, -i - 1], base_text_logprobs: [-2] }),
  },
  consensus: {
    settings: { label_free: true, max_steps: 10 },
    rollout: (i) => ({ answer: `${i % 2}` }),
    request: { step: 1 },
  },
  "consensus/cluster_share": {
    settings: { form: "cluster_share", tolerance: 0.01, label_free: true, max_steps: 10 },
    rollout: (i) => ({ answer: `1.00${i}` }),
    request: { step: 1 },
  },
  "consensus/borda": {
    settings: { form: "borda", power: 0.5, label_free: true, max_steps: 10 },
    rollout: (i) => ({ answer: `${i % 2}`, self_certainty: i + 0.5 }),
    request: { step: 1 },
  },
  "consensus/self_certainty": {
    settings: { form: "self_certainty", label_free: true, max_steps: 10 },
    rollout: (i) => ({ self_certainty: i + 0.5 }),
    request: { step: 1 },
  },
  reference: { settings: {}, group: { reference: "42" }, rollout: (i) => ({ text: `It is \\boxed{${42 - i}}.` }) },
  "reference/judge": {
    settings: { tiers: ["judge"] },
    group: { reference: "Paris" },
    rollout: (i) => ({ text: `It is \\boxed{Paris ${i}}.` }),
    answers: says("Final Judgment: \\boxed{A}"),
  },
  scalar: { settings: {}, extract: "whole", answers: ([text = ""]) => `${text.length / 100}` },
  grade: {
    settings: { judge: { preset: "deepseek-grm-point" } },
    extract: "whole",
    answers: says("Score: \\boxed{7}"),
  },
  random: { settings: {} },
  number: { settings: { field: "cost", range: [0, 5] }, rollout: (i) => ({ numbers: { cost: i + 0.5, rest: null } }) },
  rubric: {
    settings: { items: [{ id: "a", text: "Names the city.", points: 2 }] },
    extract: "whole",
    answers: says('{"criterion_1": true, "evidence_1": "Paris"}'),
  },
  "rubric/rating": {
    settings: { score: "implicit_1_10", items: [{ id: "a", text: "Names the city.", points: 2 }] },
    extract: "whole",
    answers: says('{"rating": 7}'),
  },
  text_similarity: { settings: { evaluation_metric: "rouge_1" }, group: { reference: "It is Paris." } },
  external: { settings: { url: "https://checker.example/score", range: [0, 10] }, answers: says("4.5") },
};

export const kindOf = (name: string): string => name.split("/")[0] as string;

const ROLLOUTS = 3;

/** A request with three rollouts that uses a kind as above; `mark` is in each of its texts. */
export function requestOf(name: string, mark = "", log: object = {}) {
  const { settings, extract = "last_code_block", group = {}, rollout = () => ({}), request = {}, reward } = use(name);
  const words = (i: number) => `Rollout ${i} ${mark} has some words${" more".repeat(i)}.`;
  const text = (i: number) =>
    extract === "whole" ? words(i) : `${words(i)}\n\`\`\`python\nprint(${i}, "${mark}")\n\`\`\``;
  const rollouts = Array.from({ length: ROLLOUTS }, (_, i) => ({
    text: text(i),
    length_tokens: 60 + i,
    ...rollout(i),
  }));
  return {
    ...request,
    spec: {
      candidate: { extract },
      signals: { it: { kind: kindOf(name), ...settings } },
      ...(reward !== undefined && { reward }),
      ...log,
    },
    groups: [{ prompt: `Which city? ${mark}`, language: "python", ...group, rollouts }],
  };
}

export function use(name: string): KindUse {
  const found = KIND_USES[name];
  if (found === undefined) throw new Error(`${name} has no entry in test/admission/kinds.ts`);
  return found;
}
