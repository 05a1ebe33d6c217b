// Command line of the cost sheet: reads flags and prints a table or JSON. The formula is in cost-model.ts.
import * as z from "zod";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { count, number, readFlags } from "../flags.ts";
import { type Cost, type CostInput, costOf } from "./cost-model.ts";

const USAGE = `usage: npm run cost -w gpu-backend -- --tokens-per-second N --price DOLLARS_PER_GPU_HOUR [flags]
  --tokens-per-second N          computed tokens per second of all GPUs together, at steady load
  --prefill-tokens-per-second N  computed prompt tokens per second; the flag above then counts only generation
  --price DOLLARS                price per GPU hour
  --gpus N                       number of GPUs with that combined rate (1)
  --group N                      rollouts per group (16)
  --mode pairwise|listwise       (pairwise)
  --both-orders                  ask every pair in both orders
  --samples N                    generations per comparison (1)
  --prompt-tokens N              prompt tokens per comparison (1800)
  --completion-tokens N          completion tokens per generation, including thinking (2500)
  --prefix-hit SHARE             share of prompt tokens found in the prefix cache (0)
  --saved SHARE                  share of generated tokens saved by early stop (0)
  --utilisation SHARE            share of the paid time spent at the measured rate (1)
  --json                         machine-readable`;

const positive = number(Number.MIN_VALUE, 1e12, "a number above 0");
const share = number(0, 1, "a share from 0 to 1");

const FlagsSchema = z.strictObject({
  "tokens-per-second": positive,
  "prefill-tokens-per-second": positive.optional(),
  price: number(0, 1e6, "a number from 0"),
  gpus: count(1, 100_000).prefault("1"),
  group: count(2, LIMITS.rollouts_per_group_max).prefault("16"),
  mode: z.enum(["pairwise", "listwise"], "must be pairwise or listwise").prefault("pairwise"),
  "both-orders": z.boolean().default(false),
  samples: count(1, LIMITS.samples_max).prefault("1"),
  "prompt-tokens": count(0, 10_000_000).prefault("1800"),
  "completion-tokens": count(1, LIMITS.max_tokens_max).prefault("2500"),
  "prefix-hit": share.prefault("0"),
  saved: number(0, 0.99, "a share from 0 to 0.99").prefault("0"),
  utilisation: number(0.001, 1, "a share from 0.001 to 1").prefault("1"),
  json: z.boolean().default(false),
});

type Flags = z.output<typeof FlagsSchema>;

const inputOf = (flags: Flags): CostInput => ({
  tokens_per_second: flags["tokens-per-second"],
  prefill_tokens_per_second: flags["prefill-tokens-per-second"] ?? null,
  price: flags.price,
  gpus: flags.gpus,
  group: flags.group,
  mode: flags.mode,
  both_orders: flags["both-orders"],
  samples: flags.samples,
  prompt_tokens: flags["prompt-tokens"],
  completion_tokens: flags["completion-tokens"],
  prefix_hit: flags["prefix-hit"],
  saved: flags.saved,
  utilisation: flags.utilisation,
});

function table(cost: Cost): string {
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  const rows: [string, string][] = [
    ["comparisons per group", whole(cost.comparisons_per_group)],
    ["generations per group", whole(cost.generations_per_group)],
    ["prompt tokens computed per group", whole(cost.prompt_tokens_per_group)],
    ["tokens generated per group", whole(cost.completion_tokens_per_group)],
    ["engine seconds per group", cost.seconds_per_group.toFixed(3)],
    ["rewards per hour", whole(cost.rewards_per_hour)],
    ["dollars per group", cost.dollars_per_group.toFixed(5)],
    ["dollars per 1,000 rewards", cost.dollars_per_1000_rewards.toFixed(3)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(32)}${value.padStart(14)}`).join("\n");
}

/** Runs the command. @returns exit status 0 and the sheet, or 2 and the errors in the flags */
export function runCostSheet(argv: readonly string[]): { status: 0 | 2; text: string } {
  if (argv.includes("--help")) return { status: 0, text: USAGE };
  try {
    const { flags } = readFlags(FlagsSchema, argv);
    const cost = costOf(inputOf(flags));
    return { status: 0, text: flags.json ? JSON.stringify(cost, null, 2) : table(cost) };
  } catch (fault) {
    return { status: 2, text: `${fault instanceof Error ? fault.message : fault}\n\n${USAGE}` };
  }
}

if (import.meta.main) {
  const { status, text } = runCostSheet(process.argv.slice(2));
  (status === 0 ? console.log : console.error)(text);
  process.exitCode = status;
}
