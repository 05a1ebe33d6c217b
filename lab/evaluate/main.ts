// `npm run evaluate` as a program: signals, exit codes, what is printed. The work is evaluate.ts and
// compare.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress, Surroundings } from "./asking/runner.ts";
import { compareRuns } from "./compare.ts";
import { evaluateSet } from "./evaluate.ts";
import { percent, plain } from "./figures/estimate.ts";
import { type CompareOptions, type EvaluateOptions, readOptions, USAGE } from "./flags.ts";
import { headlineOf } from "./headline.ts";
import { FRONT_METRICS, type Point, paretoFront } from "./pareto.ts";
import { progressLine } from "./progress.ts";
import { warningsOf } from "./report.ts";
import { differenceText } from "./tables.ts";
import { compareVerifiers, isVerifierRun } from "./verifiers/compare.ts";
import { evaluateVerifier, headline, type VerifierOptions } from "./verifiers/evaluate.ts";

const EXIT = { ok: 0, fault: 1, usage: 2, incomplete: 3, interrupted: 130 } as const;
/** Between two looks whether a line of progress is due. */
const TICK_MS = 1_000;
/** After a signal, the time for the local stack to stop before the process exits. */
const STOP_MS = 1_000;
const argv = process.argv.slice(2);

process.exit(argv.includes("--help") || argv.length === 0 ? help() : await run());

function help(): number {
  console.log(USAGE);
  return argv.length === 0 ? EXIT.usage : EXIT.ok;
}

async function run(): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\nnpm run evaluate -- --help explains the flags`);
    return EXIT.usage;
  }
  try {
    if (options.mode === "compare") return await compare(options);
    return options.mode === "verifier"
      ? await ask(options.verifier.out, (around) => verifier(options.verifier, around))
      : await ask(options.evaluate.out, (around) => lists(options.evaluate, around));
  } catch (error) {
    console.error(`evaluate: ${(error as Error).message}`);
    return EXIT.fault;
  }
}

async function compare({ folders, out, points: file, json }: CompareOptions): Promise<number> {
  if (isVerifierRun(folders[0] ?? "")) {
    const said = await compareVerifiers(folders, out);
    console.log(json ? readFileSync(join(out, "compare.json"), "utf8").trimEnd() : said);
    if (!json) console.log(`\n${join(out, "compare.html")}`);
    return EXIT.ok;
  }
  const { points, differences } = compareRuns(folders, out, file);
  if (json) {
    console.log(readFileSync(join(out, "compare.json"), "utf8").trimEnd());
    return EXIT.ok;
  }
  for (const difference of differences) console.log(differenceText(difference));
  printFronts(points);
  console.log(`\n${join(out, "compare.html")}`);
  return EXIT.ok;
}

async function verifier(options: VerifierOptions, around: Surroundings): Promise<number> {
  const summary = await evaluateVerifier(options, around);
  console.log(options.json ? JSON.stringify(summary, null, 2) : headline(summary));
  if (!options.json) {
    for (const [name, value] of Object.entries(summary.figures))
      console.log(`${name.padEnd(14)} ${plain(value) ?? "–"}`);
    console.log(`\n${join(options.out, "report.html")}`);
  }
  return summary.complete ? EXIT.ok : EXIT.incomplete;
}

async function lists(options: EvaluateOptions, around: Surroundings): Promise<number> {
  const summary = await evaluateSet(options, around);
  const ended = summary.complete ? EXIT.ok : EXIT.incomplete;
  if (options.json) {
    console.log(JSON.stringify(summary, null, 2));
    return ended;
  }
  console.log(headlineOf(summary));
  for (const { cell, list_acc, tau_b, parse_rate } of summary.cells) {
    const figures = `ListAcc ${percent(list_acc) ?? "–"}  tau-b ${plain(tau_b) ?? "–"}  parse rate ${percent(parse_rate) ?? "–"}`;
    console.log(`${cell.padEnd(14)} ${figures}`);
  }
  printFronts(summary.points);
  for (const warning of warningsOf(summary)) console.log(`\nwarning: ${warning}`);
  console.log(`\n${join(options.out, "report.html")}`);
  return ended;
}

/** Asks with a line of progress, until it is done or stopped. */
async function ask(out: string, work: (around: Surroundings) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const line = progressLine(process.stderr, () => performance.now());
  const ticks = setInterval(line.tick, TICK_MS);
  let progress: Progress | null = null;
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => setTimeout(() => reject(stop.signal.reason), STOP_MS));
  });
  // Miniflare's handlers would end the process at once, so ours replace them when its stack is up.
  const listen = () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.removeAllListeners(signal);
      process.on(signal, () => stop.abort(new Error("interrupted")));
    }
  };
  listen();
  const command = `npm run evaluate -- ${argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ")}`;
  const api_key = process.env.KRITAI_API_KEY || null;
  try {
    const asked = work({
      command,
      api_key,
      signal: stop.signal,
      onNote: (text) => console.error(text),
      onProgress: (latest) => {
        progress = { ...latest };
        line.report(latest);
      },
      onStarted: listen,
    });
    return await Promise.race([asked, stopped]);
  } catch (error) {
    line.end();
    if (!stop.signal.aborted) throw error;
    const { stored, total } = progress ?? { stored: 0, total: null };
    const share = total === null ? "before a list was asked" : `after ${stored} of ${total} lists`;
    console.error(`interrupted ${share}; answers are in ${out}. Run the same command again to resume.`);
    return EXIT.interrupted;
  } finally {
    clearInterval(ticks);
  }
}

function printFronts(points: readonly Point[]): void {
  for (const metric of FRONT_METRICS) {
    const names = paretoFront(points, metric).map(({ name }) => name);
    if (names.length > 0) console.log(`Pareto front of cost and ${metric}: ${names.join(", ")}`);
  }
}
