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
  description: "In how many healthy made runs each alarm is on, and how soon it finds the fault that it is for.",
  numbers: {
    healthy: { min: 1, max: 10_000, value: 200, whole: true, help: "healthy runs of each size" },
    faulty: { min: 1, max: 10_000, value: 50, whole: true, help: "runs of each size with each fault" },
    groups: { min: 4, max: 64, value: 64, whole: true, help: "most groups a step, of 4, 16 and 64" },
    steps: { min: 150, max: 2_000, value: 300, whole: true, help: "steps of a run" },
    seed: { min: 0, max: 1_000_000, value: 1, whole: true, help: "of all that is drawn" },
  },
  texts: { out: { value: "dist/alarms.md", file: true, help: "the page, Markdown" } },
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
