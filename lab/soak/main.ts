// `npm run lab -- soak`: finds the knee of a separate stack, runs it for minutes at a share of it, and writes
// what changed between the first and the last of them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { writeModules } from "../../scripts/stack/worker-modules.ts";
import { PART_NAMES, type Part, type PartName, parts, WORKER } from "../chaos/parts.ts";
import { FILES } from "../loadtest/outputs.ts";
import type { RequestRow } from "../loadtest/record.ts";
import { type Summary, SummarySchema } from "../loadtest/summary-schema.ts";
import { type MemorySample, memoryOf } from "./memory.ts";
import { soakReport } from "./report.ts";
import { compareWindows } from "./windows.ts";

const flags = commandFlags({
  command: "soak",
  call: "npm run lab -- soak",
  description:
    "Finds the knee of a local stack, offers a fraction of that rate for many minutes, and compares the last minutes with the first.",
  numbers: {
    minutes: { min: 0.5, max: 58, value: 30, help: "duration of the load after its warm-up" },
    share: { min: 0.05, max: 1, value: 0.7, help: "offered rate as a fraction of the knee's rate" },
    from: { min: 0.1, max: 10_000, value: 2, help: "the sweep's lowest rate, requests per second" },
    to: { min: 0.1, max: 10_000, value: 100, help: "the sweep's highest rate, requests per second" },
    "sweep-seconds": { min: 2, max: 300, value: 20, help: "seconds measured at each rate of the sweep" },
    seed: { min: 0, max: 2 ** 31, value: 1, whole: true, help: "random seed of the load and of the simulated engine" },
  },
  texts: { out: { value: "lab/results/soak.md", file: true, help: "the report's file" } },
});

const SAMPLE_MS = 1_000;
/** Until V8's heap and the caches have the size they keep. */
const WARMUP_S = 120;
const MAIN = new URL("../loadtest/main.ts", import.meta.url).pathname;
/** Groups of four synthetic programs, every pair once, each request with separate prompts. */
const LOAD = ["--kind", "rewards", "--workload", "synthetic", "--group-size", "4", "--repeats", "1"];

/** One run of the load tester. @throws Error when it fails */
async function loadtest(args: readonly string[]): Promise<Summary> {
  const out = args[args.indexOf("--out") + 1] as string;
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the load tester exited with code ${code}`);
  return SummarySchema.parse(JSON.parse(readFileSync(join(out, FILES.summary), "utf8")));
}

async function soak(all: Record<PartName, Part>, folder: string) {
  const [minutes, seed] = [flags.minutes, String(flags.seed)];
  const target = ["--target", all.edge.url, ...LOAD, "--seed", seed];
  const sweep = ["--sweep", `${flags.from}:${flags.to}`, "--duration", String(flags["sweep-seconds"])];
  const found = await loadtest([...target, ...sweep, "--warmup", "3", "--out", join(folder, "sweep")]);
  const knee = found.knee.rate;
  if (knee === null) throw new Error("the lowest rate is already above the knee: lower --from");
  if (found.knee.overloaded_at === null) throw new Error("the highest rate is below the knee: raise --to");
  const rate = knee * flags.share;
  const memory: MemorySample[] = [];
  const sampling = setInterval(() => memory.push(memoryOf(all.edge.pid as number)), SAMPLE_MS);
  const out = join(folder, "soak");
  const length = ["--duration", String(minutes * 60), "--warmup", String(WARMUP_S)];
  const summary = await loadtest([...target, "--rate", String(rate), ...length, "--out", out]);
  clearInterval(sampling);
  const rows = readFileSync(join(out, FILES.requests), "utf8").trimEnd().split("\n");
  const requests = rows.map((line) => JSON.parse(line) as RequestRow);
  return { knee, rate, minutes, summary, comparison: compareWindows(requests, memory, minutes, WARMUP_S) };
}

const folder = mkdtempSync(join(tmpdir(), "kritai-soak-"));
writeModules(join(folder, WORKER), await bundleWorker());
const all = await parts(folder, flags.seed);
try {
  for (const name of PART_NAMES) await all[name].start();
  const result = await soak(all, folder);
  const load = execFileSync("uptime", { encoding: "utf8" }).trim();
  const report = soakReport({ ...result, command: process.argv.slice(2), load });
  const { out } = flags;
  writeFileSync(out, report);
  console.log(`${report}\nwritten to ${out}`);
  process.exitCode = result.comparison.faults.length === 0 ? 0 : 1;
} finally {
  await Promise.all(PART_NAMES.map((name) => all[name].kill()));
  rmSync(folder, { recursive: true, force: true });
}
