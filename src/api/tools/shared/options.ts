// Options for clients of other tools, which can set them only in the URL or in headers.

import * as z from "zod";
import { said } from "#said";
import { groupSizeOf } from "../../../core/contract/group-sizes.ts";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../../core/contract/request-fields.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { didYouMean, nearest } from "../../../core/faults/suggestion.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import type { AppDeps } from "../../door/deps.ts";
import { numberText, queryParameters, wholeNumber } from "../../door/parameters.ts";
import type { AppContext } from "../../door/scope.ts";
import { invalidRequest } from "../../door/validation.ts";

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

/** Settings that belong in a spec and cannot be set per request. */
export const SPEC_SETTINGS = ["both_orders", "judge", "min_decided", "samples", "signals"];
const TIMES = ["timeout", "timeout_ms", "timeout_s", "deadline", "max_time"];

/** The option that a name stands for: an option of that name, a misspelt one, or a common name for the deadline. */
export const intendedOption = (name: string, options: readonly string[]): string | null =>
  TIMES.includes(name) ? "deadline_ms" : nearest(name, options);

/** Options that only rankings have, in the body or in headers. */
const RANKING_ONLY = ["schedule", "budget", "good_enough"];
const ALL_OPTIONS = /* @__PURE__ */ [
  ...new Set([...Object.keys(OptionsSchema.shape), ...Object.keys(SampleOptionsSchema.shape), ...RANKING_ONLY]),
];
const ALL_HEADERS = /* @__PURE__ */ ALL_OPTIONS.map(optionHeader);

/** Error message for a query parameter that resembles an option; null for other parameters. */
function mistaken(name: string, known: readonly string[]): string | null {
  // `format` is a common parameter of other tools.
  if (known.includes(name) || name === "format") return null;
  if (SPEC_SETTINGS.includes(name)) return "set it in a spec, and name the spec in `spec`";
  const intended = intendedOption(name, known);
  if (intended !== null) return `unknown option; did you mean ${JSON.stringify(intended)}?`;
  const elsewhere = nearest(name, ALL_OPTIONS);
  if (elsewhere === null) return null;
  const ranking = `; rankings read it from \`kritai\` in the body or the header ${optionHeader(elsewhere)}`;
  return `not an option of this URL, which has ${known.join(", ")}${RANKING_ONLY.includes(elsewhere) ? ranking : ""}`;
}

/**
 * Parses the options in the URL and in headers. Query parameters that resemble no option are ignored, because
 * some clients append parameters to every URL.
 * @throws ApiError `invalid_request` for an invalid or misspelt option, naming the parameter or header
 */
function optionsOf<S extends z.ZodObject>(c: AppContext, schema: S, headers: Readonly<Record<string, string>>) {
  const known = Object.keys(schema.shape);
  const inUrl = Object.keys(c.req.queries()).flatMap((path) => {
    const message = mistaken(path, known);
    return message === null ? [] : [{ path, message }];
  });
  const inHeaders = Object.keys(c.req.header())
    .filter((name) => name.startsWith("kritai-") && !ALL_HEADERS.some((header) => header.toLowerCase() === name))
    .map((path) => ({ path, message: `unknown option${didYouMean(path, ALL_HEADERS)}` }));
  const faults = [...inUrl, ...inHeaders];
  if (faults.length > 0) throw invalidRequest(faults);
  return queryParameters(c, schema, headers);
}

/**
 * The options in the URL; those missing there are taken from headers. Throws `invalid_request`, naming the
 * parameter or header.
 */
export function urlOptions(c: AppContext): Options {
  return optionsOf(c, OptionsSchema, OPTION_HEADERS);
}

/**
 * The options for APIs whose requests contain one sample. If `group_size` is missing, the group size
 * configured for the key applies.
 */
export function sampleOptions(c: AppContext, { group_sizes }: Pick<AppDeps, "group_sizes">): SampleOptions {
  const options = optionsOf(c, SampleOptionsSchema, SAMPLE_HEADERS);
  if (options.group_size !== undefined) return options;
  return { ...options, group_size: groupSizeOf(group_sizes, c.get("scope").key_name) };
}
