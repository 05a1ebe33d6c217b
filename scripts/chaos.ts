// Owns `npm run chaos`: flags to a run to its report under docs/results or --out, and the exit status. Knows nothing of how it is killed or checked.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { chaosReport } from "./chaos/report.ts";
import { runChaos } from "./chaos/run.ts";

const MINUTES_MAX = 24 * 60;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "5" },
    clients: { type: "string", default: "8" },
    out: { type: "string" },
  },
});

/** @throws Error that names the flag and its bounds */
function number(name: "seed" | "minutes" | "clients", least: number, most: number): number {
  const value = Number(values[name]);
  if (!(value >= least && value <= most)) throw new Error(`--${name} takes a number from ${least} to ${most}`);
  return value;
}

const seed = number("seed", 0, 2 ** 31);
const minutes = number("minutes", 0.1, MINUTES_MAX);
const clients = number("clients", 1, 256);
const out = values.out ?? `docs/results/chaos-${seed}.md`;
const folder = mkdtempSync(join(tmpdir(), "kritai-chaos-"));
const started = Date.now();
try {
  const note = (line: string) => console.error(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const result = await runChaos({ seed, seconds: minutes * 60, folder, clients, note });
  const report = chaosReport({ seed, minutes, clients }, result);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, report);
  console.log(`${report}\nwritten to ${out}`);
  process.exitCode = result.findings.violations.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
