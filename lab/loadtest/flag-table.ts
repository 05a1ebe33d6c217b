// The load tester's flags: what each takes, means and is by default, with an example.
import * as z from "zod";
import { above0, count, from0, oneOf, url } from "../../gpu-backend/flags.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { LOADTEST_LIMITS, range, variable } from "./flag-schemas.ts";
import { ITEMS_MAX } from "./kinds/item.ts";
import { KINDS } from "./kinds/table.ts";

const M = LOADTEST_LIMITS;

export const ARRIVALS = ["constant", "poisson", "gamma", "ramp", "trace"] as const;

interface Flag {
  schema: z.ZodType;
  /** The flag's argument, in the help; absent: a switch. */
  takes?: string;
  help: string;
  example: string;
}

/** In the order of the help. A schema's default is what the help names. */
export const FLAGS = {
  target: { schema: url.optional(), takes: "URL", help: "the server to test", example: "http://127.0.0.1:8787" },
  verifier: {
    schema: url.optional(),
    takes: "URL",
    help: "in place of --target: test a local Kritai in front of this OpenAI-compatible judge; needs --model",
    example: "http://127.0.0.1:8000/v1",
  },
  kind: {
    schema: oneOf(KINDS).default("rewards"),
    takes: KINDS.join("|"),
    help: "which request to send to the target (rewards)",
    example: "engine",
  },
  baseline: {
    schema: url.optional(),
    takes: "URL",
    help: "a second server, measured alternately, to compute the target's overhead",
    example: "http://127.0.0.1:8000",
  },
  "baseline-kind": {
    schema: oneOf(KINDS).default("engine"),
    takes: KINDS.join("|"),
    help: "which request to send to the baseline (engine)",
    example: "gateway",
  },
  model: {
    schema: z.string().optional(),
    takes: "NAME",
    help: "the model that --verifier serves, or an engine's (default: the first it lists)",
    example: "sim-14b",
  },
  rate: {
    schema: above0(M.rate_max).prefault("10"),
    takes: "N",
    help: "offered load in requests per second (10)",
    example: "20",
  },
  arrivals: {
    schema: oneOf(ARRIVALS).default("poisson"),
    takes: ARRIVALS.join("|"),
    help: "arrival process (poisson)",
    example: "gamma --shape 0.25",
  },
  shape: {
    schema: above0(1000).prefault("1"),
    takes: "N",
    help: "shape of gamma arrivals: 1 is Poisson, below 1 is bursty (1)",
    example: "0.25",
  },
  ramp: {
    schema: range.optional(),
    takes: "FROM:TO",
    help: "first and last rate of --arrivals ramp",
    example: "5:100",
  },
  trace: {
    schema: z.string().optional(),
    takes: "FILE",
    help: "arrival times of --arrivals trace: one per line, in seconds",
    example: "arrivals.jsonl",
  },
  sweep: {
    schema: range.optional(),
    takes: "FROM:TO",
    help: "increase the rate step by step to find the knee; replaces --rate",
    example: "5:200",
  },
  "sweep-steps": {
    schema: count(2, M.sweep_steps_max).prefault("8"),
    takes: "N",
    help: "number of rates in the sweep, evenly spaced on a log scale (8)",
    example: "12",
  },
  refine: {
    schema: count(0, 10).prefault("2"),
    takes: "N",
    help: "extra rates measured between the knee and the first overloaded rate (2)",
    example: "4",
  },
  concurrency: {
    schema: count(0, M.concurrency_max).prefault("0"),
    takes: "N",
    help: "closed loop with N clients; 0 is an open loop (0)",
    example: "32",
  },
  duration: {
    schema: above0(M.slice_s_max).prefault("30"),
    takes: "S",
    help: "seconds measured per point and repeat (30)",
    example: "60",
  },
  warmup: {
    schema: from0(M.slice_s_max).prefault("5"),
    takes: "S",
    help: "warm-up seconds before each measurement, discarded (5)",
    example: "10",
  },
  repeats: {
    schema: count(1, M.repeats_max).prefault("3"),
    takes: "N",
    help: "repeats per point; with fewer than 3 the intervals are unreliable (3)",
    example: "5",
  },
  workload: {
    schema: z.string().default("examples"),
    takes: "examples|synthetic|FILE",
    help: "request data (examples)",
    example: "groups.jsonl",
  },
  groups: {
    schema: count(1, LIMITS.groups_max).prefault("1"),
    takes: "N",
    help: "groups per request (1)",
    example: "4",
  },
  "group-size": {
    schema: count(2, LIMITS.rollouts_per_group_max).optional(),
    takes: "N",
    help: "rollouts per group (all; synthetic 8, listwise at most 5)",
    example: "16",
  },
  "candidate-chars": {
    schema: count(10, LIMITS.rollout_text_bytes).prefault("1500"),
    takes: "N",
    help: "length of a synthetic candidate in characters (1500)",
    example: "6000",
  },
  items: {
    schema: count(1, ITEMS_MAX).prefault("64"),
    takes: "N",
    help: "number of distinct synthetic request bodies (64)",
    example: "256",
  },
  mode: {
    schema: oneOf(["pairwise", "listwise"]).default("pairwise"),
    takes: "pairwise|listwise",
    help: "how groups are judged (pairwise)",
    example: "listwise",
  },
  samples: {
    schema: count(1, LIMITS.samples_max).prefault("1"),
    takes: "N",
    help: "generations per comparison (1)",
    example: "4",
  },
  "both-orders": { schema: z.boolean().default(false), help: "judge every comparison in both orders", example: "" },
  "max-tokens": {
    schema: count(1, LIMITS.max_tokens_max).optional(),
    takes: "N",
    help: "token limit per generation (the spec's default)",
    example: "4096",
  },
  "same-prompts": {
    schema: z.boolean().default(false),
    help: "send the same prompts again, so that prefix caches hit",
    example: "",
  },
  objective: {
    schema: above0(3_600_000).prefault("1000"),
    takes: "MS",
    help: "latency objective: goodput counts requests within it (1000)",
    example: "250",
  },
  timeout: {
    schema: count(10, LIMITS.deadline_ms_max).prefault("60000"),
    takes: "MS",
    help: "abort a request this long after its intended start (60000)",
    example: "120000",
  },
  connections: {
    schema: count(1, M.connections_max).prefault("1024"),
    takes: "N",
    help: "maximum connections per server; waiting for one counts as latency (1024)",
    example: "256",
  },
  "max-requests": {
    schema: count(1, M.requests_max).prefault("1000000"),
    takes: "N",
    help: "maximum requests of the whole run (1000000)",
    example: "50000",
  },
  "max-seconds": {
    schema: above0(M.run_s_max).prefault("7200"),
    takes: "S",
    help: "maximum seconds of the whole run (7200)",
    example: "600",
  },
  "gpu-hour-price": {
    schema: from0(1e6).optional(),
    takes: "DOLLARS",
    help: "price of one GPU hour; reports dollars per 1,000 rewards",
    example: "2.5",
  },
  gpus: {
    schema: count(1, 100_000).prefault("1"),
    takes: "N",
    help: "number of GPUs behind the target (1)",
    example: "8",
  },
  "tokens-per-second": {
    schema: above0(1e12).optional(),
    takes: "N",
    help: "throughput of all GPUs together when busy; reports modelled dollars too",
    example: "9000",
  },
  "key-env": {
    schema: variable.optional(),
    takes: "NAME",
    help: "environment variable with the target's key; also sent to a baseline of the same origin",
    example: "KRITAI_KEY",
  },
  "baseline-key-env": {
    schema: variable.optional(),
    takes: "NAME",
    help: "environment variable with the baseline's key",
    example: "ENGINE_KEY",
  },
  "allow-host": {
    schema: z.array(z.string()).default([]),
    takes: "HOST",
    help: "allow requests to this host (loopback is always allowed); repeatable",
    example: "gpu-1.internal",
  },
  seed: {
    schema: count(0, 4_294_967_295).prefault("1"),
    takes: "N",
    help: "random seed of arrivals, request order and synthetic texts (1)",
    example: "7",
  },
  out: {
    schema: z.string().min(1, "must name a folder").default("dist/loadtest"),
    takes: "DIR",
    help: "output folder (dist/loadtest)",
    example: "results/monday",
  },
  json: { schema: z.boolean().default(false), help: "print summary.json instead of text", example: "" },
  "self-test": {
    schema: z.boolean().default(false),
    help: "test the load generator itself against a server of known latency",
    example: "",
  },
  help: { schema: z.boolean().default(false), help: "print this help", example: "" },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;
export type FlagValues = { [Name in FlagName]: z.output<(typeof FLAGS)[Name]["schema"]> };

/** Every flag with what it takes, what it means and an example. */
export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, flag]: [string, Flag]) => {
    const head = `  --${name}${flag.takes === undefined ? "" : ` ${flag.takes}`}`;
    const example = flag.example === "" ? "" : `, e.g. --${name} ${flag.example}`;
    return `${head}\n        ${flag.help}${example}`;
  });
  return `usage: npm run loadtest -- (--target URL | --verifier URL --model NAME) [flags]

  npm run loadtest -- --target http://127.0.0.1:8787 --rate 20 --duration 30
  npm run loadtest -- --verifier http://127.0.0.1:8000/v1 --model my-judge --sweep 5:200
  npm run loadtest -- --target http://127.0.0.1:8787 --sweep 5:200 --baseline http://127.0.0.1:8000
  npm run loadtest -- --self-test

${lines.join("\n")}`;
}
