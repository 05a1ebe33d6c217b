// `npm run loadtest`: flags to a run to its files, Ctrl-C, the exit status.

import { FlagFault } from "../../gpu-backend/flags.ts";
import { FolderFault, makeFolder } from "../../scripts/command-line/out-folder.ts";
import type { OwnStack } from "../own-stack.ts";
import { environment } from "./environment.ts";
import { type FlagValues, usage } from "./flag-table.ts";
import { readFlags } from "./flags.ts";
import { headlineOf } from "./headline.ts";
import { frontierOf, KNEE_RULE } from "./knee.ts";
import { FILES, Outputs } from "./outputs.ts";
import { type Planned, Progress } from "./progress.ts";
import { assertAnswers } from "./reachable.ts";
import { reportOf } from "./report.ts";
import { runPlan } from "./run.ts";
import { selfTest } from "./self-test.ts";
import { setUp } from "./setup.ts";
import type { Summary } from "./summary-schema.ts";
import { verdictOf } from "./verdict.ts";

/**
 * npm passes on a Ctrl-C that the terminal has sent to this process as well: a second signal sooner
 * than this is the first.
 */
const SAME_SIGNAL_MS = 500;

/** Aborts on the first Ctrl-C or SIGTERM; a second one ends the process at once. */
function stopSignal(progress: Progress): AbortSignal {
  const controller = new AbortController();
  let stopped_at = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const now = performance.now();
      if (controller.signal.aborted) {
        if (now - stopped_at > SAME_SIGNAL_MS) process.exit(130);
        return;
      }
      stopped_at = now;
      progress.note("\nstopping and writing the results; press Ctrl-C again to quit immediately");
      controller.abort();
    });
  }
  return controller.signal;
}

async function measure(argv: readonly string[]): Promise<void> {
  const flags = readFlags(argv);
  if (flags.help) return console.log(usage());
  if (flags["self-test"]) {
    process.exitCode = (await selfTest(console.log)) ? 0 : 1;
    return;
  }
  let planned: Planned | null = null;
  const progress = new Progress(process.stderr, () => planned);
  makeFolder("--out", flags.out, Object.values(FILES));
  const stack = await ownStack(flags);
  try {
    const stopped = await load(argv, { ...flags, ...(stack !== null && { target: stack.url }) }, progress, (all) => {
      planned = all;
    });
    // The results are written. Closing the stack would wait for its open requests.
    if (stopped && stack !== null) process.exit();
  } finally {
    await stack?.close();
  }
}

/** A local stack in front of `--verifier`; null without one. Its modules take seconds to load. */
async function ownStack({ verifier, model }: FlagValues): Promise<OwnStack | null> {
  if (verifier === undefined || model === undefined) return null;
  const { startStackBefore } = await import("../own-stack.ts");
  return startStackBefore({ url: verifier, model });
}

/** Returns whether a signal stopped the run. */
async function load(
  argv: readonly string[],
  flags: FlagValues,
  progress: Progress,
  onPlan: (planned: Planned) => void,
): Promise<boolean> {
  const { plan, summaryFields } = await setUp(flags);
  // The report names the verifier, not the local stack in front of it.
  if (flags.verifier !== undefined)
    summaryFields.target = { ...summaryFields.target, url: flags.verifier, model: flags.model ?? null };
  const loads = plan.loop === "open" ? plan.rates.length + (plan.rates.length > 1 ? plan.refine : 0) : 1;
  const sides = plan.baseline === null ? 1 : 2;
  onPlan({ slices: loads * plan.repeats * sides, slice_s: plan.warmup_s + plan.duration_s });
  // Before an earlier run's files are replaced.
  await assertAnswers("--target", plan.target.base_url);
  if (plan.baseline !== null) await assertAnswers("--baseline", plan.baseline.base_url);
  if (flags["key-env"] !== undefined && summaryFields.baseline?.key_env === null)
    progress.note("the baseline is called without a key: --key-env applies to the target only; set --baseline-key-env");
  const outputs = new Outputs(flags.out);
  const started_at = new Date().toISOString();
  const result = await runPlan(plan, stopSignal(progress), {
    started: (note, recorder) => progress.begin(note, recorder),
    finished: (note, slice) => {
      progress.end(note, slice.recorder, plan.warmup_s + slice.measured_s);
      outputs.slice(note, slice);
    },
    measured: ({ overloaded }) => {
      if (overloaded.length > 0) progress.note(`  overloaded: ${overloaded.join("; ")}`);
    },
  });
  const summary: Summary = {
    format: "kritai-loadtest/1",
    started_at,
    ended_at: new Date().toISOString(),
    stopped_by: result.stopped_by,
    command: [...argv],
    ...summaryFields,
    environment: environment(result.spec_hashes),
    points: result.points,
    knee: result.knee,
    frontier: frontierOf(result.points, KNEE_RULE),
  };
  outputs.summary(summary);
  const report = outputs.report(reportOf(summary));
  if (flags.json) console.log(JSON.stringify(summary, null, 1));
  else console.log(`${headlineOf(summary)}\n${verdictOf(summary)}\nreport: ${report}`);
  return result.stopped_by === "signal";
}

try {
  await measure(process.argv.slice(2));
} catch (fault) {
  const isFlags = fault instanceof FlagFault || fault instanceof FolderFault;
  console.error(isFlags ? `${fault.message}\n\nnpm run loadtest -- --help lists every flag` : (fault as Error).message);
  process.exitCode = isFlags ? 2 : 1;
}
