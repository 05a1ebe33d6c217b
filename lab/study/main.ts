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
    "Compares the ranking quality and token cost of all schedules on the lists of a set, with simulated verifiers or with a real one (--verifier).",
  texts: {
    set: { value: "sets/small", help: "folder of a set (reads candidates.jsonl and problems.jsonl)" },
    out: {
      value: "dist/schedules.md",
      file: true,
      help: "the Markdown report; charts go to a folder of the same name next to it",
    },
    verifier: {
      value: "",
      fault: (text) => (text === "" || backendUrl.safeParse(text).success ? null : "must be an http or https URL"),
      help: "URL of a real verifier, used through the product's scoring instead of the simulated ones",
    },
    protocol: {
      value: PROTOCOLS[0] as string,
      fault: (text) => (PROTOCOLS.includes(text) ? null : `must be one of ${PROTOCOLS.join(", ")}`),
      help: "protocol of the real verifier",
    },
    model: { value: "", help: "the real verifier's model" },
  },
  numbers: {
    n: {
      min: 2,
      max: LIMITS.rollouts_per_group_max,
      value: 8,
      whole: true,
      help: "candidates per list, with a real verifier",
    },
    draws: {
      min: 1,
      max: 1000,
      value: 8,
      whole: true,
      help: "lists per problem and length, with simulated verifiers",
    },
    lists: { min: 1, max: 10_000, value: 20, whole: true, help: "maximum lists, with a real verifier" },
    "max-tokens": {
      min: 1,
      max: LIMITS.max_tokens_max,
      value: 4096,
      whole: true,
      help: "token limit of a real verifier's answer",
    },
  },
  switches: {
    quick: "fewer lists and sizes: a rough result in under two minutes",
    deadlines: "only study rankings whose deadline comes before the last comparison, in a separate report",
    settings: "only study which settings to choose for 4, 8 and 16 samples, by judge, in a separate report",
    plots: "only draw the plots of lab/results from its stored tables, without a simulation",
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
const name = verifier === "" ? null : model === "" ? "the server's model" : model;
writeFileSync(out, studyPage(`\`npm run lab -- study ${shownFlags}\` at ${commit()}.`, cells, folder, name));
console.log(`${studyHeadline(cells)}\nwrote ${out} and ${Object.keys(files).length} charts and tables`);
