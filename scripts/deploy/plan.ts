// The plan that a dry run prints before login: names, bindings, secrets, migrations and the price. Makes no
// request, and never prints the value of a secret.
import { readFileSync } from "node:fs";
import { WORKERS_AI_MODEL } from "../../src/env.ts";
import { ROOT } from "../project/child.ts";
import { OBJECTS } from "../stack/edge.ts";
import { migrationFiles } from "../stack/migrations.ts";
import { REQUIRED } from "./account.ts";
import type { Run } from "./run.ts";
import { changedVars, MADE, protocolOf, WORKERS_AI } from "./secrets.ts";

/** The price of the Workers Paid plan, from the list that `npm run lab -- cost` uses. */
function planPrice(): string {
  const { currency, read_on, prices } = JSON.parse(readFileSync(`${ROOT}lab/cost/prices.json`, "utf8")) as {
    currency: string;
    read_on: string;
    prices: { workers_plan: { price: number; unit: string } };
  };
  const { price, unit } = prices.workers_plan;
  return `Workers Paid costs ${price} ${currency} per ${unit} (as of ${read_on})`;
}

/** The model that judges, and where it runs. */
function judgeLine({ values, target }: Pick<Run, "target" | "values">): string {
  const url = values.get("VERIFIER_URL");
  if (url !== undefined || protocolOf({ values, target }) !== WORKERS_AI) {
    const instead = "without a GPU, use Workers AI: VERIFIER_PROTOCOL=decision npm run deploy";
    return url === undefined
      ? `the server at VERIFIER_URL; ${instead}`
      : `the server at VERIFIER_URL, protocol ${protocolOf({ values, target })}`;
  }
  const model = values.get("VERIFIER_MODEL") ?? WORKERS_AI_MODEL;
  return `Workers AI through the binding AI, ${model}; its input tokens are billed to your account`;
}

/** The plan's lines: a label and its text. */
function planLines({ target, values }: Pick<Run, "target" | "values">): [string, string][] {
  const protocol = protocolOf({ values, target });
  const workersAi = protocol === WORKERS_AI && values.get("VERIFIER_URL") === undefined;
  const judge = workersAi ? [] : ["VERIFIER_URL", ...(protocol === "openai" ? ["VERIFIER_MODEL"] : [])];
  const needed = [...REQUIRED, ...judge].filter((name) => !MADE.includes(name));
  const given = Object.keys(values.given()).filter((name) => !(name in target.vars));
  const missing = needed.filter((name) => !given.includes(name));
  const secrets = [
    `generate ${MADE.join(", ")}`,
    ...(given.length === 0 ? [] : [`set ${given.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`not set yet: ${missing.join(", ")}`]),
  ];
  const migrations = migrationFiles();
  const faults = values.faults();
  return [
    ["Worker", `${target.worker}, with its web pages and an hourly cleanup`],
    ["judge", judgeLine({ values, target })],
    ["bindings", `Durable Objects ${Object.keys(OBJECTS).join(", ")}; queues ${target.queues.join(", ")}`],
    [
      "variables",
      Object.entries({ ...target.vars, ...changedVars({ values, target }) })
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
    ],
    ["secrets", secrets.join("; ")],
    ["migrations", `at most ${migrations.length}, in one transaction: ${migrations.join(", ")}`],
    ["cost", `${planPrice()}, plus Neon and ${workersAi ? "tokens" : "GPUs"}; for an estimate: npm run lab -- cost`],
    ...faults.map((fault): [string, string] => ["error", fault]),
  ];
}

/** Prints the plan of a first deployment. */
export function sayPlan(run: Pick<Run, "target" | "values" | "say">): void {
  const lines = planLines(run);
  const width = Math.max(...lines.map(([name]) => name.length));
  run.say("Plan (--yes carries it out):");
  for (const [name, text] of lines) run.say(`  ${name.padEnd(width)}  ${text}`);
}
