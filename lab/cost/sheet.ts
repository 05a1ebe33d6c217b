// Defines what a deployment's use costs: use of a month by item, prices with what each includes. Pure; knows
// no flag and no measurement.
import * as z from "zod";
import { LIMITS } from "../../src/core/faults/limits.ts";

const PRICED = {
  workers_plan: "Workers Paid",
  workers_requests: "Worker requests",
  workers_cpu_ms: "Worker CPU",
  queue_operations: "queue operations",
  object_requests: "Durable Object requests",
  object_gb_s: "Durable Object duration",
  object_rows_written: "Durable Object rows written",
  neon_cu_hours: "Neon compute",
  neon_gb_months: "Neon storage",
  gpu_hours: "GPU hours",
} as const;
type Priced = keyof typeof PRICED;
/** The items of `prices.json`, and the tokens of a hosted model, whose prices are in the variable PRICES. */
export const ITEMS = { ...PRICED, model_tokens: "hosted model's tokens" } as const;
export type Item = keyof typeof ITEMS;

const amount = z.number().min(0);
const PriceSchema = z.strictObject({
  /** Included in a month, without further pay. */
  included: amount,
  /** Price of a number of units beyond. */
  price: amount,
  per: z.number().positive(),
  unit: z.string(),
  source: z.string(),
  published: z.string(),
});

export const PricesSchema = z.strictObject({
  currency: z.string(),
  read_on: z.iso.date(),
  prices: z.strictObject(
    Object.fromEntries(Object.keys(PRICED).map((item) => [item, PriceSchema])) as Record<Priced, typeof PriceSchema>,
  ),
});
export type Prices = z.output<typeof PricesSchema>;

/** The product's measured figures, by `--measure`. */
export const FiguresSchema = z.strictObject({
  command: z.string(),
  commit: z.string(),
  /** CPU of the Worker: a request besides its generations, and a generation. */
  cpu_ms_request: amount,
  cpu_ms_generation: amount,
  /** Bytes in the database, indices included: a request besides its generations, and a generation. */
  row_bytes_request: amount,
  row_bytes_generation: amount,
});
export type Figures = z.output<typeof FiguresSchema>;

/** One training step, and how many come. */
export interface Load {
  requests: number;
  groups: number;
  generations: number;
  /** How long a step takes at the reward service. */
  step_s: number;
  steps_a_day: number;
  days: number;
  /** Whether samples come one by one, so that every group has a room that waits as long as the step. */
  gathered: boolean;
  gpus: number;
  /** Whether GPUs are paid between steps too. */
  gpus_always: boolean;
  /** Tokens of a step and their US dollars, of a hosted model that needs no GPU. */
  hosted?: { tokens: number; usd: number };
  /** Compute of the database while it is awake; a run's log keeps it awake all day. */
  compute_units: number;
}

/** An operation of a queue is paid by this many bytes. */
const OPERATION_BYTES = 64_000;
/** Written, read, deleted. */
const OPERATIONS = 3;
/** Messages that one call of the log's consumer takes (`wrangler.toml`). */
const BATCH = 100;
/** Memory by which an object's duration is counted, whatever it holds. */
const OBJECT_GB = 0.128;

/** Use of one step by item; the plan and the database's hours are of the month alone. */
export function useOfStep(load: Load, figures: Figures): Record<Priced, number> {
  const { requests, groups, generations, step_s, gathered, gpus } = load;
  const bytes = requests * figures.row_bytes_request + generations * figures.row_bytes_generation;
  const messages = Math.max(requests, Math.ceil(bytes / LIMITS.log_envelope_bytes));
  const chunks = Math.max(messages, Math.ceil(bytes / OPERATION_BYTES));
  const day_s = load.gpus_always && load.steps_a_day > 0 ? 86_400 / load.steps_a_day : step_s;
  return {
    workers_plan: 0,
    workers_requests: requests + Math.ceil(messages / BATCH),
    workers_cpu_ms: requests * figures.cpu_ms_request + generations * figures.cpu_ms_generation,
    queue_operations: OPERATIONS * chunks,
    // The deployment's counters, and each sample at its group's room.
    object_requests: requests + (gathered ? requests : 0),
    object_gb_s: gathered ? groups * step_s * OBJECT_GB : 0,
    object_rows_written: requests + (gathered ? requests : 0),
    neon_cu_hours: 0,
    neon_gb_months: bytes / 1e9,
    gpu_hours: (gpus * Math.max(day_s, step_s)) / 3_600,
  };
}

export interface Line {
  item: Item;
  unit: string;
  /** For a step and for a month, before what is included. */
  step: number;
  month: number;
  /** For a step at the price beyond what is included; for a month with that taken off. */
  step_cost: number;
  month_cost: number;
}

export interface Sheet {
  currency: string;
  read_on: string;
  lines: Line[];
  step_cost: number;
  /** A day's share of the month. */
  day_cost: number;
  month_cost: number;
}

/** A month of the load's steps. The log's rows of the month are paid for the whole month. */
export function sheetOf(load: Load, figures: Figures, { currency, read_on, prices }: Prices): Sheet {
  const steps = load.steps_a_day * load.days;
  const use = useOfStep(load, figures);
  const fixed: Partial<Record<Priced, number>> = {
    workers_plan: 1,
    neon_cu_hours: load.compute_units * 24 * load.days,
  };
  const lines = (Object.keys(PRICED) as Priced[]).map((item): Line => {
    const { included, price, per, unit } = prices[item];
    const month = fixed[item] ?? use[item] * steps;
    return {
      ...{ item, unit, step: use[item], month },
      step_cost: (use[item] / per) * price,
      month_cost: (Math.max(0, month - included) / per) * price,
    };
  });
  const { tokens = 0, usd = 0 } = load.hosted ?? {};
  const ofMonth = { month: tokens * steps, month_cost: usd * steps };
  if (load.hosted) lines.push({ item: "model_tokens", unit: "tokens", step: tokens, step_cost: usd, ...ofMonth });
  const month_cost = lines.reduce((sum, line) => sum + line.month_cost, 0);
  const step_cost = lines.reduce((sum, line) => sum + line.step_cost, 0);
  return { currency, read_on, lines, step_cost, day_cost: month_cost / load.days, month_cost };
}
