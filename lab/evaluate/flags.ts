// The command line of `npm run evaluate`: flags in, checked options out.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { above0, count, number, oneOf, readFlags, url } from "../../gpu-backend/flags.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { carriesKey } from "../loadtest/target-url.ts";
import type { OwnVerifier } from "../own-stack.ts";
import { SPLITS } from "../testbed/format/set-format.ts";
import { FORMULATIONS, readBaseSpec } from "./asking/cells.ts";
import { CONTROLS } from "./controls/policies.ts";
import { readSimulatorOptions } from "./controls/simulator-options.ts";
import type { VerifierOptions } from "./verifiers/evaluate.ts";
import { LAYOUT_NAMES, type LayoutName } from "./verifiers/layouts/table.ts";
import { specOf } from "./verifiers/spec.ts";

export const USAGE = `usage: npm run evaluate -- --set DIR (--verifier URL --model NAME | --target URL | --control NAME) [flags]
       npm run evaluate -- --layout NAME --rows FILE .. (--verifier URL --model NAME | --target URL) [--spec JSON|FILE]
       npm run evaluate -- --compare DIR DIR .. [--out DIR] [--points FILE]

data and verifier
  --set DIR                 a set: manifest.json, lists.jsonl, adversarial.jsonl (lab/testbed/README.md)
  --verifier URL            your judge, an OpenAI-compatible server such as http://127.0.0.1:8000/v1; starts a local
                            Kritai in front of it; needs --model; its key is read from VERIFIER_API_KEY
  --target URL              alternative: a running Kritai; its key is read from KRITAI_API_KEY
  --control NAME            alternative: a local Kritai with a known verifier: ${CONTROLS.join(", ")}
  --simulator JSON          options of --control simulator, e.g. '{"model":"sim-7b","noise":{"parse_rate":0.43}}'
  --split NAME              ${SPLITS.join(", ")} or all (test)
  --limit N                 evaluate at most N lists, sampled by a hash of their ids
  --formulations LIST       some of ${FORMULATIONS.join(",")} (all four)
  --k LIST                  samples per comparison (1,2,4,8); formulations outside --k-of use only the first
  --k-of LIST               formulations evaluated at every k (list_em)
  --no-positions            do not judge pairs in both orders
  --no-texts                do not log the verifier's texts, and omit them from the report
  --adversarial WHICH       modifications to evaluate: kept, all or none (kept)
  --model NAME              the model of --verifier; otherwise judge.model of the spec
  --spec JSON|FILE          other fields of the spec, e.g. '{"judge":{"temperature":0,"max_tokens":4096}}'

benchmarks, and verifiers of any kind
  --layout NAME             ${LAYOUT_NAMES.join(", ")} (lab/evaluate/README.md)
  --rows FILE               the benchmark's rows: .jsonl, .jsonl.gz, or .json with one list; repeatable
  --spec JSON|FILE          the spec, signals included (each layout has a default)
  --threshold SHARE         a score of at least this counts as "right" (0.5)
  --limit, --out, --json, --batch, --concurrency, --deadline-ms, --name, --seed, --bootstrap as below

run
  --out DIR                 answers.jsonl (append-only), run.json, summary.json, rows.csv, report.md, report.html
                            (dist/evaluate/SET-VERIFIER; with --compare: dist/evaluate/compare)
  --json                    print summary.json (with --compare: compare.json) instead of text
  --batch N                 lists per request (8)
  --concurrency N           concurrent requests (4)
  --deadline-ms N           deadline of each request (${LIMITS.deadline_ms_max})
  --name NAME               the verifier's name in the report (the target)

statistics
  --seed N                  random seed of the bootstrap (0)
  --bootstrap N             bootstrap resamples (2000)
  --tau-candidates-min N    exclude shorter lists from tau-b (3)
  --gpu-hour-price DOLLARS  with --tokens-per-second N and --gpus N (1): report dollars
  --points FILE             other verifiers' figures for the Pareto front (lab/evaluate/README.md)

To resume a stopped run, run the same command again.

examples
  npm run evaluate -- --verifier http://127.0.0.1:8000/v1 --model my-judge --set sets/small
  npm run evaluate -- --control oracle --set sets/small
  npm run evaluate -- --target http://127.0.0.1:8787 --set sets/small --k 1,2,4,8 --out /tmp/mine
  npm run evaluate -- --compare dist/evaluate/small-oracle /tmp/mine`;

const KS_MAX = 8;
const listOf = <const T extends string>(names: readonly T[]) =>
  z
    .string()
    .transform((text) => [...new Set(text.split(","))])
    .refine((all): all is T[] => all.every((name) => (names as readonly string[]).includes(name)), {
      message: `takes names of ${names.join(", ")}, separated by commas`,
    });
const samples = `takes 1 to ${KS_MAX} integers from 1 to ${LIMITS.samples_max}, separated by commas`;
const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(existsSync(text) ? readFileSync(text, "utf8") : text);
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON or the name of a JSON file" });
    return z.NEVER;
  }
});

const path = z.string().min(1);

const FlagsSchema = z.strictObject({
  set: path.optional(),
  out: path.optional(),
  json: z.boolean().default(false),
  target: url.transform((text) => text.replace(/\/+$/, "")).optional(),
  verifier: url.optional(),
  control: z.enum(CONTROLS, `must be one of ${CONTROLS.join(", ")}`).optional(),
  simulator: json.optional(),
  split: z.enum([...SPLITS, "all"], `must be ${SPLITS.join(", ")} or all`).prefault("test"),
  limit: count(1, 1_000_000).optional(),
  formulations: listOf(FORMULATIONS).prefault(FORMULATIONS.join(",")),
  k: z
    .string()
    .regex(/^\d{1,2}(,\d{1,2})*$/, samples)
    .transform((text) => [...new Set(text.split(",").map(Number))].sort((a, b) => a - b))
    .refine((all) => all.length <= KS_MAX && all.every((k) => k >= 1 && k <= LIMITS.samples_max), samples)
    .prefault("1,2,4,8"),
  "k-of": listOf(FORMULATIONS).prefault("list_em"),
  "no-positions": z.boolean().default(false),
  "no-texts": z.boolean().default(false),
  adversarial: z.enum(["kept", "all", "none"], "must be kept, all or none").prefault("kept"),
  model: z.string().min(1).max(256).optional(),
  spec: json.prefault("{}"),
  batch: count(1, LIMITS.groups_max).prefault("8"),
  concurrency: count(1, 256).prefault("4"),
  "deadline-ms": count(LIMITS.deadline_ms_min, LIMITS.deadline_ms_max).prefault(String(LIMITS.deadline_ms_max)),
  name: z.string().min(1).max(64).optional(),
  seed: count(0, Number.MAX_SAFE_INTEGER).prefault("0"),
  bootstrap: count(0, 10_000).prefault("2000"),
  "tau-candidates-min": count(2, LIMITS.list_candidates_max).prefault("3"),
  "gpu-hour-price": above0(1e12).optional(),
  gpus: count(1, 100_000).prefault("1"),
  "tokens-per-second": above0(1e12).optional(),
  points: path.optional(),
  compare: z.boolean().default(false),
  layout: oneOf(LAYOUT_NAMES).optional(),
  rows: z.array(path).default([]),
  threshold: number(0, 1, "a number from 0 to 1").prefault("0.5"),
});
type Flags = z.output<typeof FlagsSchema>;

export type EvaluateOptions = ReturnType<typeof evaluateOptions>;
export type Options =
  | { mode: "evaluate"; evaluate: EvaluateOptions }
  | { mode: "verifier"; verifier: VerifierOptions }
  | ({ mode: "compare" } & CompareOptions);

export interface CompareOptions {
  folders: string[];
  out: string;
  points: string | null;
  json: boolean;
}

/** Where results go that were given no folder. */
const OUT = "dist/evaluate";

/** @throws FlagFault, or an Error whose message names the flag at fault and what it takes */
export function readOptions(argv: readonly string[]): Options {
  const { flags, given, positionals } = readFlags(FlagsSchema, argv, {
    positionals: true,
    unsaid: ["target", "verifier"],
  });
  if (flags.compare) {
    if (positionals.length === 0) throw new Error("--compare needs the folders of one or more runs");
    const { out = join(OUT, "compare"), points = null, json } = flags;
    return { mode: "compare", folders: positionals, out, points, json };
  }
  if (positionals.length > 0) throw new Error(`unexpected argument ${positionals[0]}: only --compare takes folders`);
  if (flags.layout !== undefined) return { mode: "verifier", verifier: verifierOptions(flags, flags.layout, given) };
  const stray = ["rows", "threshold"].find((name) => given[name] !== undefined);
  if (stray !== undefined) throw new Error(`--${stray} requires --layout`);
  return { mode: "evaluate", evaluate: evaluateOptions(flags) };
}

/** Flags of a run over a benchmark's rows. */
const OF_ROWS = ["layout", "rows", "threshold", "limit", "target", "verifier", "control", "simulator"] as const;
const OF_BOTH = ["model", "spec"] as const;
const OF_ALL = ["out", "json", "batch", "concurrency", "deadline-ms", "name", "seed", "bootstrap"] as const;

function verifierOptions(flags: Flags, layout: LayoutName, given: Readonly<Record<string, unknown>>): VerifierOptions {
  const taken: readonly string[] = [...OF_ROWS, ...OF_BOTH, ...OF_ALL];
  const stray = Object.keys(given).find((name) => given[name] !== undefined && !taken.includes(name));
  if (stray !== undefined) throw new Error(`--${stray} cannot be combined with --layout`);
  if (flags.rows.length === 0) throw new Error("--rows is required: the file with the benchmark's rows");
  const { target = null, control } = flags;
  if (control !== undefined && control !== "simulator")
    throw new Error("with --layout, --control must be simulator: the other controls only compare programs");
  assertTarget(flags);
  const { spec, raw } = specOf(layout, given.spec === undefined ? null : flags.spec, judgeModel(flags) ?? null);
  const name = nameOf(flags);
  return {
    layout,
    rows: flags.rows,
    limit: flags.limit ?? null,
    spec,
    target,
    ownVerifier: ownVerifier(flags),
    simulator: flags.simulator === undefined ? {} : readSimulatorOptions(flags.simulator),
    name,
    out: flags.out ?? join(OUT, folderName(`${layout}-${name}`)),
    json: flags.json,
    batch: flags.batch,
    concurrency: flags.concurrency,
    deadline_ms: flags["deadline-ms"],
    settings: { threshold: flags.threshold, raw, seed: flags.seed, bootstrap: flags.bootstrap },
  };
}

const folderName = (text: string) => text.replace(/[^\w.-]+/g, "-");

/** The server of `--verifier`, which assertTarget has checked; null without. */
const ownVerifier = ({ verifier, model }: Flags): OwnVerifier | null =>
  verifier === undefined ? null : { url: verifier, model: model as string };

/** The spec's `judge.model`; a local stack serves only one model. */
const judgeModel = ({ verifier, model }: Flags) => (verifier === undefined ? model : undefined);

/** The verifier's name in the report. */
const nameOf = ({ name, model, control, target }: Flags): string =>
  name ?? model ?? control ?? (target as string).replace(/^https?:\/\//, "");

function assertTarget({ target, control, verifier, model, simulator }: Flags): void {
  if ([target, control, verifier].filter((option) => option !== undefined).length !== 1)
    throw new Error("one of --verifier, --target and --control is required");
  if (verifier !== undefined && model === undefined)
    throw new Error("--verifier needs --model, the name of the model it serves");
  if (verifier !== undefined && carriesKey(verifier))
    throw new Error(
      "--verifier must not carry a key, because reports contain the URL: use the variable VERIFIER_API_KEY",
    );
  if (simulator !== undefined && control !== "simulator") throw new Error("--simulator requires --control simulator");
  if (target !== undefined && carriesKey(target))
    throw new Error("--target must not carry a key, because reports contain the URL: use the variable KRITAI_API_KEY");
}

function evaluateOptions(flags: Flags) {
  const { set } = flags;
  if (set === undefined) throw new Error("--set is required");
  assertTarget(flags);
  if ((flags["gpu-hour-price"] === undefined) !== (flags["tokens-per-second"] === undefined))
    throw new Error("--gpu-hour-price and --tokens-per-second must be given together");
  const base = readBaseSpec(flags.spec);
  const model = judgeModel(flags);
  const verifier = nameOf(flags);
  return {
    ...flags,
    ownVerifier: ownVerifier(flags),
    name: verifier,
    out: flags.out ?? join(OUT, folderName(`${basename(set)}-${verifier}`)),
    simulator: flags.simulator === undefined ? undefined : readSimulatorOptions(flags.simulator),
    set,
    base: model === undefined ? base : { ...base, judge: { ...base.judge, model } },
    selection: { split: flags.split, limit: flags.limit ?? null, adversarial: flags.adversarial },
    statistics: { seed: flags.seed, bootstrap: flags.bootstrap, tau_candidates_min: flags["tau-candidates-min"] },
    price:
      flags["gpu-hour-price"] === undefined
        ? null
        : {
            gpu_hour: flags["gpu-hour-price"],
            gpus: flags.gpus,
            tokens_per_second: flags["tokens-per-second"] as number,
          },
  };
}
