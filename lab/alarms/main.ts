// The study of alarms: in how many healthy made runs each is on, and how soon it finds the fault that it is
// for.
import { basename, dirname } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { commit } from "../../scripts/stack/commit.ts";
import { writeFiles } from "../report/exports.ts";
import { alarmsPage } from "./page.ts";
import { tried } from "./tried.ts";

const {
  healthy,
  faulty,
  steps,
  seed,
  groups: groupsMax,
  out,
} = commandFlags({
  command: "alarms",
  call: "npm run lab -- alarms",
  description:
    "Counts each alarm's false positives on healthy simulated runs, and measures how soon it detects the fault that it is for.",
  numbers: {
    healthy: { min: 1, max: 10_000, value: 200, whole: true, help: "healthy runs per size" },
    faulty: { min: 1, max: 10_000, value: 50, whole: true, help: "runs per size and fault" },
    groups: { min: 4, max: 64, value: 64, whole: true, help: "largest number of groups per step to try: 4, 16 or 64" },
    steps: { min: 150, max: 2_000, value: 300, whole: true, help: "steps per run" },
    seed: { min: 0, max: 1_000_000, value: 1, whole: true, help: "random seed" },
  },
  texts: { out: { value: "dist/alarms.md", file: true, help: "the Markdown report" } },
});
const sizes = [4, 16, 64]
  .filter((groups) => groups <= groupsMax)
  .flatMap((groups) => [4, 8, 16].map((n) => ({ groups, n, seed })));
const results = sizes.map((size) => {
  const result = tried(size, { healthy, faulty, steps });
  console.log(
    `${size.groups} groups of ${size.n}: ${result.map(({ alarm, on, found }) => `${alarm} ${on.join("+")}/${found}`).join(", ")}`,
  );
  return { size, result };
});
writeFiles(dirname(out), {
  [basename(out)]: alarmsPage(results, { healthy, faulty, steps, groupsMax, seed, commit: commit() }),
});
console.log(`wrote ${out}`);
