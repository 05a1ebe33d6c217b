// Kritai's own options for ranking requests, which may be in the field `kritai`, in the URL or in headers,
// and warnings about fields that look like options but are ignored.

import * as z from "zod";
import { said } from "#said";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../../core/contract/request-fields.ts";
import { BudgetSchema } from "../../../core/contract/spending.ts";
import { SUGGESTING } from "../../../core/faults/field-errors.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { nearest } from "../../../core/faults/suggestion.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import { ScheduleSchema } from "../../../core/tournament/named-schedule.ts";
import type { AppContext } from "../../door/scope.ts";
import { validAt } from "../../door/validation.ts";
import { intendedOption, SPEC_SETTINGS, urlOptions } from "./options.ts";

const OptionSchema = z.strictObject({
  spec: SpecNameSchema.optional().meta(said("name of a stored spec")),
  deadline_ms: RewardsRequestSchema.shape.deadline_ms
    .unwrap()
    .optional()
    .meta(said("deadline in ms; default: the contract's deadline")),
  schedule: ScheduleSchema.meta(said("schedule of comparisons; default: the spec's schedule")),
  budget: BudgetSchema.optional(),
  on_incomplete: z
    .enum(["error", "leave_out"])
    .optional()
    .meta(
      said(
        "behavior if verifier failures leave documents without a score. `error` (default): the request fails and can be retried, unless enough documents for `top_n` are decided. `leave_out`: ranks the other documents and names the missing ones in the warning `not_judged`",
      ),
    ),
  good_enough: z
    .number()
    .min(-LIMITS.score_max)
    .max(...bound("score_max"))
    .optional()
    .meta(
      said(
        "minimum good score: if no score reaches it, the reply has the warning `none_good_enough`; results do not change",
      ),
    ),
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
});
type Option = keyof z.output<typeof OptionSchema>;

/** Schema of the body's field `kritai`, which exists in addition to the vendor's fields. */
export const KritaiSchema = OptionSchema.nullish().meta(
  said(
    "Kritai's own options, for clients that cannot write URLs; also as headers: `Kritai-Deadline-Ms`, `Kritai-Schedule`, `Kritai-Budget`, `Kritai-Good-Enough`, `Kritai-On-Incomplete`, `Kritai-Spec`, `Kritai-Run-Id`, `Kritai-Step`. The body takes precedence over the URL, and the URL over headers",
  ),
);

/** The options of a ranking request, and warnings about ignored fields. */
export interface RankingOptions extends Partial<z.output<typeof OptionSchema>> {
  /** Warnings about fields that look like options but were ignored. */
  ignored: readonly string[];
}

/** Warns if no score reaches `good_enough`, for clients that prefer no result to a poor one. */
export function noneGoodEnough(scores: readonly number[], { good_enough }: RankingOptions): string[] {
  const best = Math.max(...scores);
  if (good_enough === undefined || best >= good_enough) return [];
  return [`none_good_enough: the best score is ${best}, below ${good_enough}`];
}

/**
 * Reads the options of a request. The body takes precedence over the URL, and the URL over headers.
 * @param schema schema of the vendor's request body
 * @throws ApiError `invalid_request`, naming the field or header
 */
export function rankingOptions(
  c: AppContext,
  body: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): RankingOptions {
  const { spec, deadline_ms, run_id, step } = urlOptions(c);
  const url = Object.entries({ spec, deadline_ms, run_id, step }).filter(([, value]) => value !== undefined);
  const stated = validAt(OptionSchema, body.kritai ?? {}, ["kritai"], SUGGESTING);
  const given = Object.entries(stated).filter(([, value]) => value !== undefined);
  const ignored = ignoredFields(body, Object.keys(schema.shape));
  return { ...headerOptions(c), ...Object.fromEntries([...url, ...given]), ignored };
}

const WHOLE = /^\d{1,10}$/;
/**
 * Parsers for the headers' values. Malformed values are returned unchanged, so that the schema rejects them.
 */
const HEADERS: Readonly<Record<Option, { name: string; read: (text: string) => unknown }>> = {
  spec: { name: "Kritai-Spec", read: (text) => text },
  deadline_ms: { name: "Kritai-Deadline-Ms", read: wholeIn },
  schedule: { name: "Kritai-Schedule", read: objectIn },
  budget: { name: "Kritai-Budget", read: budgetIn },
  on_incomplete: { name: "Kritai-On-Incomplete", read: (text) => text },
  good_enough: { name: "Kritai-Good-Enough", read: numberIn },
  run_id: { name: "Kritai-Run-Id", read: (text) => text },
  step: { name: "Kritai-Step", read: wholeIn },
};

function wholeIn(text: string): unknown {
  return WHOLE.test(text) ? Number(text) : text;
}

const NUMBER = /^-?\d{1,10}(?:\.\d{1,15})?$/;

function numberIn(text: string): unknown {
  return NUMBER.test(text) ? Number(text) : text;
}

/** Parses a string that looks like a JSON object. */
function objectIn(text: string): unknown {
  if (!text.startsWith("{") || text.length > LIMITS.template_chars) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const BUDGET = /^\s*(generations|tokens|ratio)\s*=\s*(\d{1,15}(?:\.\d{1,15})?)\s*$/;

/** Parses `ratio=0.25` as `{"ratio": 0.25}`. */
function budgetIn(text: string): unknown {
  const [, name, number] = BUDGET.exec(text) ?? [];
  return name === undefined ? objectIn(text) : { [name]: Number(number) };
}

function headerOptions(c: AppContext): Partial<z.output<typeof OptionSchema>> {
  const options = (Object.keys(HEADERS) as Option[]).flatMap((option) => {
    const { name, read } = HEADERS[option];
    const text = c.req.header(name);
    if (text === undefined) return [];
    return [[option, validAt(OptionSchema.shape[option], read(text), [name], SUGGESTING)] as const];
  });
  return Object.fromEntries(options);
}

/**
 * A warning for each ignored field that looks like an option, because it is one of ours outside `kritai` or a
 * misspelt field of the vendor.
 */
function ignoredFields(body: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  const options = Object.keys(OptionSchema.shape);
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  const warnings = unknown.flatMap((name): string[] => {
    if (SPEC_SETTINGS.includes(name))
      return [`ignored_field ${name}: set it in a spec, and name the spec in kritai.spec`];
    const option = intendedOption(name, options);
    if (option !== null) return [`ignored_field ${name}: write "kritai": {"${option}": ..}`];
    const suggestion = nearest(name, known);
    return suggestion === null ? [] : [`ignored_field ${name}: did you mean "${suggestion}"?`];
  });
  return warnings.slice(0, LIMITS.validation_errors_max);
}
