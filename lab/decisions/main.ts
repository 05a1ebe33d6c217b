// `npm run lab -- decisions`: what a decision model's probabilities are worth, over groups of programs whose
// tests give the truth, and over pairs of JudgeBench.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { commit } from "../../scripts/stack/commit.ts";
import { startDecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import { apiRoot, authorization } from "../../src/core/wire/chat-endpoint.ts";
import { DECISION_API_NAMES, DECISION_APIS, type DecisionApiName } from "../../src/core/wire/decision-apis.ts";
import { readLists, readPrompts } from "../study/lists.ts";
import { type GroupReadings, readGroup, type StudyGroup } from "./arms.ts";
import { Asker, BudgetSpent } from "./asker.ts";
import { measuresOf } from "./measures.ts";
import { decisionsPage } from "./page.ts";

const given = commandFlags({
  command: "decisions",
  call: "npm run lab -- decisions",
  description:
    "Measures a decision model: all pairs of a group in one request (state), each pair alone, one question at a time, and repeated. Raw replies are kept, so a stopped study can resume. Without --url a simulator answers, and the report says so.",
  texts: {
    api: {
      value: "systemone",
      fault: (text) =>
        (DECISION_API_NAMES as readonly string[]).includes(text)
          ? null
          : `must be one of ${DECISION_API_NAMES.join(", ")}`,
      help: "the decision API",
    },
    url: { value: "", help: "the server's URL, as in VERIFIER_URL; if empty: a simulator" },
    model: { value: "clef-flash", help: "the model's name at the server" },
    set: { value: "sets/small", help: "folder of a set (reads candidates.jsonl and problems.jsonl)" },
    "judge-bench": { value: "", help: "JudgeBench rows as JSON lines, evaluated too" },
    out: { value: "dist/decisions.md", file: true, help: "the Markdown report" },
    raw: { value: "dist/decisions.jsonl", file: true, help: "the raw replies, JSON lines" },
  },
  numbers: {
    n: { min: 2, max: 26, value: 8, whole: true, help: "programs per group" },
    groups: { min: 1, max: 10_000, value: 20, whole: true, help: "maximum groups of programs" },
    pairs: { min: 0, max: 10_000, value: 100, whole: true, help: "maximum pairs of JudgeBench" },
    "budget-usd": { min: 0, max: 1_000, value: 5, help: "maximum total cost of the requests" },
    "usd-per-million": { min: 0, max: 1_000, value: 0.09, help: "the price of a million input tokens" },
    "place-bias": {
      min: -10,
      max: 10,
      value: 0,
      help: "simulator: position bias, log-odds for the candidate shown first",
    },
    pull: {
      min: -10,
      max: 10,
      value: 0,
      help: "simulator: additional position bias when the state has other questions, log-odds",
    },
    reads: { min: 0, max: 1, value: 1, help: "simulator: share of a state that it reads" },
    decimals: { min: 1, max: 17, value: 17, whole: true, help: "simulator: decimals of its probabilities" },
  },
  switches: {},
  variables: { VERIFIER_API_KEY: "the server's key" },
});

/** Programs with their pass rates. */
function codeGroups(): StudyGroup[] {
  const prompts = readPrompts(given.set);
  return readLists(given.set, given.n, 1)
    .slice(0, given.groups)
    .map(({ problem, qualities, programs }) => ({
      ...{ name: problem, prompt: prompts.get(problem) ?? problem, texts: programs, truth: qualities },
    }));
}

/** Pairs whose better answer is known. */
function judgeBenchGroups(): StudyGroup[] {
  if (given["judge-bench"] === "") return [];
  type Row = { pair_id?: string; question: string; response_A: string; response_B: string; label: string };
  const lines = readFileSync(given["judge-bench"], "utf8").trim().split("\n").slice(0, given.pairs);
  return lines.map((line, at) => {
    const { pair_id, question, response_A, response_B, label } = JSON.parse(line) as Row;
    const truth = label === "A>B" ? [1, 0] : [0, 1];
    return { name: pair_id ?? `pair ${at + 1}`, prompt: question, texts: [response_A, response_B], truth };
  });
}

/** Where the model is; a simulator that knows the truth, where no URL is given. */
async function judgeOf(groups: readonly StudyGroup[]) {
  if (given.url !== "") return { judge: given.url, url: given.url, simulated: false, close: async () => {} };
  const truth = new Map(
    groups.flatMap(({ texts, truth: rates }) => texts.map((text, i) => [text, rates[i] as number])),
  );
  const { "place-bias": place_bias, pull, reads, decimals } = given;
  const faults = { place_bias, pull, reads, ...(decimals < 17 && { decimals }) };
  const strengthOf = (text: string) => 4 * ((truth.get(text) ?? 0.5) - 0.5);
  const { url, close } = await startDecisionSimulator(strengthOf, "simulated", faults);
  const knobs = Object.entries(faults).map(([name, value]) => `${name} ${value}`);
  return { judge: `a simulator that knows the truth (${knobs.join(", ")})`, url, simulated: true, close };
}

const groups = [...codeGroups(), ...judgeBenchGroups()];
const { judge, url, simulated, close } = await judgeOf(groups);
mkdirSync(dirname(given.raw), { recursive: true });
mkdirSync(dirname(given.out), { recursive: true });
const api = DECISION_APIS[given.api as DecisionApiName];
const asker = new Asker({
  ...{ api, url: "bare" in api ? url.replace(/\/+$/, "") : apiRoot(url), model: given.model, file: given.raw },
  headers: { "content-type": "application/json", ...authorization(process.env.VERIFIER_API_KEY ?? null) },
  ...{ budget_usd: given["budget-usd"], usd_per_million: given["usd-per-million"], backoff_ms: 500 },
});
const read: GroupReadings[] = [];
try {
  for (const group of groups) {
    read.push(await readGroup(asker, group));
    console.log(`${read.length} of ${groups.length}: ${group.name}, $${asker.dollars.toFixed(4)} so far`);
  }
} catch (error) {
  if (!(error instanceof BudgetSpent)) throw error;
  console.log(`the budget of $${given["budget-usd"]} is spent; the replies so far are in ${given.raw}`);
} finally {
  await close();
}
const faults = Object.groupBy(
  read.flatMap(({ faults: all }) => all),
  (fault) => fault,
);
const measures = measuresOf(read, given["usd-per-million"]);
const facts = {
  ...{
    command: `npm run lab -- decisions ${process.argv.slice(2).join(" ")}`.trim(),
    judge,
    simulated,
    api: given.api,
  },
  ...{ models: [...asker.models], date: `${new Date().toISOString().slice(0, 10)}, at ${commit()}` },
  ...{
    groups: read.length,
    of_groups: groups.length,
    calls: asker.calls,
    tokens: asker.tokens,
    dollars: asker.dollars,
  },
  faults: Object.fromEntries(Object.entries(faults).map(([fault, all]) => [fault, all?.length ?? 0])),
};
writeFileSync(given.out, decisionsPage(facts, measures));
for (const { name, value, count } of measures)
  console.log(`${name}: ${value?.toFixed(4) ?? "not measured"} (${count})`);
console.log(`wrote ${given.out} and ${given.raw}`);
