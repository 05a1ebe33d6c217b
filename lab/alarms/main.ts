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
  groups: most,
  out,
} = commandFlags({
  command: "alarms",
  call: "npm run lab -- alarms",
  about: "In how many healthy made runs each alarm is on, and how soon it finds the fault that it is for.",
  numbers: {
    healthy: { least: 1, most: 10_000, value: 200, whole: true, help: "healthy runs of each size" },
    faulty: { least: 1, most: 10_000, value: 50, whole: true, help: "runs of each size with each fault" },
    groups: { least: 4, most: 64, value: 64, whole: true, help: "most groups a step, of 4, 16 and 64" },
    steps: { least: 150, most: 2_000, value: 300, whole: true, help: "steps of a run" },
    seed: { least: 0, most: 1_000_000, value: 1, whole: true, help: "of all that is drawn" },
  },
  texts: { out: { value: "dist/alarms.md", file: true, help: "the page, Markdown" } },
});
const sizes = [4, 16, 64]
  .filter((groups) => groups <= most)
  .flatMap((groups) => [4, 8, 16].map((n) => ({ groups, n, seed })));
const results = sizes.map((size) => {
  const result = tried(size, { healthy, faulty, steps });
  console.log(
    `${size.groups} groups of ${size.n}: ${result.map(({ alarm, on, found }) => `${alarm} ${on.join("+")}/${found}`).join(", ")}`,
  );
  return { size, result };
});
writeFiles(dirname(out), {
  [basename(out)]: alarmsPage(results, { healthy, faulty, steps, most, seed, commit: commit() }),
});
console.log(`wrote ${out}`);
