// `npm run lab -- study`: every schedule, vote and score over the same lists against a simulated verifier, or
// a real one, and the report.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { commit } from "../../scripts/stack/commit.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { backendUrl, PROTOCOLS } from "../../src/verifier/settings.ts";
import { writeFiles } from "../report/exports.ts";
import { type Cell, NOISES } from "./cells.ts";
import { csvTables } from "./csv-tables.ts";
import { type DeadlineRow, deadlineRows, deadlinesCsv, deadlinesPage } from "./deadlines.ts";
import { readLists, readPrompts } from "./lists.ts";
import { measuredCells } from "./measured.ts";
import { plots } from "./plots.ts";
import { charts, latexTables, studyHeadline, studyPage } from "./report.ts";
import { settingsPage, settingsTables } from "./settings-page.ts";
import { settingRows } from "./settings-played.ts";
import { playPlan } from "./threads.ts";

const given = commandFlags({
  command: "study",
  call: "npm run lab -- study",
  description:
    "The cost of each schedule's order over the lists of a set: against simulated verifiers, or with --verifier a real one.",
  texts: {
    set: { value: "sets/small", help: "a set's folder, of which candidates.jsonl and problems.jsonl are read" },
    out: {
      value: "dist/schedules.md",
      file: true,
      help: "the report, Markdown; its charts go to a folder of its name beside it",
    },
    verifier: {
      value: "",
      fault: (text) => (text === "" || backendUrl.safeParse(text).success ? null : "must be an http or https URL"),
      help: "a real verifier's URL, asked through the product's scoring in place of the simulated ones",
    },
    protocol: {
      value: PROTOCOLS[0] as string,
      fault: (text) => (PROTOCOLS.includes(text) ? null : `must be one of ${PROTOCOLS.join(", ")}`),
      help: "how the real verifier is spoken to",
    },
    model: { value: "", help: "the real verifier's model" },
  },
  numbers: {
    n: {
      min: 2,
      max: LIMITS.rollouts_per_group_max,
      value: 8,
      whole: true,
      help: "candidates of a list, for a real verifier",
    },
    draws: {
      min: 1,
      max: 1000,
      value: 8,
      whole: true,
      help: "lists of every problem and length, against simulated verifiers",
    },
    lists: { min: 1, max: 10_000, value: 20, whole: true, help: "lists at most, for a real verifier" },
    "max-tokens": {
      min: 1,
      max: LIMITS.max_tokens_max,
      value: 4096,
      whole: true,
      help: "of a real verifier's answer",
    },
  },
  switches: {
    quick: "few lists and sizes: a look in under two minutes",
    deadlines:
      "only what a ranking is worth whose deadline comes before its last comparison; its page is of this alone",
    settings: "only which settings to take with 4, 8 and 16 samples, by judge; its page is of this alone",
    plots: "only the plots of lab/results: what its tables say, and nothing is simulated",
  },
  variables: { VERIFIER_API_KEY: "the real verifier's key" },
});

/** Against the simulated verifiers. */
function simulated(): Promise<Cell[]> {
  const { set, quick, draws } = given;
  const styles = ["direct", "thinking"] as const;
  const noises = quick ? ["usual"] : Object.keys(NOISES);
  const sizes = quick ? [4, 16] : [4, 8, 16, 32];
  return playPlan({ set, sizes, draws: quick ? 1 : draws, noises, styles }, (played) => {
    const { level, style, n, noise, lists, tau } = played.find(({ way }) => way.reference) as Cell;
    console.log(`${level}, ${style}, n = ${n}, ${noise}: ${lists} lists, tau-b ${tau.mean?.toFixed(3)}`);
  });
}

/** Against a real one. */
function real(): Promise<Cell[]> {
  const { set, verifier: url, protocol, model, n, lists, quick } = given;
  const api_key = process.env.VERIFIER_API_KEY;
  const clock = systemClock;
  const modelOption = protocol === "scalar" || model === "" ? {} : { model };
  const settings = { protocol, url, ...(api_key !== undefined && { api_key }), ...modelOption };
  return measuredCells({
    verifier: createVerifier([settings], { hedging: false }, clock),
    clock,
    lists: readLists(set, n, 1).slice(0, quick ? Math.min(3, lists) : lists),
    prompts: readPrompts(set),
    n,
    model: model === "" ? null : model,
    max_tokens: given["max-tokens"],
    onWay(name, played) {
      const known = played.flatMap(({ tau }) => tau ?? []);
      const mean = known.reduce((sum, tau) => sum + tau, 0) / known.length;
      console.log(`${name}: tau-b ${mean.toFixed(3)} of ${known.length} of ${played.length} lists`);
    },
  });
}

const { out, verifier, model } = given;
if (given.plots) {
  const results = join(import.meta.dirname, "../results");
  const files = plots((path) => readFileSync(join(results, path), "utf8"));
  mkdirSync(join(results, "plots"), { recursive: true });
  writeFiles(results, files);
  console.log(`wrote ${Object.keys(files).join(", ")} in lab/results`);
  process.exit();
}
const folder = basename(out, ".md");
if (given.deadlines) {
  const { quick } = given;
  // The goal is a share, which few lists do not tell from its neighbours.
  const [trials, goalTrials] = quick ? [20, 20] : [100, 1000];
  const judges = ["exact", "strong"];
  const plan = { judges, sizes: quick ? [8, 32] : [8, 32, 64], trials, waves: true };
  const logRow = ({ judge, n, share, way, top }: DeadlineRow) =>
    console.log(`${judge}, n = ${n}, ${share.toFixed(2)} x, ${way}: best in 3 ${top.toFixed(2)}`);
  const goal = await deadlineRows({ ...plan, sizes: [32], trials: goalTrials, deadlines: [2.5] }, logRow);
  const rows = await deadlineRows(plan, logRow);
  const provenance = `\`npm run lab -- study --deadlines${quick ? " --quick" : ""}\` at ${commit()}.`;
  writeFiles(join(dirname(out), folder), { "rows.csv": deadlinesCsv([...goal, ...rows]) });
  writeFileSync(out, deadlinesPage(provenance, [goalTrials, trials], goal, rows, folder));
  console.log(`wrote ${out}: ${goal.length + rows.length} rows`);
  process.exit();
}
if (given.settings) {
  const { set, quick, draws } = given;
  const plan = quick
    ? { set, sizes: [4, 8], draws: 2, varied: 1 }
    : { set, sizes: [4, 8, 16], draws, varied: Math.ceil(draws / 4) };
  const how = `\`npm run lab -- study --settings --set ${set}${quick ? " --quick" : ` --draws ${draws}`}\` at ${commit()}.`;
  const rows = settingRows(plan, ([{ judge, n, variant, lists }]) =>
    console.log(`${judge}, n = ${n}, ${variant}: ${lists} lists`),
  );
  writeFiles(join(dirname(out), folder), settingsTables(rows));
  writeFileSync(out, settingsPage(how, rows, folder));
  console.log(`wrote ${out}: ${rows.length} rows`);
  process.exit();
}
const cells = await (verifier === "" ? simulated() : real());
const files = { ...charts(cells), ...latexTables(cells), ...csvTables(cells) };
writeFiles(join(dirname(out), folder), files);
// Not the URL: it may say where a private engine is.
const flags = Object.entries(given).flatMap(([name, value]) =>
  ["out", "verifier", "draws"].includes(name) || value === "" || value === false
    ? []
    : [`--${name}${value === true ? "" : ` ${value}`}`],
);
const shownFlags =
  verifier === ""
    ? `--set ${given.set}${given.quick ? " --quick" : ` --draws ${given.draws}`}`
    : `--verifier URL ${flags.join(" ")}`;
const name = verifier === "" ? null : model === "" ? "the one that its server serves" : model;
writeFileSync(out, studyPage(`\`npm run lab -- study ${shownFlags}\` at ${commit()}.`, cells, folder, name));
console.log(`${studyHeadline(cells)}\nwrote ${out} and ${Object.keys(files).length} charts and tables beside it`);
