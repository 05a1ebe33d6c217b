// Schema of a spec of named signals, built from the table of kinds. Reports errors by field. Compilation:
// compiled-spec.ts.

import * as z from "zod";
import { said } from "#said";
import type { Signal } from "../asking/signal.ts";
import { CandidateSchema } from "../contract/candidate-rule.ts";
import { KEPT_TEXTS, leanTexts } from "../contract/kept-texts.ts";
import { SeedSchema } from "../contract/spec.ts";
import { someText } from "../faults/bounded.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { AuditSchema } from "./audit.ts";
import { readSpec, SpecFault } from "./compiled-spec.ts";
import { FACT_NAMES } from "./expression.ts";
import { FlatSpecSchema } from "./flat-spec.ts";
import { type Spec, type SpecSignal, sumOf } from "./spec.ts";
import { ofFlat } from "./spec-forms.ts";
import { kindNamed } from "./spec-judges.ts";
import { SIGNALS } from "./table.ts";

/** Reserved words of the expression language, which cannot name a signal. */
const TAKEN: readonly string[] = [...FACT_NAMES, "and", "or", "not", "if"];

/** A signal's name in specs and expressions. */
const SignalNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, "must match [a-z][a-z0-9_]{0,31}")
  .refine((name) => !TAKEN.includes(name), `reserved names of expressions are ${TAKEN.join(", ")}`);

const ExpressionSchema = someText("expression_chars");

const cascade = {
  when: ExpressionSchema.optional().meta(
    said("expression over other signals; the signal is computed only for rollouts for which the expression is true"),
  ),
  skip_value: z.number().optional().meta(said("value of rollouts for which `when` is false; default 0")),
};

const kindSchema = ({ kind, schema }: Signal) => schema.safeExtend({ kind: z.literal(kind), ...cascade });
/**
 * The kinds are known only from the table, so the union's static type is erased; the file of each kind
 * defines its settings' type.
 */
const SignalSchema = z.discriminatedUnion("kind", SIGNALS.map(kindSchema) as never) as unknown as z.ZodType<SpecSignal>;

function canonicalSignal({ kind, when, skip_value, unreadable, ...settings }: SpecSignal): SpecSignal {
  const skipping = when === undefined ? skip_value : (skip_value ?? 0);
  return {
    kind,
    ...((kindNamed(kind).canonical?.(settings) ?? settings) as object),
    ...(unreadable === "null" && { unreadable }),
    ...(when !== undefined && { when }),
    ...(skipping !== undefined && { skip_value: skipping }),
  };
}

/** Fields of the flat form, with a hint where each of them belongs in a spec with `signals`. */
const MOVED: Readonly<Record<string, string>> = {
  judge: "set `judge` in a signal of kind tournament",
  format: "use a signal of kind format",
  overlong: "use a signal of kind overlong",
};

/** Schema of a spec with `signals`, as sent in a request. */
export const SignalsSpecSchema = z
  .strictObject(
    {
      candidate: CandidateSchema,
      signals: z.record(SignalNameSchema, SignalSchema),
      reward: ExpressionSchema.optional().meta(said("expression over the signals; default: the sum of all signals")),
      seed: SeedSchema,
      ...KEPT_TEXTS,
      audit: AuditSchema.exactOptional(),
    },
    {
      error: (issue) => {
        if (issue.code !== "unrecognized_keys") return undefined;
        const moved = issue.keys.flatMap((key) => MOVED[key] ?? []);
        return moved.length === issue.keys.length ? moved.join("; ") : undefined;
      },
    },
  )
  .transform(({ signals, reward, ...rest }): Spec => {
    const entries = Object.entries(signals).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...leanTexts(rest),
      form: "signals",
      signals: Object.fromEntries(entries.map(([name, signal]) => [name, canonicalSignal(signal)])),
      reward: reward ?? sumOf(entries.map(([name]) => name)),
    };
  })
  .superRefine((spec, context) => {
    const refuse = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    // Counted in this step because the record schema drops signals that it rejects, so the schema would count
    // too few.
    const count = Object.keys(spec.signals).length;
    if (count === 0) refuse(["signals"], "must contain at least one signal");
    if (count > LIMITS.signals_max) refuse(["signals"], `${count}; ${theLimit("signals_max")}`);
    for (const [name, { kind, when, skip_value, ...settings }] of Object.entries(spec.signals)) {
      if (skip_value !== undefined && when === undefined) {
        refuse(["signals", name, "skip_value"], "requires `when`, which selects the rollouts to skip");
      }
      const fault = kindNamed(kind).fault?.(settings) ?? null;
      if (fault !== null) refuse(["signals", name, ...fault.path], fault.message);
    }
    if (context.issues.length > 0) return;
    try {
      readSpec(spec, LIMITS.rollouts_per_group_max);
    } catch (error) {
      if (!(error instanceof SpecFault)) throw error;
      refuse(error.path, error.message);
    }
  });

/** Schemas of both spec forms; the field `signals` distinguishes them. */
export const SPEC_FORMS = [FlatSpecSchema.transform(ofFlat), SignalsSpecSchema] as const;
export const SpecSchema = z.union(SPEC_FORMS);
