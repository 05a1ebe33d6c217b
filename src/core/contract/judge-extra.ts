// Optional fields of engine requests that not every engine supports, such as `reasoning_effort`. Only names
// that the deployment lists are allowed.
import * as z from "zod";
import { said } from "#said";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Reserved names: fields that this service sets itself, or that would change the format of the reply. */
const OWN: ReadonlySet<string> = new Set(
  (
    "model messages prompt stream stream_options seed n best_of temperature top_p max_tokens max_completion_tokens " +
    "logprobs top_logprobs prompt_logprobs echo stop stop_token_ids response_format tools tool_choice functions " +
    "function_call modalities audio store user metadata priority judge_template"
  ).split(" "),
);

/** Whether a deployment may list this name: either a field, or a nested field written as `field.name`. */
export function isExtraName(name: string): boolean {
  const words = name.split(".");
  return words.length <= 2 && words.every((word) => NAME.test(word) && !OWN.has(word));
}

/**
 * Returns the paths below `extra` that the deployment does not list. Each property of an object must be
 * listed, either as `field.name` or as two separate names.
 */
export function unlistedFields(extra: JudgeExtra, listed: readonly string[]): string[] {
  const isListed = (name: string) => listed.includes(name);
  return Object.entries(extra).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return isListed(name) ? [] : [name];
    const below = Object.keys(value);
    if (below.length === 0) return isListed(name) ? [] : [name];
    return below
      .filter((inner) => !isListed(`${name}.${inner}`) && !(isListed(name) && isListed(inner)))
      .map((inner) => `${name}.${inner}`);
  });
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const value = z.union([scalar, z.array(scalar), z.record(z.string(), scalar)]);

/** Additional request fields, by name. */
export const JudgeExtraSchema = z
  .record(
    z.string().regex(NAME).refine(isExtraName, "must be one of the engine's own fields, not one that the spec sets"),
    value,
  )
  .refine((extra) => Object.keys(extra).length <= LIMITS.judge_extra_max, theLimit("judge_extra_max"))
  .refine((extra) => JSON.stringify(extra).length <= LIMITS.judge_extra_chars, theLimit("judge_extra_chars"))
  .meta(
    said(
      "additional fields of the engine's request, such as `reasoning_effort`; only fields that the deployment lists",
    ),
  );

export type JudgeExtra = z.output<typeof JudgeExtraSchema>;
