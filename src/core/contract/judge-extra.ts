// The fields of an engine's request that not every engine has, as `reasoning_effort`: the deployment lists
// their names. Must not know any engine.
import * as z from "zod";
import { said } from "#said";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

/** A field of an engine's request. */
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Written by us, or of a kind by which an answer could not be read as it is. */
const OWN: ReadonlySet<string> = new Set(
  (
    "model messages prompt stream stream_options seed n best_of temperature top_p max_tokens max_completion_tokens " +
    "logprobs top_logprobs prompt_logprobs echo stop stop_token_ids response_format tools tool_choice functions " +
    "function_call modalities audio store user metadata priority judge_template"
  ).split(" "),
);

/** Whether a deployment may list the name: of a field, or of one below it, `field.name`. */
export function isExtraName(name: string): boolean {
  const words = name.split(".");
  return words.length <= 2 && words.every((word) => NAME.test(word) && !OWN.has(word));
}

/**
 * The fields that a deployment does not list, by their path below `extra`. A field that holds others
 * is listed with each of them, as `field.name`, or as both names apart.
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

/** Fields by name. */
export const JudgeExtraSchema = z
  .record(
    z.string().regex(NAME).refine(isExtraName, "must be a field of the engine's own, and none that a spec has"),
    value,
  )
  .refine((extra) => Object.keys(extra).length <= LIMITS.judge_extra_max, theLimit("judge_extra_max"))
  .refine((extra) => JSON.stringify(extra).length <= LIMITS.judge_extra_chars, theLimit("judge_extra_chars"))
  .meta(said("further fields of the engine's request, such as reasoning_effort, that the deployment lists"));

export type JudgeExtra = z.output<typeof JudgeExtraSchema>;
