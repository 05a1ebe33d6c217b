// Options for clients of other tools, which can set them only in the URL or in headers.

import * as z from "zod";
import { said } from "#said";
import { groupSizeOf } from "../../../core/contract/group-sizes.ts";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../../core/contract/requests.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import type { RouteDeps } from "../../door/deps.ts";
import { numberText, queryParameters, wholeNumber } from "../../door/parameters.ts";
import type { AppContext } from "../../door/scope.ts";

/** Schema of a query parameter that is one of `words` or a number within safe bounds. */
const numberOr = <W extends string>(...words: W[]) =>
  z
    .string()
    .regex(
      new RegExp(String.raw`^(?:${words.join("|")}|[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)$`),
      `must be ${words.map((word) => `"${word}"`).join(", ")} or a number such as 0 or -0.5, of at most 15 digits`,
    )
    .transform((text): W | number => words.find((word) => word === text) ?? Number(text) + 0);

/** Name for an additional reply field, which must differ from all other fields of the reply. */
export const ResponseFieldSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    "must start with a letter or `_` and contain only letters, digits and `_`, at most 64 characters",
  );

/** Options that all of these APIs accept. */
export const SharedOptionsSchema = z.object({
  spec: SpecNameSchema.optional().meta(said("name of a stored spec")),
  run_id: RunIdSchema.optional().meta(said("the trainer's name for the run, used in the run log")),
  step: numberText(StepSchema).optional().meta(said("the trainer's step, used in the run log")),
  deadline_ms: numberText(RewardsRequestSchema.shape.deadline_ms.unwrap())
    .optional()
    .meta(said("deadline in ms; default: the contract's deadline")),
});

/** Options of APIs whose requests contain whole groups. */
export const OptionsSchema = SharedOptionsSchema.extend({
  on_failure: numberOr("null")
    .default("null")
    .transform((given) => (given === "null" ? null : given))
    .meta(said("replacement for a missing reward: `null` (default) or a number")),
  response_field: ResponseFieldSchema.optional().meta(said("additional name for `rewards`")),
});
export type Options = z.output<typeof OptionsSchema>;

/** Options of APIs whose requests contain one sample. */
export const SampleOptionsSchema = SharedOptionsSchema.extend({
  group_size: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(
      said(
        "samples per prompt: the group is judged as soon as this many have arrived. A row's own `kritai_group_size` takes precedence. Default: the key's group size (`GROUP_SIZES`)",
      ),
    ),
  val_group_size: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(
      said(
        "`group_size` for validation samples (rows whose `split` is not train). Default: the training group size; for verl 1: the sample is scored immediately by itself, and a spec that compares answers returns 400 `group_too_small`, or applies `on_failure`",
      ),
    ),
  log_step: numberText(StepSchema)
    .optional()
    .meta(
      said(
        "the trainer's step, used only in the run log. Samples of one group may have different values: the group gets the latest. In contrast, `step` is part of the group's identity",
      ),
    ),
  group_window_ms: wholeNumber(0, "group_window_ms_max")
    .optional()
    .meta(
      said(
        `the group is judged this many ms after its last sample arrived; default: ${LIMITS.group_window_ms_default}, with group_size: half of the deadline`,
      ),
    ),
  tries: wholeNumber(1, "client_tries_max")
    .optional()
    .meta(
      said(
        "attempts that the client makes per request; all but the last two may get 503 `gathering` while the group is incomplete. Default: the attempts of the contract's clients; 1: each request waits until it is judged",
      ),
    ),
  on_failure: numberOr("error", "flag")
    .optional()
    .meta(
      said(
        "replacement for a missing reward: `error` (default: an HTTP error), a number, or `flag`: the tool's own mark of a failure (NeMo-Gym: reward 0 with flags; eval-protocol: `is_score_valid: false`; other contracts: an HTTP error)",
      ),
    ),
  on_incomplete: z
    .enum(["judge", "error"])
    .default("judge")
    .meta(
      said(
        "behavior if a group of known size lacks samples at half of the deadline: `judge` (default) judges the samples that arrived; `error` returns 503 `gathering` and judges no sample before all have arrived",
      ),
    ),
  format: z.enum(["number", "object"]).optional().meta(said("`object`: returns a dict for `--reward-key score`")),
});
export type SampleOptions = z.output<typeof SampleOptionsSchema>;

/**
 * The header that corresponds to an option, such as `Kritai-On-Failure` for `on_failure`. For tools that can
 * set headers but no query parameters.
 */
export const optionHeader = (name: string): string =>
  `Kritai-${name.replace(/(^|_)([a-z])/g, (_, dash: string, letter: string) => `${dash && "-"}${letter.toUpperCase()}`)}`;

const headersOf = (schema: z.ZodObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, optionHeader(name)]));
const OPTION_HEADERS = /* @__PURE__ */ headersOf(OptionsSchema);
const SAMPLE_HEADERS = /* @__PURE__ */ headersOf(SampleOptionsSchema);

/**
 * The options in the URL; those missing there are taken from headers. Throws `invalid_request`, naming the
 * parameter or header.
 */
export function urlOptions(c: AppContext): Options {
  return queryParameters(c, OptionsSchema, OPTION_HEADERS);
}

/**
 * The options for APIs whose requests contain one sample. If `group_size` is missing, the group size
 * configured for the key applies.
 */
export function sampleOptions(c: AppContext, { group_sizes }: Pick<RouteDeps, "group_sizes">): SampleOptions {
  const options = queryParameters(c, SampleOptionsSchema, SAMPLE_HEADERS);
  if (options.group_size !== undefined) return options;
  return { ...options, group_size: groupSizeOf(group_sizes, c.get("scope").key_name) };
}
