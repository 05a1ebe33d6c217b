// `testbed build`: a set from folders of problems or from a measured pool, with the command that builds it
// again.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import { canonicalJson } from "../../../src/core/contract/canonical-json.ts";
import { ADVERSARIAL_FILE, LISTS_FILE, MANIFEST_FILE } from "../format/pool-format.ts";
import type { CellSizes } from "../sets/cells.ts";
import { DEFAULT_FILTERS, type Filters } from "../sets/filters.ts";
import type { Meter } from "../sets/measuring.ts";
import {
  measurePool,
  mutatePool,
  type Pool,
  poolOf,
  readPool,
  rememberAdversarial,
  rememberPool,
} from "../sets/pool.ts";
import { type BuildOptions, type BuiltManifest, buildSet } from "../sets/set-builder.ts";
import type { Shares } from "../sets/splits.ts";
import { problemFolders } from "../sources/problem-folders.ts";
import {
  type Command,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  log,
  numberPerSplit,
  readOptions,
  required,
  UsageError,
  wholeNumber,
  withMeter,
} from "./command.ts";
import { CHAINED_DEFAULT, MUTANTS_DEFAULT } from "./run.ts";

const SPECS = {
  ...ENGINE_OPTIONS,
  problems: { type: "string", multiple: true },
  pool: { type: "string" },
  out: { type: "string" },
  name: { type: "string" },
  seed: { type: "string" },
  shares: { type: "string" },
  cells: { type: "string" },
  "no-level": { type: "boolean" },
  "per-source": { type: "string" },
  "per-pass-rate": { type: "string" },
  "adversarial-per-length": { type: "string" },
  "random-side-per-length": { type: "string" },
  strong: { type: "string" },
  likeness: { type: "boolean" },
  "tpr-min": { type: "string" },
  "tnr-min": { type: "string" },
  "time-limit-max": { type: "string" },
  mutants: { type: "string" },
  chained: { type: "string" },
} as const;
type Values = ReturnType<typeof readOptions<typeof SPECS>>["values"];

const SHARES: Shares = { train: 0.35, validation: 0.25, test: 0.4 };
const CELLS: CellSizes = { train: 5, validation: 4, test: 10 };

const HELP = `  --problems DIR         folder of problems, repeatable; measured and mutated first
  --pool DIR             alternative: a pool or set with recorded pass rates
  --out DIR              output folder of the set
  --name NAME, --seed N  default small, 1
  --shares A,B,C         shares of the problems in train,validation,test (default ${Object.values(SHARES)})
  --cells A,B,C          lists per length, language and bucket in each split (default ${Object.values(CELLS)})
  --no-level             do not reduce full cells if another cell of the bucket has fewer lists
  --per-source N         lists drawn per problem, language, generator, bucket, length and combination of working shortcuts (default 8)
  --per-pass-rate A,B    candidates kept per tenth of easy pass rates, and per hard pass rate, by problem, language and generator (default ${Object.values(DEFAULT_FILTERS.per_pass_rate_max)})
  --adversarial-per-length N   test lists per bucket and length to modify (default 1)
  --random-side-per-length N   the same, with a randomly chosen kept modification on a randomly chosen side (default 0)
  --strong A,B           generators whose lists are only in the test split, marked as strong
  --likeness             record similarity and length of the programs in the manifest
  --tpr-min SHARE, --tnr-min SHARE   minimum share of programs declared right that pass all tests (default ${DEFAULT_FILTERS.declared_right_min}), and of programs declared wrong that fail
  --time-limit-max MS    exclude problems with a longer time limit
  --mutants N, --chained N   as for mutate; with --problems only
${ENGINE_HELP}

Examples
  npm run lab -- testbed build --problems problems/examples --problems problems/sets --out sets/small --seed 1
  npm run lab -- testbed build --pool sets/small --out /tmp/again --seed 1
  npm run lab -- testbed build --pool pools/ccplus --out sets/ccplus --name ccplus --cells 250,50,250`;

/** `A,B`: candidates kept of each easy and of each hard pass rate. */
function perPassRate(text: string | undefined): Filters["per_pass_rate_max"] {
  if (text === undefined) return DEFAULT_FILTERS.per_pass_rate_max;
  const [easy = 0, hard = 0, ...more] = text.split(",").map(Number);
  if (more.length > 0 || ![easy, hard].every((count) => Number.isInteger(count) && count >= 1)) {
    throw new UsageError("--per-pass-rate must be two integers of at least 1: easy,hard");
  }
  return { easy, hard };
}

function share(text: string, name: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1)) throw new UsageError(`--${name} must be a number from 0 to 1`);
  return value;
}

function filtersOf(values: Values): Filters {
  const { "tpr-min": tpr, "tnr-min": tnr, "time-limit-max": limit } = values;
  return {
    ...DEFAULT_FILTERS,
    per_pass_rate_max: perPassRate(values["per-pass-rate"]),
    ...(tpr !== undefined && { declared_right_min: share(tpr, "tpr-min") }),
    ...(tnr !== undefined && { declared_wrong_min: share(tnr, "tnr-min") }),
    ...(limit !== undefined && { time_limit_ms_max: wholeNumber(limit, "time-limit-max", 0, [1, 3_600_000]) }),
  };
}

function buildOptions(values: Values): BuildOptions {
  return {
    name: values.name ?? "small",
    seed: wholeNumber(values.seed, "seed", 1, [0, Number.MAX_SAFE_INTEGER]),
    shares: numberPerSplit(values.shares, "shares", SHARES),
    cell_sizes: numberPerSplit(values.cells, "cells", CELLS),
    level: !values["no-level"],
    per_source_max: wholeNumber(values["per-source"], "per-source", 8, [1, 10_000]),
    ...(values.likeness === true && { likeness: true }),
    ...(values.strong !== undefined && { strong: values.strong.split(",") }),
    ...(values["random-side-per-length"] !== undefined && {
      random_side_per_length: wholeNumber(values["random-side-per-length"], "random-side-per-length", 0, [0, 10_000]),
    }),
    adversarial_per_length: wholeNumber(values["adversarial-per-length"], "adversarial-per-length", 1, [0, 10_000]),
    filters: filtersOf(values),
  };
}

/**
 * Options that say where things are, how they are run or what is done again, and not what comes
 * out.
 */
const INCIDENTAL: ReadonlySet<string> = new Set(["out", "engine", "cache", "remeasure", "workers"]);

/**
 * The command with its options in one order; it puts the set where sets of its name are kept,
 * wherever this one went.
 */
function canonicalCommand(values: Values, name: string): string {
  const given = Object.entries({ seed: "1", ...values }).filter(([name]) => !INCIDENTAL.has(name));
  const parts = given
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => [value].flat().map((each) => (each === true ? `--${name}` : `--${name} ${each}`)));
  return ["npm run lab -- testbed build", ...parts, `--out sets/${name}`].join(" ");
}

/** A set built again from itself with its own options was built by its own command. */
function commandOf(values: Values, options: BuildOptions): string {
  const path = values.pool === undefined ? null : join(values.pool, MANIFEST_FILE);
  if (path === null || !existsSync(path)) return canonicalCommand(values, options.name);
  const recorded = JSON.parse(readFileSync(path, "utf8")) as Partial<BuiltManifest>;
  const same = canonicalJson(recorded.options) === canonicalJson(options);
  return same && recorded.command !== undefined ? recorded.command : canonicalCommand(values, options.name);
}

async function poolFor(meter: Meter, values: Values, seed: number): Promise<Pool> {
  if (values.pool !== undefined) {
    const pool = await readPool(values.pool);
    if (!values.remeasure) {
      await rememberPool(meter, pool);
      await rememberAdversarial(meter, values.pool, pool);
    }
    return measurePool(meter, pool, log);
  }
  const folders = values.problems ?? [];
  const pool = await measurePool(meter, await poolOf(folders.map(problemFolders), log), log);
  const mutants = wholeNumber(values.mutants, "mutants", MUTANTS_DEFAULT, [0, 10_000]);
  const chained = wholeNumber(values.chained, "chained", CHAINED_DEFAULT, [0, 10_000]);
  return mutatePool(meter, pool, { seed, mutants, chained }, log);
}

export const buildCommand: Command = {
  summary: "build a set of lists with splits, cells, adversarial lists and a manifest",
  help: HELP,
  async run(args) {
    const { values } = readOptions(args, SPECS);
    const folder = required(values.out, "out");
    if ((values.pool === undefined) === (values.problems === undefined)) {
      throw new UsageError("give either --problems or --pool");
    }
    const options = buildOptions(values);
    const command = commandOf(values, options);
    // Before anything is measured: that may take hours.
    makeFolder("--out", folder, [LISTS_FILE, ADVERSARIAL_FILE, MANIFEST_FILE]);
    await withMeter(values, async (meter) => {
      const pool = await poolFor(meter, values, options.seed);
      const { files, cells } = await buildSet(meter, pool, options, { folder, command, log });
      for (const [name, { rows, sha256 }] of Object.entries(files))
        console.log(`${name}: ${rows} rows, sha256 ${sha256}`);
      for (const { split, bucket, length, language, rows } of cells) {
        console.log(`${split} ${bucket}: ${rows} lists of ${length} in ${language}`);
      }
    });
    return 0;
  },
};
