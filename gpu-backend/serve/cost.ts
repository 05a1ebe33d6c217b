// The cost sheet's command line: flags in, a table or JSON out. Must not know the formula (cost-model.ts).
import * as z from "zod";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { count, number, readFlags } from "../flags.ts";
import { type Cost, type CostInput, costOf } from "./cost-model.ts";

const USAGE = `usage: npm run cost -w gpu-backend -- --tokens-per-second N --price DOLLARS_PER_GPU_HOUR [flags]
  --tokens-per-second N          computed tokens a second of all GPUs together, measured at steady load
  --prefill-tokens-per-second N  computed prompt tokens a second; the flag above is then generation alone
  --price DOLLARS                per GPU and hour
  --gpus N                       GPUs behind that rate (1)
  --group N                      rollouts a group (16)
  --mode pairwise|listwise       (pairwise)
  --both-orders                  ask every pair in both orders
  --samples N                    generations a comparison (1)
  --prompt-tokens N              of a comparison (1800)
  --completion-tokens N          of a generation, thinking included (2500)
  --prefix-hit SHARE             of prompt tokens that the prefix cache holds (0)
  --saved SHARE                  of generated tokens that early stop saves (0)
  --utilisation SHARE            of the paid time at the measured rate (1)
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
    ["comparisons a group", whole(cost.comparisons_per_group)],
    ["generations a group", whole(cost.generations_per_group)],
    ["prompt tokens computed a group", whole(cost.prompt_tokens_per_group)],
    ["tokens generated a group", whole(cost.completion_tokens_per_group)],
    ["engine seconds a group", cost.seconds_per_group.toFixed(3)],
    ["rewards an hour", whole(cost.rewards_per_hour)],
    ["dollars a group", cost.dollars_per_group.toFixed(5)],
    ["dollars per 1,000 rewards", cost.dollars_per_1000_rewards.toFixed(3)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(32)}${value.padStart(14)}`).join("\n");
}

/**
 * Runs the command. @returns its exit status and what it says: 0 and the sheet, or 2 and what is
 * wrong with the flags
 */
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
