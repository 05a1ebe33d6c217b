// The options that foreign clients can only put into the URL or a header.

import * as z from "zod";
import { said } from "#said";
import { groupSizeOf } from "../../../core/contract/group-sizes.ts";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../../core/contract/requests.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import type { RouteDeps } from "../../door/deps.ts";
import { numberText, queryParameters, wholeNumber } from "../../door/parameters.ts";
import type { AppContext } from "../../door/scope.ts";

/** A text as one of some words, or as a number within safe bounds. */
const numberOr = <W extends string>(...words: W[]) =>
  z
    .string()
    .regex(
      new RegExp(String.raw`^(?:${words.join("|")}|[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)$`),
      `must be ${words.map((word) => `"${word}"`).join(", ")} or a number such as 0 or -0.5, of at most 15 digits`,
    )
    .transform((text): W | number => words.find((word) => word === text) ?? Number(text) + 0);

/** A name for a reply's field that no other field of a reply has. */
export const ResponseFieldSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be a plain name");

/** Options of every contract. */
export const SharedOptionsSchema = z.object({
  spec: SpecNameSchema.optional().meta(said("a stored spec's name")),
  run_id: RunIdSchema.optional().meta(said("the trainer's name of the run, for the run log")),
  step: numberText(StepSchema).optional().meta(said("the trainer's step, for the run log")),
  deadline_ms: numberText(RewardsRequestSchema.shape.deadline_ms.unwrap())
    .optional()
    .meta(said("a deadline other than the contract's own")),
});

/** Options of the contracts that carry whole groups. */
export const OptionsSchema = SharedOptionsSchema.extend({
  on_failure: numberOr("null")
    .default("null")
    .transform((given) => (given === "null" ? null : given))
    .meta(said("what stands for a reward that could not be had: `null` (default), or the caller's own number")),
  response_field: ResponseFieldSchema.optional().meta(said("a second name for `rewards`")),
});
export type Options = z.output<typeof OptionsSchema>;

/** Options of the contracts that send one sample a request. */
export const SampleOptionsSchema = SharedOptionsSchema.extend({
  group_size: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(
      said(
        "samples of a prompt: the group is judged as soon as so many are there. A row's own `kritai_group_size` goes before it. Else the key's default (`GROUP_SIZES`)",
      ),
    ),
  val_group_size: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(
      said(
        "group_size of samples whose row says that they are validation's (`split` other than train). Default: as training's; of verl 1: such a sample is scored at once, alone; a spec that compares answers 400 `group_too_small`, or `on_failure`",
      ),
    ),
  log_step: numberText(StepSchema)
    .optional()
    .meta(
      said(
        "the trainer's step for the run log alone, where samples of one group may say different ones: the group has the latest. `step` is part of what a group is",
      ),
    ),
  group_window_ms: wholeNumber(0, "group_window_ms_max")
    .optional()
    .meta(
      said(
        `the group is judged this long after its last sample came; default ${LIMITS.group_window_ms_default}, with group_size half of the deadline`,
      ),
    ),
  tries: wholeNumber(1, "client_tries_max")
    .optional()
    .meta(
      said(
        "how often the client sends a request that fails; all but the last two may be answered 503 `gathering` while the group is incomplete. Default: the contract's clients' own; 1: each request is held until it is judged",
      ),
    ),
  on_failure: numberOr("error", "flag")
    .optional()
    .meta(
      said(
        "what stands for a reward that could not be had: `error` (an HTTP error, the default), the caller's own number, or `flag`: what the contract's own tool marks as failed (NeMo-Gym's reward 0 with its flags, eval-protocol's `is_score_valid: false`); elsewhere an error",
      ),
    ),
  on_incomplete: z
    .enum(["judge", "error"])
    .default("judge")
    .meta(
      said(
        "what comes of a group whose size is known and that lacks a sample by half of the deadline: `judge` those who came (default), or `error`: 503 `gathering`, and nobody is judged before all are there",
      ),
    ),
  format: z.enum(["number", "object"]).optional().meta(said("`object`: a dict for --reward-key score")),
});
export type SampleOptions = z.output<typeof SampleOptionsSchema>;

/**
 * The header that may carry an option, for tools that can be given headers and a base URL, but not a query:
 * `Kritai-On-Failure` is `on_failure`.
 */
export const optionHeader = (name: string): string =>
  `Kritai-${name.replace(/(^|_)([a-z])/g, (_, dash: string, letter: string) => `${dash && "-"}${letter.toUpperCase()}`)}`;

const headersOf = (schema: z.ZodObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, optionHeader(name)]));
const OPTION_HEADERS = /* @__PURE__ */ headersOf(OptionsSchema);
const SAMPLE_HEADERS = /* @__PURE__ */ headersOf(SampleOptionsSchema);

/**
 * The options of the URL, and of headers what the URL does not say; parameters of other names are
 * ignored. Throws `invalid_request` naming the parameter or the header.
 */
export function urlOptions(c: AppContext): Options {
  return queryParameters(c, OptionsSchema, OPTION_HEADERS);
}

/**
 * The same for contracts that send one sample a request. Without a group_size the key's own, which
 * the deployment has stored, holds.
 */
export function sampleOptions(c: AppContext, { group_sizes }: Pick<RouteDeps, "group_sizes">): SampleOptions {
  const options = queryParameters(c, SampleOptionsSchema, SAMPLE_HEADERS);
  if (options.group_size !== undefined) return options;
  return { ...options, group_size: groupSizeOf(group_sizes, c.get("scope").key_name) };
}
