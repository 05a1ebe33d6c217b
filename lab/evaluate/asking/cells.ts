// Defines what is asked of each list: the four formulations, repeated samples and swapped orders, each as one
// spec.
import * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { FlatSpecSchema, type SpecInput } from "../../../src/core/reward/flat-spec.ts";

export const FORMULATIONS = ["list_em", "pair_em", "list_sc", "pair_sc"] as const;
export type FormulationName = (typeof FORMULATIONS)[number];

/** One way of asking, applied to every list. */
export interface Cell {
  /** `list_em@4`, `pair_em@1+swap`. */
  name: string;
  formulation: FormulationName;
  /** Samples a comparison. */
  k: number;
  /** Every pair in both orders: for the position-flip rate. */
  both_orders: boolean;
  spec: SpecInput;
}

export interface CellChoice {
  formulations: readonly FormulationName[];
  /** Ascending; the formulations outside `k_of` are asked at the first only. */
  k: readonly number[];
  k_of: readonly FormulationName[];
  positions: boolean;
  /** The spec's settings besides mode, form, samples and orders. */
  base: SpecInput;
}

const MODES = { list: "listwise", pair: "pairwise" } as const;
const FORMS = { em: "exact_match", sc: "scores" } as const;

/**
 * As the paper counts: an unreadable answer is not asked again, and its pair is a tie. The user's spec may
 * say otherwise.
 */
const AS_ANSWERED = { unparsed: "tie", reask: 0 } as const;

function cell(formulation: FormulationName, k: number, both_orders: boolean, base: SpecInput): Cell {
  const [mode, form] = formulation.split("_") as [keyof typeof MODES, keyof typeof FORMS];
  const judge = { ...AS_ANSWERED, ...base.judge, mode: MODES[mode], form: FORMS[form], samples: k, both_orders };
  return {
    name: `${formulation}@${k}${both_orders ? "+swap" : ""}`,
    formulation,
    k,
    both_orders,
    spec: { ...base, judge },
  };
}

/** The cells in the order in which they are asked: cheap ones first, the swapped pairs last. */
export function planCells({ formulations, k, k_of, positions, base }: CellChoice): Cell[] {
  const first = k[0] as number;
  const plain = formulations.map((formulation) => cell(formulation, first, false, base));
  const repeated = k
    .slice(1)
    .flatMap((samples) => formulations.filter((f) => k_of.includes(f)).map((f) => cell(f, samples, false, base)));
  const swapped = positions && formulations.includes("pair_em") ? [cell("pair_em", first, true, base)] : [];
  return [...plain, ...repeated, ...swapped];
}

/** Generations of a list of n at most; of the longest where n is not given. */
export function generationsOf({ formulation, k, both_orders }: Cell, n: number = LIMITS.list_candidates_max): number {
  const comparisons = formulation.startsWith("pair") ? (n * (n - 1)) / 2 : 1;
  return comparisons * k * (both_orders ? 2 : 1);
}

/** The lists that a request may ask generations for, at most `batch`. */
export const batchSize = (cell: Cell, batch: number): number =>
  Math.max(1, Math.min(batch, Math.floor(LIMITS.generations_openai_max / generationsOf(cell))));

const OWN_FIELDS = ["mode", "schedule", "form", "samples", "both_orders"] as const;
const BaseSchema = z.looseObject({ judge: z.looseObject({}).optional() });

/**
 * The spec's other fields as the user gave them, checked as the API would.
 * @throws Error that names the field
 */
export function readBaseSpec(value: unknown): SpecInput {
  const reservedField = OWN_FIELDS.find((field) => BaseSchema.safeParse(value).data?.judge?.[field] !== undefined);
  if (reservedField !== undefined)
    throw new Error(`--spec: judge.${reservedField} is set by --formulations, --k and --no-positions`);
  const parsed = FlatSpecSchema.safeParse(value);
  if (parsed.success) return value as SpecInput;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  throw new Error(`--spec: ${path.join(".") || "spec"}: ${message}`);
}
