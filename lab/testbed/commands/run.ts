// `testbed run` and `testbed mutate`: measuring a pool in place, and adding measured mutants to it.
import { MUTATION } from "../sets/mutating.ts";
import { measurePool, mutatePool, type Pool, readPool, rememberPool, writePoolFiles } from "../sets/pool.ts";
import {
  type Command,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  log,
  readOptions,
  required,
  wholeNumber,
  withMeter,
} from "./command.ts";

function report(folder: string, { problems, candidates }: Pool): void {
  const count = (is: (rate: number | null) => boolean): number =>
    candidates.filter(({ pass_rate }) => is(pass_rate)).length;
  const mutants = candidates.filter(({ generator }) => generator === MUTATION).length;
  console.log(
    `${folder}: ${problems.length} problems, ${candidates.length} candidates (${mutants} by mutation): ` +
      `${count((rate) => rate === 1)} pass everything, ${count((rate) => rate !== null && rate < 1)} do not, ` +
      `${count((rate) => rate === null)} unmeasured`,
  );
  const reasons = Map.groupBy(
    candidates.flatMap(({ unmeasured }) => unmeasured ?? []),
    (reason) => reason,
  );
  for (const [reason, occurrences] of reasons) console.log(`  unmeasured: ${occurrences.length} ${reason}`);
}

const RUN_HELP = `  --pool DIR             folder with problems.jsonl and candidates.jsonl; pass rates are added to candidates.jsonl
${ENGINE_HELP}

Examples
  npm run lab -- testbed run --pool pools/quixbugs
  npm run lab -- testbed run --pool pools/ccplus --engine http://127.0.0.1:8080`;

export const runCommand: Command = {
  summary: "run every candidate of a pool on the tests of its problem",
  help: RUN_HELP,
  async run(args) {
    const { values } = readOptions(args, { ...ENGINE_OPTIONS, pool: { type: "string" } });
    const folder = required(values.pool, "pool");
    await withMeter(values, async (meter) => {
      const pool = await readPool(folder);
      if (!values.remeasure) await rememberPool(meter, pool);
      const measured = await measurePool(meter, pool, log);
      await writePoolFiles(folder, measured);
      report(folder, measured);
    });
    return 0;
  },
};

/** Mutants of each problem and language, single and chained, unless told otherwise. */
export const MUTANTS_DEFAULT = 20;
export const CHAINED_DEFAULT = 42;

const MUTATE_HELP = `  --pool DIR             a measured pool; adds mutants of its right Python and JavaScript programs and replaces earlier ones
  --mutants N            single mutants per problem and language (default ${MUTANTS_DEFAULT})
  --chained N            mutants of those mutants, per problem and language (default ${CHAINED_DEFAULT})
  --seed N               default 1
${ENGINE_HELP}

Example
  npm run lab -- testbed mutate --pool pools/quixbugs --mutants 40 --seed 7`;

export const mutateCommand: Command = {
  summary: "add near-correct wrong programs by mutating a pool's right ones, and measure them",
  help: MUTATE_HELP,
  async run(args) {
    const specs = {
      pool: { type: "string" },
      mutants: { type: "string" },
      chained: { type: "string" },
      seed: { type: "string" },
    } as const;
    const { values } = readOptions(args, { ...ENGINE_OPTIONS, ...specs });
    const folder = required(values.pool, "pool");
    const options = {
      seed: wholeNumber(values.seed, "seed", 1, [0, Number.MAX_SAFE_INTEGER]),
      mutants: wholeNumber(values.mutants, "mutants", MUTANTS_DEFAULT, [0, 10_000]),
      chained: wholeNumber(values.chained, "chained", CHAINED_DEFAULT, [0, 10_000]),
    };
    await withMeter(values, async (meter) => {
      const pool = await readPool(folder);
      if (!values.remeasure) await rememberPool(meter, pool);
      const mutated = await mutatePool(meter, pool, options, log);
      await writePoolFiles(folder, mutated);
      report(folder, mutated);
    });
    return 0;
  },
};
