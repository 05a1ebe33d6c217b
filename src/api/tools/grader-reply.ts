// Owns how a graded sample is told in OpenAI's shape of a grader's run: reward, rewards of a
// multi's graders, fourteen flags. A failure is null and a flag, never a number.

import * as z from "zod";
import { said } from "#said";
import type { RolloutResult } from "../../core/contract/replies.ts";
import { ApiError, ITEM_ERRORS, type ItemErrorCode } from "../../core/faults/errors.ts";
import type { VerdictRow } from "../../ports/run-log.ts";
import type { ScoredRequest } from "../../scoring/score-and-log.ts";
import type { Grader } from "./grader-schema.ts";
import { type GraderPart, type GraderSpec, inGraderTerms } from "./grader-spec.ts";
import { UsageSchema } from "./shared/judging.ts";

const ErrorsSchema = z.object({
  formula_parse_error: z.boolean(),
  sample_parse_error: z.boolean(),
  truncated_observation_error: z.boolean(),
  unresponsive_reward_error: z.boolean(),
  invalid_variable_error: z.boolean(),
  other_error: z.boolean(),
  python_grader_server_error: z.boolean(),
  python_grader_server_error_type: z.string().nullable(),
  python_grader_runtime_error: z.boolean(),
  python_grader_runtime_error_details: z.string().nullable(),
  model_grader_server_error: z.boolean(),
  model_grader_refusal_error: z.boolean(),
  model_grader_parse_error: z.boolean(),
  model_grader_server_error_details: z.string().nullable(),
});
type Errors = z.output<typeof ErrorsSchema>;

const scores = z.record(z.string(), z.number().nullable());

export const RunReplySchema = z.object({
  reward: z
    .number()
    .nullable()
    .meta(said("null where it could not be had; a flag in `metadata.errors` says why. `on_failure` may name a number")),
  sub_rewards: scores.meta(said("of a multi, by its graders' names")),
  metadata: z.object({
    name: z.string(),
    type: z.string(),
    errors: ErrorsSchema,
    execution_time: z.number().meta(said("seconds")),
    scores,
    token_usage: z.int().nullable(),
    sampled_model_name: z.string().nullable(),
  }),
  model_grader_token_usage_per_model: z.record(z.string(), UsageSchema),
});
type RunReply = z.output<typeof RunReplySchema>;

const CALM: Errors = {
  formula_parse_error: false,
  sample_parse_error: false,
  truncated_observation_error: false,
  unresponsive_reward_error: false,
  invalid_variable_error: false,
  other_error: false,
  python_grader_server_error: false,
  python_grader_server_error_type: null,
  python_grader_runtime_error: false,
  python_grader_runtime_error_details: null,
  model_grader_server_error: false,
  model_grader_refusal_error: false,
  model_grader_parse_error: false,
  model_grader_server_error_details: null,
};

type Flag = keyof { [flag in keyof Errors as Errors[flag] extends boolean ? flag : never]: true };

/** By code, the flag that says the same; a verifier's other failures are the grader's server's. */
const FLAGS: Partial<Record<ItemErrorCode, Flag>> = {
  sample_not_json: "sample_parse_error",
  sample_too_long: "sample_parse_error",
  text_too_long: "other_error",
  partial: "other_error",
  context_exceeded: "truncated_observation_error",
  deadline: "unresponsive_reward_error",
  cancelled: "unresponsive_reward_error",
  content_filtered: "model_grader_refusal_error",
  unparsed: "model_grader_parse_error",
};

function errorsOf(codes: readonly ItemErrorCode[]): Errors {
  const errors = { ...CALM };
  for (const code of codes) {
    const flag = FLAGS[code] ?? "model_grader_server_error";
    errors[flag] = true;
    if (flag === "model_grader_server_error") {
      errors.model_grader_server_error_details ??= `${code}: ${ITEM_ERRORS[code]}`;
    }
  }
  return errors;
}

function usageOf(verdicts: readonly VerdictRow[]): RunReply["model_grader_token_usage_per_model"] {
  const usage: RunReply["model_grader_token_usage_per_model"] = {};
  for (const { model, prompt_tokens, completion_tokens } of verdicts) {
    if (model === null) continue;
    const known = usage[model] ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    usage[model] = {
      prompt_tokens: known.prompt_tokens + prompt_tokens,
      completion_tokens: known.completion_tokens + completion_tokens,
      total_tokens: known.total_tokens + prompt_tokens + completion_tokens,
    };
  }
  return usage;
}

/** A graded sample; `on_failure` stands for a reward that could not be had. */
export function runReply(
  grader: Grader,
  parts: readonly GraderPart[],
  { reply, groups }: ScoredRequest,
  on_failure: number | null,
): RunReply {
  const [result] = reply.groups.flatMap(({ rollouts }) => rollouts);
  const { reward, components, errors = {}, details = {} } = result as RolloutResult;
  const unread = Object.values(details).flatMap((detail) => ("unreadable" in detail ? [detail.unreadable] : []));
  const codes = [...Object.values(errors).filter((code) => code !== null), ...unread] as ItemErrorCode[];
  const sub_rewards = Object.fromEntries(parts.map(({ name, signal }) => [name, components[signal] ?? null]));
  const usage = usageOf(groups[0]?.verdicts ?? []);
  const models = Object.keys(usage);
  const tokens = Object.values(usage).reduce((sum, { total_tokens }) => sum + total_tokens, 0);
  return {
    reward: reward ?? on_failure,
    sub_rewards: grader.type === "multi" ? sub_rewards : {},
    metadata: {
      name: grader.name,
      type: grader.type,
      errors: errorsOf(codes),
      execution_time: reply.timing_ms.total / 1000,
      scores: sub_rewards,
      token_usage: models.length === 0 ? null : tokens,
      sampled_model_name: models[0] ?? null,
    },
    model_grader_token_usage_per_model: usage,
  };
}

/**
 * The reply where the dataset's row lacks what a template names, and nothing was asked. Throws any
 * other fault in the grader's terms.
 */
export function failedReply(error: unknown, grader: Grader, graded: GraderSpec, on_failure: number | null): RunReply {
  if (!(error instanceof ApiError) || error.code !== "facts_required") throw inGraderTerms(error, graded);
  const scores = Object.fromEntries(graded.parts.map(({ name }) => [name, null]));
  return {
    reward: on_failure,
    sub_rewards: grader.type === "multi" ? scores : {},
    metadata: {
      ...{ name: grader.name, type: grader.type, errors: { ...CALM, invalid_variable_error: true } },
      ...{ execution_time: 0, scores, token_usage: null, sampled_model_name: null },
    },
    model_grader_token_usage_per_model: {},
  };
}
