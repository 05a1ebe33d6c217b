// Owns `npm run loadtest`: flags to a run to its files, Ctrl-C, the exit status. Knows no measurement.
import { environment } from "./environment.ts";
import { usage } from "./flag-table.ts";
import { FlagFault, readFlags } from "./flags.ts";
import { frontierOf, KNEE_RULE, kneePlace } from "./knee.ts";
import { Outputs } from "./outputs.ts";
import { Progress } from "./progress.ts";
import { reportOf } from "./report.ts";
import { runPlan } from "./run.ts";
import { selfTest } from "./self-test.ts";
import { setUp } from "./setup.ts";
import type { Summary } from "./summary-schema.ts";

/** npm passes on a Ctrl-C that the terminal has sent to this process as well: a second signal sooner than this is the first. */
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
      progress.note("\nstopping: what was measured is written; once more to quit at once");
      controller.abort();
    });
  }
  return controller.signal;
}

function verdictOf({ points, knee, stopped_by }: Summary): string {
  if (points.length === 0)
    return `nothing was measured${stopped_by === null ? "" : ` before the stop (${stopped_by})`}`;
  const lines = points.map(({ rate, concurrency, target, baseline, overhead_ms, overloaded }) => {
    const load = rate === null ? `${concurrency} senders` : `${Number(rate.toPrecision(4))}/s offered`;
    const ms = (value: number | null | undefined) => (value == null ? "–" : `${value.toPrecision(4)} ms`);
    const { p50, p99, p999 } = target.latency_ms;
    const overhead = baseline === null ? "" : `, overhead p50 ${ms(overhead_ms?.p50.value)}`;
    const failed = target.failed === 0 ? "" : `, ${target.failed} of ${target.requests} failed`;
    const over = overloaded.length === 0 ? "" : `  overloaded: ${overloaded.join("; ")}`;
    const late = target.generator.late ? "  generator late: its own delay is in these figures" : "";
    return `${load}: achieved ${target.achieved_per_s.value?.toPrecision(4)}/s, p50 ${ms(p50.value)}, p99 ${ms(p99.value)}, p99.9 ${ms(p999.value)}${overhead}${failed}${over}${late}`;
  });
  if (points.length > 1) lines.push(`knee: ${kneePlace(knee, (rate) => `${Number(rate.toPrecision(4))}/s`)}`);
  return lines.join("\n");
}

async function measure(argv: readonly string[]): Promise<void> {
  const flags = readFlags(argv);
  if (flags.help) return console.log(usage());
  if (flags["self-test"]) {
    process.exitCode = (await selfTest(console.log)) ? 0 : 1;
    return;
  }
  const progress = new Progress(process.stderr);
  const { plan, about } = await setUp(flags);
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
    ...about,
    environment: environment(result.spec_hashes),
    points: result.points,
    knee: result.knee,
    frontier: frontierOf(result.points, KNEE_RULE),
  };
  outputs.summary(summary);
  console.log(`${verdictOf(summary)}\nreport: ${outputs.report(reportOf(summary))}`);
}

try {
  await measure(process.argv.slice(2));
} catch (fault) {
  const isFlags = fault instanceof FlagFault;
  console.error(isFlags ? `${fault.message}\n\nnpm run loadtest -- --help lists every flag` : (fault as Error).message);
  process.exitCode = isFlags ? 2 : 1;
}
