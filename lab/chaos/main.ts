// `npm run lab -- chaos`: flags to a run to its report under lab/results or --out, and the exit status.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { chaosReport } from "./report.ts";
import { runChaos } from "./run.ts";

const { seed, minutes, clients, ...flags } = commandFlags({
  command: "chaos",
  call: "npm run lab -- chaos",
  description:
    "Sends mixed traffic while the edge, verifier, gateway and database are killed and restarted, then checks every reply against the log.",
  numbers: {
    seed: { min: 0, max: 2 ** 31, value: 1, whole: true, help: "random seed of the kill times" },
    minutes: { min: 0.1, max: 24 * 60, value: 5, help: "duration of the traffic" },
    clients: { min: 1, max: 256, value: 8, whole: true, help: "concurrent clients" },
  },
  texts: { out: { value: "", file: true, help: "the report's file; if empty: lab/results/chaos-SEED.md" } },
});
const out = flags.out || `lab/results/chaos-${seed}.md`;
const folder = mkdtempSync(join(tmpdir(), "kritai-chaos-"));
const started = Date.now();
try {
  const note = (line: string) => console.error(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const result = await runChaos({ seed, seconds: minutes * 60, folder, clients, note });
  const report = chaosReport({ seed, minutes, clients }, result);
  writeFileSync(out, report);
  console.log(`${report}\nwritten to ${out}`);
  process.exitCode = result.findings.violations.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
