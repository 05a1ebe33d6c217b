// Owns bodies of POST /v1/rewards that are refused, each with its code, field and what the message
// names.
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fenced, twoRollouts } from "./harness.ts";

export const group = (more: object = {}) => ({ ...twoRollouts().groups[0], ...more });

export const rollouts = (n: number, more: object = {}) =>
  Array.from({ length: n }, (_, i) => ({ text: fenced(`x${i}`), ...more }));

export const withRollout = (more: object) => ({
  groups: [group({ rollouts: [{ text: "t", ...more }, { text: "u" }] })],
});

export const withSpec = (spec: unknown) => ({ spec, groups: [group()] });

export const CASES: [name: string, body: unknown, code: string, path: string, names: string][] = [
  [
    "a number for a text",
    { groups: [group({ rollouts: [{ text: 5 }] })] },
    "invalid_request",
    "groups[0].rollouts[0].text",
    "string",
  ],
  ["few tokens first", withSpec({ judge: { think: { first: 9 } } }), "invalid_request", "spec.judge.think", "unknown"],
  [
    "few tokens first, of a signal",
    withSpec({ signals: { q: { kind: "tournament", judge: { think: { first: 9 } } } }, reward: "q" }),
    "invalid_request",
    "spec.signals.q.judge.think",
    "unknown field",
  ],
  ["an unknown field", { groups: [group({ colour: 1 })] }, "invalid_request", "groups[0].colour", "unknown field"],
  [
    "a negative length",
    withRollout({ length_tokens: -1 }),
    "invalid_request",
    "groups[0].rollouts[0].length_tokens",
    "at least 0",
  ],
  [
    "a fractional length",
    withRollout({ length_tokens: 1.5 }),
    "invalid_request",
    "groups[0].rollouts[0].length_tokens",
    "int",
  ],
  [
    "a pass rate above 1",
    withRollout({ pass_rate: 1.1 }),
    "invalid_request",
    "groups[0].rollouts[0].pass_rate",
    "at most 1",
  ],
  ["0 groups", { groups: [] }, "invalid_request", "groups", "at least 1"],
  ["no groups field", {}, "invalid_request", "groups", "required"],
  ["groups that are no list", { groups: "all" }, "invalid_request", "groups", "array"],
  [
    "257 groups",
    { groups: Array.from({ length: 257 }, () => group()) },
    "invalid_request",
    "groups",
    "groups_max is 256",
  ],
  ["0 rollouts", { groups: [group({ rollouts: [] })] }, "invalid_request", "groups[0].rollouts", "at least 1"],
  [
    "65 rollouts",
    { groups: [group(), group({ rollouts: rollouts(65) })] },
    "invalid_request",
    "groups[1].rollouts",
    "rollouts_per_group_max is 64",
  ],
  [
    "2,112 rollouts",
    { groups: Array.from({ length: 33 }, () => group({ rollouts: rollouts(64) })) },
    "too_many_rollouts",
    "groups",
    "rollouts_per_request_max is 2048",
  ],
  ["a deadline of 1 ms", { deadline_ms: 1, groups: [group()] }, "invalid_request", "deadline_ms", "deadline_ms_min"],
  [
    "a deadline too far",
    { deadline_ms: 600_001, groups: [group()] },
    "invalid_request",
    "deadline_ms",
    "deadline_ms_max",
  ],
  [
    "a text over its limit",
    withRollout({ text: "x".repeat(LIMITS.rollout_text_bytes + 1) }),
    "invalid_request",
    "groups[0].rollouts[0].text",
    "rollout_text_bytes = 524288",
  ],
  [
    "a prompt over its limit",
    { groups: [group({ prompt: "é".repeat(140_000) })] },
    "invalid_request",
    "groups[0].prompt",
    "prompt_bytes = 262144",
  ],
  [
    "a wrong chat prompt",
    { groups: [group({ prompt: [{ role: "user" }] })] },
    "invalid_request",
    "groups[0].prompt[0].content",
    "required",
  ],
  [
    "a prompt of a wrong type",
    { groups: [group({ prompt: 7 })] },
    "invalid_request",
    "groups[0].prompt",
    "string or array",
  ],
  ["a bad run_id", { run_id: "a b", groups: [group()] }, "invalid_request", "run_id", "[A-Za-z0-9._:-]{1,128}"],
  [
    "a repeated group_id",
    { groups: [group({ group_id: "p" }), group({ group_id: "p" })] },
    "invalid_request",
    "groups[1].group_id",
    "groups[0]",
  ],
  [
    "a group_id that is another's index",
    { groups: [group(), group({ group_id: "0" })] },
    "invalid_request",
    "groups[1].group_id",
    "groups[0]",
  ],
  [
    "an overlong spec without length_tokens",
    withSpec({ overlong: { max_tokens: 9, cache_tokens: 3 } }),
    "length_tokens_required",
    "groups[0].rollouts[0].length_tokens",
    "overlong",
  ],
  [
    "cache_tokens above max_tokens",
    withSpec({ overlong: { max_tokens: 3, cache_tokens: 4 } }),
    "invalid_request",
    "spec.overlong.cache_tokens",
    "at most max_tokens",
  ],
  ["an unknown spec", withSpec("nobody"), "unknown_spec", "spec", "stored spec"],
  [
    "an unknown field of a spec",
    withSpec({ judge: { mod: "pairwise" } }),
    "invalid_request",
    "spec.judge.mod",
    "unknown field",
  ],
  [
    "a wrong choice in a spec",
    withSpec({ judge: { mode: "both" } }),
    "invalid_request",
    "spec.judge.mode",
    '"pairwise", "listwise"',
  ],
  [
    "a schedule of the other mode",
    withSpec({ judge: { mode: "listwise", schedule: "round_robin" } }),
    "invalid_request",
    "spec.judge.schedule",
    "single_list, blocks for listwise",
  ],
  ["65 samples", withSpec({ judge: { samples: 65 } }), "invalid_request", "spec.judge.samples", "samples_max"],
  [
    "an unknown prompt template",
    withSpec({ judge: { prompt: "nope" } }),
    "unknown_prompt",
    "spec.judge.prompt",
    "must be one of",
  ],
  [
    "a wrong format rule",
    withSpec({ format: { rules: ["has_candidates"] } }),
    "invalid_request",
    "spec.format.rules[0]",
    '"has_candidate", "closed_think"',
  ],
  [
    "nine format rules",
    withSpec({ format: { rules: Array(9).fill("has_candidate") } }),
    "invalid_request",
    "spec.format.rules",
    "format_rules_max is 8",
  ],
  [
    "a regex that would backtrack for ever",
    withSpec({ format: { rules: [{ regex: "(a+)+$" }] } }),
    "unsafe_regex",
    "spec.format.rules[0]",
    "",
  ],
  [
    "a regex with look-ahead",
    withSpec({ format: { rules: [{ regex: "(?=a)" }] } }),
    "unsafe_regex",
    "spec.format.rules[0]",
    "",
  ],
  ["a list for the body", [1], "invalid_request", "$", "object"],
  ["null for the body", "null", "invalid_request", "$", "object"],
  ["1e999", '{"deadline_ms":1e999,"groups":[]}', "invalid_request", "deadline_ms", "too large"],
  [
    "NaN",
    '{"groups":[{"prompt":"p","rollouts":[{"text":"t","pass_rate":NaN}]}]}',
    "invalid_json",
    "groups[0].rollouts[0].pass_rate",
    "NaN",
  ],
  ["-Infinity", '{"deadline_ms": -Infinity}', "invalid_json", "deadline_ms", "Infinity"],
  ["a text cut short", '{"groups":[{"prompt":"p', "invalid_json", "groups[0].prompt", "not closed"],
  ["an empty body", " ", "invalid_json", "$", "empty"],
  [
    "a __proto__ field",
    '{"__proto__":{"groups":[]},"groups":[{"prompt":"p","rollouts":[{"text":"t"}]}]}',
    "invalid_request",
    "__proto__",
    "unknown field",
  ],
];
