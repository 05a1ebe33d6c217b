// Owns the rules between fields that JSON Schema can say and zod's output does not, by component of
// the OpenAPI document. Their truth is the code that refuses.

import { OPENED_TURN } from "../../../src/api/contracts/chat-template.ts";
import { ScoreBatchReplySchema } from "../../../src/api/contracts/flat/score-batch.ts";
import { SIDES } from "../../../src/api/contracts/rerank/score.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY } from "../../../src/core/formulations/formulations.ts";
import { PROMPTS } from "../../../src/core/judges/templates.generated.ts";

/** A piece of JSON Schema that is laid over what zod generates. */
export interface Rule {
  readonly [keyword: string]: unknown;
}

const fields = (properties: Rule): Rule => ({ properties });
const elements = (field: string, items: Rule): Rule => fields({ [field]: { items } });
const needs = (...required: string[]): Rule => ({ required });
/** Of an object: the fields are there and are of their kinds. */
const has = (kinds: Rule): Rule => ({ ...needs(...Object.keys(kinds)), ...fields(kinds) });
const not = (rule: Rule): Rule => ({ not: rule });
const when = (condition: Rule, then: Rule): Rule => ({ if: condition, then });
const size = (most: number, least?: number): Rule => ({
  maxItems: most,
  ...(least !== undefined && { minItems: least }),
});
const contains = (rule: Rule): Rule => ({ contains: rule });

const overlong = has({ overlong: { type: "object" } });
const lengths = needs("length_tokens");
const flat = LIMITS.rollouts_per_request_max;
/**
 * Several of them, though a contract may take one: a text that is alone has nothing to be compared
 * with.
 */
const texts: Rule = {
  anyOf: undefined,
  type: "array",
  items: { type: "string", maxLength: LIMITS.rollout_text_bytes },
  ...size(flat, 2),
};

const judge: Rule = {
  ...when(has({ mode: { const: "listwise" } }), fields({ schedule: { const: "single_list" } })),
  else: fields({ schedule: { const: "round_robin" } }),
  ...fields({ prompt: { enum: Object.keys(PROMPTS) } }),
};

/** What the items of these formulations need; the others' items `otherwise`. */
const formulations = (names: ReadonlySet<string>, then: Rule, otherwise?: Rule): Rule => ({
  ...when(fields({ formulation: { enum: [...names] } }), elements("items", then)),
  ...(otherwise !== undefined && { else: elements("items", otherwise) }),
});

/** A chat's text that may hold a comparison: our own prompt, or JSON. */
const comparison: Rule = {
  anyOf: [{ type: "array" }, { type: "string", pattern: String.raw`\[QUESTION\]\n|^\s*\{` }],
};

/** An item of OpenAI's Responses that is a turn of a chat. */
const turn: Rule = {
  anyOf: [
    has({ type: { const: "function_call_output" } }),
    has({ role: { type: "string", minLength: 1, maxLength: 64 } }),
  ],
};

const takenNames = Object.keys(ScoreBatchReplySchema.shape).filter((name) => name !== "rewards");

/**
 * By component. Nothing here refuses what the routes accept, and what it refuses they refuse:
 * test/api/routes/documented-bodies.test.ts. Not sayable: lists of one length, an index or a count
 * below another field, sums over a list, names that are stored, safe expressions.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  Spec: fields({ judge }),
  RewardsRequest: {
    ...when(has({ spec: { type: "object", ...overlong } }), elements("groups", elements("rollouts", lengths))),
    ...fields({ spec: { default: "default" } }),
  },
  VerdictsRequest: {
    allOf: [
      formulations(NEEDS_PASS_RATES, needs("pass_rates"), {
        anyOf: [needs("pass_rates"), needs("candidates", "correct")],
      }),
      formulations(
        PAIRS_ONLY,
        fields({ candidates: { const: 2 }, correct: { maximum: 1 }, pass_rates: { maxItems: 2 } }),
      ),
      when(overlong, elements("items", lengths)),
    ],
  },
  EvaluationsRequest: elements("lists", {
    dependentRequired: { parsed: ["generations"] },
    ...fields({
      selected: { maximum: LIMITS.evaluation_candidates_max - 1 },
      tags: { maxProperties: LIMITS.evaluation_tags_max },
    }),
  }),
  RerankRequest: {
    ...when(
      not(has({ rank_fields: { type: "array", minItems: 1 } })),
      elements("documents", has({ text: { type: "string" } })),
    ),
    ...fields({ rank_fields: size(LIMITS.rollouts_per_group_max) }),
  },
  // Behind a condition: generators make a type of each alternative otherwise.
  ScoreRequest: when(
    { type: "object" },
    { anyOf: SIDES.map(([left, right]) => has({ [left]: size(flat), [right]: { type: "array", ...size(flat, 2) } })) },
  ),
  ClassifyRequest: {
    ...when(not(has({ query: { type: ["string", "array"] } })), elements("input", { pattern: OPENED_TURN })),
    ...fields({ input: texts, query: size(flat) }),
  },
  ScoreBatchRequest: {
    ...when(has({ spec: { type: "object", ...overlong } }), {
      anyOf: ["length_tokens", "completion_ids"].map((name) => has({ [name]: { type: "array" } })),
    }),
    ...fields({ completions: size(flat, 1), prompts: size(flat, 1), response_field: not({ enum: takenNames }) }),
  },
  ChatRequest: fields({
    messages: {
      ...size(LIMITS.messages_max),
      ...contains(has({ role: { const: "user" }, content: comparison })),
    },
  }),
  OpenRlhfRequest: {
    ...when(not(has({ prompts: { type: "array" } })), elements("query", { pattern: OPENED_TURN })),
    ...fields({ query: size(flat), prompts: size(flat), labels: size(flat) }),
  },
  EvaluateRequest: fields({
    messages: { ...size(LIMITS.messages_max), ...contains(has({ role: { const: "assistant" } })) },
  }),
  VerlRequest: fields({ extra_info: when(not(needs("question")), needs("prompt")) }),
  NemoGymVerifyRequest: fields({
    responses_create_params: when(
      not(has({ instructions: { type: "string", minLength: 1 } })),
      fields({ input: contains(turn) }),
    ),
  }),
};

/** The schema with the rule laid over it: objects field by field, everything else replaced. */
export function laidOver(schema: unknown, rule: Rule): Rule {
  const laid: Record<string, unknown> = { ...(schema as Rule | undefined) };
  for (const [keyword, value] of Object.entries(rule)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    laid[keyword] = isObject ? laidOver(laid[keyword], value as Rule) : value;
  }
  return laid;
}
