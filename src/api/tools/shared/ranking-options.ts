// Defines what a client that ranks may say of Kritai's own: `kritai` in the body, headers, the URL; and the
// warning about fields that look like options and are none.

import * as z from "zod";
import { said } from "#said";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../../core/contract/requests.ts";
import { BudgetSchema } from "../../../core/contract/spending.ts";
import { SUGGESTING } from "../../../core/faults/field-errors.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { nearest } from "../../../core/faults/suggestion.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import { ScheduleSchema } from "../../../core/tournament/named-schedule.ts";
import type { AppContext } from "../../door/scope.ts";
import { validAt } from "../../door/validation.ts";
import { urlOptions } from "./options.ts";

const OptionSchema = z.strictObject({
  spec: SpecNameSchema.optional().meta(said("a stored spec's name")),
  deadline_ms: RewardsRequestSchema.shape.deadline_ms
    .unwrap()
    .optional()
    .meta(said("a deadline other than the contract's own")),
  schedule: ScheduleSchema.meta(said("which documents are compared; default: the spec's")),
  budget: BudgetSchema.optional(),
  on_incomplete: z
    .enum(["error", "leave_out"])
    .optional()
    .meta(
      said(
        "what comes of documents that the verifier's failures left without a score: `error` (default): the request fails, to be sent again, unless `top_n` asks for fewer and these are decided; `leave_out`: the others are ranked, and `not_judged` names what is missing",
      ),
    ),
  good_enough: z
    .number()
    .min(-LIMITS.score_max)
    .max(...bound("score_max"))
    .optional()
    .meta(said("where no score reaches it, the warning `none_good_enough` says so; the results are the same")),
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
});
type Option = keyof z.output<typeof OptionSchema>;

/** In a body, beside the fields of its dialect. */
export const KritaiSchema = OptionSchema.nullish().meta(
  said(
    "Kritai's own options, for clients that cannot write URLs; also as headers: `Kritai-Deadline-Ms`, `Kritai-Schedule`, `Kritai-Budget`, `Kritai-Good-Enough`, `Kritai-On-Incomplete`, `Kritai-Spec`, `Kritai-Run-Id`, `Kritai-Step`. The body goes before the URL, the URL before headers",
  ),
);

/** Options of a ranking, and fields that look as if they were meant as such. */
export interface RankingOptions extends Partial<z.output<typeof OptionSchema>> {
  /** Warnings of fields that were not read. */
  ignored: readonly string[];
}

/** What is said where no score is good enough, for callers who would rather have nothing. */
export function noneGoodEnough(scores: readonly number[], { good_enough }: RankingOptions): string[] {
  const best = Math.max(...scores);
  if (good_enough === undefined || best >= good_enough) return [];
  return [`none_good_enough: the best score is ${best}, below ${good_enough}`];
}

/** @param schema the dialect's own body. @throws ApiError `invalid_request` naming field or header */
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
/** How a header's text is read; what it is not remains a text, which the schema refuses. */
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

/** JSON where it looks like an object. */
function objectIn(text: string): unknown {
  if (!text.startsWith("{") || text.length > LIMITS.template_chars) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const BUDGET = /^\s*(generations|tokens|ratio)\s*=\s*(\d{1,15}(?:\.\d{1,15})?)\s*$/;

/** `ratio=0.25` is `{"ratio": 0.25}`. */
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

/** Settings of a spec's judge about spending, which are not options here. */
const OF_SPECS = ["both_orders", "judge", "min_decided", "samples", "signals"];
/** Fields of a client that means `deadline_ms`. */
const TIMES = ["timeout", "timeout_ms", "timeout_s", "deadline", "max_time"];

/**
 * A warning for each field of a body that is not read and looks like an option: one of ours beside `kritai`
 * rather than in it, or a misspelt one of the dialect.
 */
function ignoredFields(body: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  const options = Object.keys(OptionSchema.shape);
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  const warnings = unknown.flatMap((name): string[] => {
    if (OF_SPECS.includes(name)) return [`ignored_field ${name}: say it in a spec, and name that in kritai.spec`];
    const option = TIMES.includes(name) ? "deadline_ms" : nearest(name, options);
    if (option !== null) return [`ignored_field ${name}: write "kritai": {"${option}": ..}`];
    const suggestion = nearest(name, known);
    return suggestion === null ? [] : [`ignored_field ${name}: did you mean "${suggestion}"?`];
  });
  return warnings.slice(0, LIMITS.validation_errors_max);
}
